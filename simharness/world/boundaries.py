"""Loop boundaries: what may come in between two iterations of the event loop, and who decides.

One boundary is exactly one pass of stock asyncio's `_run_once`: the outside delivers (here by
choice), all timers that are due are made ready, then the handles that are ready now run in FIFO
order. What they schedule waits for the next boundary. docs/determinism.md tells the whole story.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from simharness.choices import Chooser, Kind, Option, Point
from simharness.world.busy import Busy
from simharness.world.clock import INFINITY, RESOLUTION_S
from simharness.world.limits import AdapterFailed, Limits, TrialEnded
from simharness.world.relaxed import permute_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Sized

    from simharness.world.eventloop import SimLoop
    from simharness.world.sources import Source

RUN = Option("run", Kind.RUN, "loop")
TIME = Option("time passes", Kind.TIME, "clock")
RUN_OR_TIME = (RUN, TIME)
LATEST = sys.float_info.max
"""Below infinity, which stands for `has nothing to deliver`."""


_LIMITS = Limits()
_make = tuple.__new__


def _due(source: Source) -> float:
    return source.due


class Boundaries:
    """The boundary loop of one trial.

    `sources` are in script order; `anchored` and `others` are the user's actions with and without
    an anchor. `patience_s` bounds how far a choice may move the clock.
    """

    def __init__(
        self,
        loop: SimLoop,
        chooser: Chooser,
        *,
        patience_s: float = 60.0,
        limits: Limits | None = None,
        relaxed: bool = False,
    ) -> None:
        self.loop = loop
        self.clock = loop.clock
        self.limits = limits or _LIMITS
        self.count_max = self.limits.boundaries
        self.patience_s = patience_s
        self.points: list[Point] = []
        self.anchored: list[Source] = []
        self.sources: list[Source] = []
        self.threads: list[Source] = []
        self.others: list[Source] = []
        self._lanes: tuple[Sequence[Source], ...] = (
            self.anchored,
            self.sources,
            self.threads,
            self.others,
        )
        self.polls: list[Callable[[], None]] = []
        self.count = 0  # boundaries so far
        self.progress = 0  # whatever may change the world counts it up
        self.records: Sized = ()  # those of the trace so far: a choice notes how many there were
        self.free = True  # False: option 0 everywhere, and no point is recorded
        self.closing = False  # True: the trial is over, and only unwound
        self.quiet_watch: list[Callable[[bool], bool]] = []
        self._ended: TrialEnded | None = None
        self._asked = -1  # the latest boundary that ran what was ready when asked; `_mark_same`
        self._asked_at = 0.0  # and when
        self._asked_point = 0  # and the number of that point
        self.chooser = chooser  # decides; may be replaced before the first choice
        self._relaxed = relaxed
        self._busy = Busy(self.limits)

    def remove(self, source: Source) -> None:
        """Stop offering `source`; unknown ones are ignored."""
        for offered in (self.sources, self.anchored, self.others, self.threads):
            if source in offered:
                offered.remove(source)

    def step(self) -> bool:
        """Pass one boundary. False: nothing is ready, nothing can come and no timer is set."""
        self.count += 1
        if self.polls:
            self._poll()
        ready = self.loop.ready
        if not ready:
            if self.quiet_watch:
                self._asked = -1
                self._watch_quiet(quiet=not self.loop.workers.awake())
            if not self._ask_idle():
                return False
        else:
            busy = self._busy.progress == self.progress and self._busy.check(self)
            self._busy.progress = self.progress
            if self.quiet_watch:
                self._watch_quiet(quiet=busy)
            if not busy:
                self._ask_ready()
            elif self._busy.must_force() and not self._ask_idle() and self._busy.hopeless():
                raise TrialEnded("livelock", self._busy.describe())
        heap = self.clock.heap
        if heap and heap[0][0] <= self.clock.now + RESOLUTION_S:
            self._run_timers()
        self._run_handles()
        if self.count > self.count_max:
            raise TrialEnded("step-limit", f"{self.count_max} loop boundaries")
        if self._ended is not None:
            ended, self._ended = self._ended, None  # teardown goes on from here
            raise ended
        return True

    def _poll(self) -> None:
        before = self.progress
        for poll in tuple(self.polls):
            poll()
        if self.progress != before:
            self._asked = -1

    def end(self, limit: str, detail: str) -> TrialEnded:
        """End the trial with this iteration; returns what to raise meanwhile, since a task keeps
        what is raised in it to itself."""
        self._ended = TrialEnded(limit, detail)
        return self._ended

    def fail(self, error: Exception) -> AdapterFailed:
        """End the trial as `end` does; `error` comes out of it."""
        self._ended = failed = AdapterFailed(error)
        return failed

    @property
    def ending(self) -> bool:
        """Whether the trial ends with this iteration."""
        return self._ended is not None

    def _watch_quiet(self, *, quiet: bool) -> None:
        self.quiet_watch = [watch for watch in self.quiet_watch if not watch(quiet)]

    def next_s(self) -> float:
        """The virtual time of the next delivery or timer; infinity if nothing can come."""
        offers = self._offers(LATEST)
        return min([self.clock.deadline(), *[max(source.due, self.clock.now) for source in offers]])

    # --- asking ---------------------------------------------------------------------------

    def _offers(self, limit: float) -> list[Source]:
        """Everything that could be delivered by virtual time `limit`, in the fixed order."""
        found: list[Source] = []
        for lane in self._lanes:
            if lane:
                found += [source for source in lane if source.due <= limit and not source.holds]
        return found

    def _ask_ready(self) -> None:
        """Handles are ready: deliver until `run` or `time passes` is chosen."""
        clock = self.clock
        while True:
            heap = clock.heap
            if not heap:
                deadline = INFINITY
            else:
                when, _, timer = heap[0]
                deadline = clock.deadline() if timer._cancelled else when
            limit = clock.now + self.patience_s
            some = self.sources or self.anchored or self.threads or self.others
            offers = self._offers(limit) if some else None
            if offers:
                options = (RUN, *[source.option for source in offers])
                if deadline <= limit:
                    options = (*options, TIME)
            elif deadline <= limit:
                options = RUN_OR_TIME
            else:
                return
            chosen = self.choose(options)
            if chosen == 0:
                if offers and self.free and not self._relaxed:  # else a pass may be permuted
                    self._asked = self.count
                    self._asked_at = clock.now
                    self._asked_point = len(self.points) - 1
                return
            if not offers or chosen > len(offers):
                clock.now = max(clock.now, deadline)
                return
            self._deliver(offers[chosen - 1])

    def _ask_idle(self) -> bool:
        """Nothing is ready: the earliest delivery or timer comes, or, late, another."""
        clock = self.clock
        deadline = clock.deadline()
        if not (self.sources or self.anchored or self.threads or self.others):  # the usual case
            if deadline == INFINITY:
                return False
            if deadline > clock.now:
                clock.now = deadline
            return True
        default = self._default(deadline)
        if default is None and deadline == INFINITY:
            return False
        limit = clock.now + self.patience_s
        late = [source for source in self._offers(limit) if source is not default]
        first = TIME if default is None else default.option
        options = (first, *[source.option for source in late])
        if default is not None and deadline <= limit:
            options = (*options, TIME)
        chosen = self.choose(options)
        if options[chosen] is TIME:
            clock.now = max(clock.now, deadline)
            return True
        source = default if chosen == 0 else late[chosen - 1]
        assert source is not None, "an option without a source is `time passes`"
        if self._asked == self.count - 1 and source is default:
            self._mark_same(source)
        self._deliver(source)
        if self.loop.ready:
            self._ask_ready()
        return True

    def _default(self, deadline: float) -> Source | None:
        """What comes next if nobody is late; None stands for the timers (or for nothing)."""
        offers = self._offers(LATEST)
        if self.anchored and offers[:1] == self.anchored[:1]:
            return offers[0]
        scripted = [source for source in offers if source.option.kind is not Kind.ANYWHERE]
        if scripted:
            first = min(scripted, key=_due)
            return first if first.due <= deadline else None
        return offers[0] if offers and deadline == INFINITY else None

    def choose(self, options: tuple[Option, ...]) -> int:
        """Let the chooser decide; the only option, and teardown, need no decision."""
        if len(options) == 1 or not self.free:
            return 0
        chosen = self.chooser.choose(options)
        assert 0 <= chosen < len(options), f"chose {chosen} of {len(options)} options"
        # tuple.__new__ does without the Python function that a NamedTuple's constructor is.
        self.points.append(_make(Point, (options, chosen, len(self.records), 0)))
        return chosen

    def _mark_same(self, source: Source) -> None:
        """Note where delivering `source` earlier, before what was ready then, changes nothing.

        The boundary before this one asked whether to run what was ready, and was told to. Nothing
        came of that but records: no handle, no timer, no time, no word to a stream. So the handle
        that `source` adds now runs next either way, in this pass or as the last one of that pass.
        """
        now = self.clock.now
        if self.loop.ready or now != self._asked_at or source.due > now:
            return
        point = self.points[self._asked_point]
        for number, option in enumerate(point.options):
            if option is source.option:
                self.points[self._asked_point] = _make(Point, (*point[:3], number))

    # --- doing ----------------------------------------------------------------------------

    def _deliver(self, source: Source) -> None:
        if source.due > self.clock.now:
            self.clock.now = source.due
        self.progress += 1
        source.deliver()

    def _run_timers(self) -> None:
        """Make all timers that are due ready, behind what was delivered."""
        if self.clock.take_due(self.loop.ready):
            self._asked = -1
            self.progress += 1
            if self.clock.now > self.limits.virtual_s:
                limit_s = self.limits.virtual_s
                raise TrialEnded("virtual-time-limit", f"{limit_s:g} virtual seconds")

    def _run_handles(self) -> None:
        """Run the handles that are ready now; posts from other threads may fall between them."""
        loop = self.loop
        ready = loop.ready
        if self._relaxed and self.free and len(ready) > 1:
            permute_steps(ready, self.choose)
        threads = self.threads
        left = len(ready)
        while left:
            handle = ready.popleft()
            left -= 1
            if not handle._cancelled:
                try:
                    handle._context.run(handle._callback, *handle._args)
                except BaseException as exc:  # noqa: BLE001 - the loop knows what to do with it
                    loop.handle_failed(handle, exc)
            if left and threads:
                self._posts_between()
        handle = None  # type: ignore[assignment]  # tracebacks keep this frame, as on stock

    def _posts_between(self) -> None:
        """Between two handles another thread may enqueue; it runs at the next boundary."""
        while True:
            offers = [thread for thread in self.threads if thread.due <= self.clock.now]
            if not offers:
                return
            chosen = self.choose((RUN, *[thread.option for thread in offers]))
            if chosen == 0:
                return
            self._deliver(offers[chosen - 1])

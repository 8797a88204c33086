"""Simulated worker threads: executor jobs, `to_thread`, and synchronous agents.

A job is submitted, started and posted. Started is a choice: at once (option 0), or as late as just
before its result is posted; until then a cancel of whoever awaits it drops the job, afterwards its
effects count and only the result is ignored, as on stock. The body runs in a baton thread, so it
may block on the loop; its posts keep their order and come like those of any other thread.
"""

from __future__ import annotations

import contextvars
from collections import deque
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from simharness.choices import Kind, Option
from simharness.world.baton import Baton
from simharness.world.clock import INFINITY
from simharness.world.posts import Thread
from simharness.world.sources import Source

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop

POOL_SIZE = 32
"""Jobs that run at a time, as in asyncio's default executor on a large machine."""

WOKEN = -1.0
"""Due before everything else."""

Report = Callable[[Any, BaseException | None], None]


class Job(Source):
    """One body in a worker thread: a source whose delivery lets the body go on."""

    __slots__ = (
        "_baton",
        "_dropped",
        "_report",
        "_started",
        "_thread",
        "_wake",
        "_workers",
        "label",
    )

    def __init__(
        self,
        workers: Workers,
        label: str,
        body: Callable[[], Any],
        report: Report,
        dropped: Callable[[], bool],
    ) -> None:
        super().__init__(workers.loop, f"{label} goes on")
        self._workers = workers
        self.label = label
        self._baton = Baton(body)
        self._report = report
        self._dropped = dropped
        self._thread = Thread(workers.loop, label)
        self._started = False
        self._wake = INFINITY

    @property
    def alive(self) -> bool:
        """Started, and neither ended nor dropped."""
        return self._started and not self._baton.ended

    @property
    def blocked(self) -> bool:
        """The body waits for something the world has not given it yet."""
        return self.alive and self._baton.until is not None

    @property
    def stirring(self) -> bool:
        """Blocked, and what the body waits for is there."""
        until = self._baton.until
        return self.alive and until is not None and until()

    def start(self) -> None:
        """Run the body until it blocks or ends."""
        self._started = True
        self._advance(None)

    def start_late(self) -> None:
        """Start it when its result would be posted: just before is the latest moment."""
        self.relabel(f"{self.label} starts and ends")
        self.due = self.loop.clock.now
        self.loop.boundaries.sources.append(self)

    def deliver(self) -> None:
        """Let the body start, or go on."""
        self.due = INFINITY
        self.loop.boundaries.remove(self)
        if self._started:
            self._advance(None)
        elif self._dropped():
            self._over()
        else:
            self.start()
            if self._thread.due <= self.loop.clock.now:
                self._thread.deliver()

    def post(self, callback: Callable[..., object], args: tuple[Any, ...], context: Any) -> None:
        """The running body called `call_soon_threadsafe`."""
        self._thread.post(callback, *args, context=context)

    def sleep(self, seconds: float) -> None:
        """The running body sleeps: its thread is blocked until then, and a job takes longer."""
        self._wake = self.loop.clock.now + max(0.0, seconds)
        self._baton.block(lambda: self.loop.clock.now >= self._wake)

    def throw(self, error: BaseException) -> None:
        """Raise `error` where the body is blocked."""
        if self.blocked:
            self.loop.boundaries.remove(self)
            self.due = INFINITY
            self._advance(error)

    def interrupt(self) -> None:
        """The running body does not come back: raise in it what ends it."""
        self._baton.interrupt()

    def frame(self) -> FrameType | None:
        """Where the body is, if it has begun and not ended."""
        return self._baton.frame()

    def give_up(self) -> None:
        """Not even that has helped: go on without its thread."""
        self._baton.give_up()

    def abandon(self) -> bool:
        """The trial is over: unwind a blocked body. False if it could not be ended."""
        return not self.alive or self._baton.abandon()

    def where(self) -> str:
        """`worker 1 at file:line`: where a blocked body waits."""
        place = self._baton.where()
        return f"{self.label} at {place}" if place else self.label

    def look(self) -> None:
        """At a boundary: may a blocked body go on?"""
        if self.due == INFINITY and self.stirring:
            # A body that may go on is like a ready handle: by default ahead of what comes next.
            self._offer(WOKEN)

    def _offer(self, due: float) -> None:
        self.relabel(f"{self.label} goes on")
        self.due = due
        self.loop.boundaries.sources.append(self)

    def _advance(self, error: BaseException | None) -> None:
        self._wake = INFINITY
        with self._workers.running(self):
            self._baton.resume(error)
        if self._baton.ended:
            self._thread.post(self._report, self._baton.result, self._baton.error)
            self._over()
        elif self._wake != INFINITY:
            self._offer(self._wake)

    def _over(self) -> None:
        self._workers.ended(self)


class Workers:
    """The worker threads of one trial."""

    def __init__(self, loop: SimLoop) -> None:
        self.loop = loop
        self.jobs: list[Job] = []
        self.current: Job | None = None  # the job whose body holds the baton
        self._waiting: deque[Job] = deque()
        self._made = 0

    def submit(
        self,
        body: Callable[[], Any],
        report: Report,
        *,
        dropped: Callable[[], bool] = bool,
        context: contextvars.Context | None = None,
        label: str = "",
    ) -> Job:
        """Hand a body to a worker. `report(result, error)` is posted when it has ended."""
        self._made += 1
        inherited = contextvars.copy_context() if context is None else context
        job = Job(
            self, label or f"worker {self._made}", lambda: inherited.run(body), report, dropped
        )
        if sum(other.alive for other in self.jobs) >= POOL_SIZE:
            self._waiting.append(job)
        else:
            self._begin(job)
        return job

    def run(self, body: Callable[[], Any], report: Report, label: str) -> Job:
        """Run a synchronous agent: its thread is nobody's pool's, and starts at once."""
        context = contextvars.copy_context()
        job = Job(self, label, lambda: context.run(body), report, bool)
        self._add(job)
        job.start()
        return job

    def ended(self, job: Job) -> None:
        """A job is over: the next one in the queue begins."""
        if job in self.jobs:
            self.jobs.remove(job)
        if self._waiting:
            self._begin(self._waiting.popleft())

    def running(self, job: Job) -> _Holding:
        """While the body of `job` holds the baton."""
        return _Holding(self, job)

    def stirring(self) -> bool:
        """Whether a blocked body may go on at the next boundary."""
        return any(job.stirring for job in self.jobs)

    def awake(self) -> bool:
        """Whether a blocked body may go on at once."""
        return any(job.due == WOKEN for job in self.jobs)

    def take_all(self) -> list[Job]:
        """Give away every job; one that waits for a thread is forgotten, as it never began."""
        taken, self.jobs = self.jobs, []
        self._waiting.clear()
        return taken

    def abandon(self) -> list[Job]:
        """Unwind everything at the end of a trial; return the jobs that resisted."""
        return [job for job in tuple(self.jobs) if not job.abandon()]

    def _begin(self, job: Job) -> None:
        self._add(job)
        start = Option(f"start {job.label}", Kind.POST, job.label)
        wait = Option(f"{job.label} starts late", Kind.POST, job.label)
        if self.loop.boundaries.choose((start, wait)):
            job.start_late()
        else:
            job.start()

    def _add(self, job: Job) -> None:
        self.jobs.append(job)
        if self._look not in self.loop.boundaries.polls:
            self.loop.boundaries.polls.append(self._look)

    def _look(self) -> None:
        for job in tuple(self.jobs):
            job.look()


class _Holding:
    """Marks which job's body runs; nested when one body starts another job."""

    def __init__(self, workers: Workers, job: Job) -> None:
        self._workers = workers
        self._job = job
        self._before: Job | None = None

    def __enter__(self) -> None:
        self._before, self._workers.current = self._workers.current, self._job

    def __exit__(self, *_: object) -> None:
        self._workers.current = self._before

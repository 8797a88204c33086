"""The sweep: where an action is placed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.choices import Chooser, Course, Kind, Option, Point, Schedule, ScheduleChooser
from simharness.search import Sweep, explore
from simharness.search.plan import coarse_to_fine
from simharness.search.sweep import placements
from tests.tiny import climbing, verdict

if TYPE_CHECKING:
    from simharness.verdict import Verdict

RUN = Option("run", Kind.RUN, "loop")
CHUNK = Option("chunk", Kind.SOURCE, "stream")
TIMER = Option("time passes", Kind.TIME, "clock")
CANCEL = Option("cancel", Kind.ANYWHERE, "user")
STEER = Option("steer", Kind.ANYWHERE, "user")


def course(*points: tuple[Option, ...]) -> Course:
    return tuple(Point(options, 0) for options in points)


def places(*points: tuple[Option, ...]) -> list[Schedule]:
    return list(placements(course(*points)))


class Boundaries:
    """A loop without asyncio: `chunks` chunks, each followed by `busy` boundaries of reaction.

    The cancel may be placed anywhere; the trace says behind what it ran.
    """

    def __init__(self, *, chunks: int, busy: int) -> None:
        self._chunks = chunks
        self._busy = busy

    def __call__(self, chooser: Chooser) -> Verdict:
        points: list[Point] = []
        log: list[str] = []
        ready = 1
        left = self._chunks
        cancelled = False
        while ready or left:
            options = [RUN, CHUNK] if ready else [CHUNK, TIMER]
            options = [o for o in options if o is not CHUNK or left]
            if not cancelled:
                options.append(CANCEL)
            chosen = 0
            if len(options) > 1:
                chosen = chooser.choose(options)
                points.append(Point(tuple(options), chosen))
            taken = options[chosen]
            if taken is RUN:
                log.append(f"run {left}.{ready}")
                ready -= 1
            elif taken is CHUNK:
                left -= 1
                ready = self._busy
            elif taken is CANCEL:
                log.append("cancel")
                cancelled = True
                ready = max(ready, 1)
            else:
                log.append("time")
        return verdict(tuple(points), " ".join(log))


class TestPlacements:
    def test_every_boundary_with_something_ready_is_a_place(self) -> None:
        """The action is taken instead of `run`, so it lands behind the boundary's deliveries."""
        assert [((0, 1),), ((1, 2),)] == places((RUN, CANCEL), (RUN, CHUNK, CANCEL))

    def test_a_boundary_without_any_delivery_is_a_place(self) -> None:
        """Nothing but the handles and the action: this is where most finds lie."""
        assert [((0, 1),)] == places((RUN, CANCEL))

    def test_with_nothing_ready_the_place_is_that_of_the_boundary_before(self) -> None:
        """The same moment is not tried twice."""
        assert [((0, 1),)] == places((RUN, CANCEL), (CHUNK, TIMER, CANCEL))

    def test_the_first_point_of_all_is_a_place_even_with_nothing_ready(self) -> None:
        """There is no boundary before it."""
        assert [((0, 1),), ((1, 1),)] == places((CHUNK, CANCEL), (RUN, CANCEL))

    def test_behind_a_bare_timer_a_point_with_nothing_ready_is_a_place(self) -> None:
        """The timer's callback ran in between, and its boundary asked nothing."""
        assert [((0, 2),), ((1, 2),)] == places((TIMER, CHUNK, CANCEL), (TIMER, CHUNK, CANCEL))

    def test_an_action_offered_as_the_default_is_not_placed(self) -> None:
        """If nothing else can happen, the default trial takes it itself."""
        assert [] == places((CANCEL, TIMER))

    def test_two_actions_are_placed_one_at_a_time(self) -> None:
        """Combinations are for bounded search."""
        assert [((0, 1),), ((0, 2),), ((1, 1),)] == places((RUN, CANCEL, STEER), (RUN, STEER))

    def test_an_action_that_only_now_becomes_possible_is_placed_with_nothing_ready(self) -> None:
        """The boundary before did not offer it."""
        assert [((0, 1),), ((1, 2),)] == places((RUN, CANCEL), (CHUNK, CANCEL, STEER))


class TestSweep:
    def test_one_trial_per_boundary_behind_the_default_trial(self) -> None:
        """Three chunks with two boundaries each: the first run, six boundaries, the default."""
        sweep = Sweep()
        found = list(explore(Boundaries(chunks=3, busy=2), sweep, 100))
        assert 1 + 7 == len(found)
        assert "sweep: 7 loop boundaries" == sweep.describe()
        assert all("cancel" in verdict.trace_hash for verdict in found[1:])

    def test_a_budget_that_ends_early_is_told(self) -> None:
        """The sentence says how many of the boundaries were tried."""
        sweep = Sweep()
        list(explore(Boundaries(chunks=3, busy=2), sweep, 4))
        assert "sweep: 3 of 7 loop boundaries" == sweep.describe()

    def test_without_an_action_there_is_nothing_to_sweep(self) -> None:
        """The default trial runs, and that is all."""
        sweep = Sweep()
        assert "sweep: not run" == sweep.describe()
        assert 1 == len(list(explore(climbing(((), ())), sweep, 9)))
        assert "sweep: no action to place" == sweep.describe()
        assert (False, 0) == (sweep.exhausted(), sweep.exhausted_to())

    def test_trials_that_do_not_follow_their_schedule_are_told(self) -> None:
        """A program that changes between trials was not swept."""
        calls = iter(range(100))

        def run_once(chooser: Chooser) -> Verdict:
            return Boundaries(chunks=3 - min(next(calls), 1), busy=1)(chooser)

        sweep = Sweep()
        list(explore(run_once, sweep, 100))
        assert "sweep: 4 loop boundaries, 2 did not replay" == sweep.describe()

    def test_a_default_trial_that_is_none_places_nothing(self) -> None:
        """A run_once that does not follow even the empty schedule cannot be swept."""
        run = Boundaries(chunks=1, busy=1)
        sweep = Sweep()
        list(explore(lambda _: run(ScheduleChooser(((0, 1),))), sweep, 9))
        assert "sweep: not run" == sweep.describe()


def test_coarse_to_fine_spreads_every_number_once() -> None:
    """The first few numbers lie far apart."""
    assert [0, 4, 2, 6, 1, 5, 3] == list(coarse_to_fine(7))
    for count in range(40):
        assert list(range(count)) == sorted(coarse_to_fine(count))

"""Exploration: counting, recognising what is new, saying why it stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.choices import EMPTY, Chooser
from simharness.search import Bounded, Default, Replay, Stop, Uniform, explore
from tests.tiny import Kernel, Task, climbing, family, running, verdict, yields

if TYPE_CHECKING:
    from simharness.verdict import Verdict


def test_only_new_interleavings_are_yielded() -> None:
    """Trials with a trace that was seen before are counted, not yielded."""
    exploration = explore(running(family(0, 4)), Uniform(seed=1), 200)
    traces = [found.trace_hash for found in exploration]
    assert len(set(traces)) == len(traces) == exploration.interleavings == 6
    assert 200 == exploration.trials


def test_endings_are_counted_apart_from_interleavings() -> None:
    """Different orders may end alike."""

    run = running(family(0, 4))

    def run_once(chooser: Chooser) -> Verdict:
        ran = run(chooser)
        return verdict(ran.course, ran.trace_hash, ending=ran.trace_hash.split()[-1])

    exploration = explore(run_once, Bounded(None), 100)
    list(exploration)
    assert (6, 6, 2) == (exploration.trials, exploration.interleavings, exploration.endings)


def test_an_exhausted_search_says_so() -> None:
    """Every schedule was run."""
    exploration = explore(running(family(0, 4)), Bounded(None), 1000)
    assert 6 == len(list(exploration))
    assert Stop.EXHAUSTED is exploration.stop
    assert (
        "6 trials, 6 interleavings, 6 endings; nothing is left; exhausted: all 6 schedules"
        == exploration.describe()
    )


def test_one_is_not_many() -> None:
    """A single trial is named as one."""
    exploration = explore(running(family(4, 4)), Uniform(seed=1), 1)
    list(exploration)
    counts = "1 trial, 1 interleaving, 1 ending; budget of 1 trial spent; "
    assert exploration.describe().startswith(counts)


def test_a_search_that_is_done_exactly_with_its_budget_is_exhausted() -> None:
    """The last trial of the budget may also be the last one there is."""
    exploration = explore(running(family(0, 4)), Bounded(None), 6)
    assert 6 == len(list(exploration))
    assert Stop.EXHAUSTED is exploration.stop


def test_a_spent_budget_says_so_and_what_is_missing() -> None:
    """The statement names the budget and the part that was not run."""
    exploration = explore(running(family(4, 4)), Bounded(1), 5)
    list(exploration)
    assert Stop.BUDGET is exploration.stop
    assert exploration.describe().startswith(
        "5 trials, 5 interleavings, 5 endings; budget of 5 trials spent; exhaustive up to 0"
    )


def test_a_strategy_that_planned_less_than_everything_is_finished() -> None:
    """Nothing left to propose is not the same as nothing left."""
    exploration = explore(running(family(4, 4)), Default(), 5)
    assert 1 == len(list(exploration))
    assert Stop.FINISHED is exploration.stop
    assert "default is finished" in exploration.describe()


def test_a_program_without_choices_is_exhausted_by_the_default_trial() -> None:
    """One schedule is all there is."""

    def alone(_: Kernel) -> Task:
        yield from yields(3)

    exploration = explore(running(alone), Default(), 5)
    assert 1 == len(list(exploration))
    assert Stop.EXHAUSTED is exploration.stop
    assert "default schedule (0 choice points)" in exploration.describe()


def test_a_caller_may_stop_early() -> None:
    """The counts so far stay readable, and nobody claims an end."""
    exploration = explore(running(family(4, 4)), Bounded(2), 100)
    next(exploration)
    assert (1, None) == (exploration.trials, exploration.stop)
    assert "stopped by the caller" in exploration.describe()


def test_a_budget_of_nothing_runs_nothing() -> None:
    """Not even the default trial."""
    exploration = explore(running(family(4, 4)), Default(), 0)
    assert [] == list(exploration)
    assert Stop.BUDGET is exploration.stop
    assert "default schedule: not run" in exploration.describe()


def test_replay_runs_its_schedule_once_and_says_whether_it_was_followed() -> None:
    """A schedule of another program is not followed silently."""
    tree = ((), ((), ()))
    good = Replay(((0, 1), (1, 1)))
    assert ["1.1"] == [found.trace_hash for found in explore(climbing(tree), good, 9)]
    assert "replay: schedule of 2 deviations followed" == good.describe()
    assert (False, None) == (good.exhausted(), good.exhausted_to())

    bad = Replay(((0, 2),))
    assert ["0"] == [found.trace_hash for found in explore(climbing(tree), bad, 9)]
    assert "replay: schedule of 1 deviation not followed" == bad.describe()


def test_replay_of_the_empty_schedule_is_the_default_trial() -> None:
    """Bound 0 is then complete."""
    replay = Replay(EMPTY)
    assert "replay: not run" == replay.describe()
    list(explore(climbing(((), ())), replay, 9))
    assert 0 == replay.exhausted_to()

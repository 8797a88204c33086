"""The portfolio: cheap complete searches first, then samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.search import (
    Bounded,
    Default,
    Deviate,
    Portfolio,
    Stop,
    Sweep,
    Uniform,
    explore,
    portfolio,
)
from tests.tiny import climbing, family, running

if TYPE_CHECKING:
    from simharness.choices import Chooser, Schedule
    from simharness.search.plan import Known
    from simharness.verdict import Verdict

WIDE = family(6, 6)
"""Many more schedules than any budget here."""


def schedules(search: Portfolio, budget: int) -> list[Schedule]:
    """The schedules that ran, in order."""
    ran = []
    run = running(WIDE)

    def run_once(chooser: Chooser) -> Verdict:
        verdict = run(chooser)
        ran.append(verdict.schedule)
        return verdict

    list(explore(run_once, search, budget))
    return ran


class TestPortfolio:
    def test_the_complete_stages_never_run_a_schedule_twice(self) -> None:
        """Default, sweep and both bounds share what they ran."""
        known: Known = {}
        search = Portfolio((Default(known), Sweep(known), Bounded(2, known)))
        ran = schedules(search, 10_000)
        assert len(set(ran)) == len(ran)
        assert 2 == search.exhausted_to() == len(max(ran, key=len))

    def test_the_default_one_samples_and_enumerates_in_turn(self) -> None:
        """A bound is completed although samplers run beside it, and its end is not theirs."""
        exploration = explore(running(WIDE), portfolio(bound=1), 200)
        list(exploration)
        assert (200, Stop.BUDGET) == (exploration.trials, exploration.stop)
        assert "exhaustive up to 1 (8 schedules)" in exploration.describe()
        assert "selective: " in exploration.describe()
        assert "pct 3: " in exploration.describe()

    def test_it_stops_as_soon_as_the_tree_is_exhausted(self) -> None:
        """Samplers ran too, but none runs when nothing is left."""
        exploration = explore(climbing(((), (), ())), portfolio(), 1000)
        assert 3 == len(list(exploration))
        assert Stop.EXHAUSTED is exploration.stop
        assert exploration.trials < 30
        assert "exhausted: all 3 schedules" in exploration.describe()

    def test_the_opening_comes_once_before_the_turns(self) -> None:
        """One trial for each place in it, also for a strategy that has several."""
        one, two = Deviate(seed=1), Uniform(seed=1)
        search = Portfolio((Default(),), (two,), opening=(one, two, one))
        schedules(search, 11)
        assert ("deviate 10 %: 2 drawn (seed 1)", "random: 8 drawn (seed 1)") == (
            one.describe(),
            two.describe(),
        )

    def test_one_of_the_turns_may_exhaust_the_tree(self) -> None:
        """What enumerates need not be a stage."""
        exploration = explore(climbing(((), ())), Portfolio((), (Uniform(), Bounded())), 100)
        list(exploration)
        assert (Stop.EXHAUSTED, 1) == (exploration.stop, exploration.strategy.exhausted_to())

    def test_samplers_take_turns(self) -> None:
        """Two samplers share what is left of the budget alike."""
        one, two = Deviate(seed=1), Uniform(seed=1)
        schedules(Portfolio((Default(),), (one, two)), 21)
        assert ("deviate 10 %: 10 drawn (seed 1)", "random: 10 drawn (seed 1)") == (
            one.describe(),
            two.describe(),
        )

    def test_without_samplers_it_is_finished_with_its_stages(self) -> None:
        """Nothing more to propose."""
        exploration = explore(running(WIDE), Portfolio((Bounded(0),)), 10)
        assert 1 == len(list(exploration))
        assert Stop.FINISHED is exploration.stop

    def test_a_sampler_that_is_finished_is_passed_over(self) -> None:
        """The others go on."""
        other = Uniform()
        search = Portfolio((), (Default(), other))
        assert "portfolio: not run" == search.describe()
        assert 5 == len(schedules(search, 5))
        assert "random: 4 drawn (seed 0)" == other.describe()

    def test_only_what_had_its_turn_is_described(self) -> None:
        """A stage that the budget never reached says nothing."""
        exploration = explore(running(WIDE), portfolio(), 1)
        list(exploration)
        assert exploration.describe().endswith("sweep: no action to place")

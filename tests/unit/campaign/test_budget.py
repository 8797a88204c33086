"""What a command and a scenario say together about how far to search."""

from __future__ import annotations

import attrs
import pytest

from simharness.campaign.budget import Plan, budget_of, strategy_of
from simharness.scenario.model import Case, Explore


def exploring(**words: object) -> Case:
    """A case whose `explore:` says `words`."""
    return Case("c", "c", explore=Explore(**words))  # type: ignore[arg-type]


def test_budgets_have_names_and_numbers() -> None:
    """quick, default and deep are 4, 100 and 5,000 trials; a number is itself."""
    assert [4, 100, 5000, 7] == [budget_of(word) for word in ("quick", "default", "deep", "7")]


@pytest.mark.parametrize("word", ["", "0", "-1", "lots", "1.5"])
def test_any_other_budget_is_refused_with_what_exists(word: str) -> None:
    """The message lists the names."""
    with pytest.raises(ValueError, match="quick, default, deep"):
        budget_of(word)


def test_a_scenario_that_needs_more_trials_gets_them() -> None:
    """`explore: {budget:}` goes before the command's budget, but never beyond the total."""
    assert 500 == Plan(budget=100).trials_of(exploring(budget=500))
    assert 60 == Plan(budget=100, total=60).trials_of(exploring(budget=500))
    assert 40 == Plan(budget=100).trials_of(exploring(budget=40))


def test_less_than_the_default_is_for_every_scenario_that_is_not_in_vain_then() -> None:
    """What must be seen to break, or to have an occasion, may need its trials."""
    long = exploring(budget=500)
    assert 20 == Plan(budget=20).trials_of(long)
    assert 500 == Plan(budget=20).trials_of(attrs.evolve(long, violates="tool-pairing"))
    assert 500 == Plan(budget=20).trials_of(attrs.evolve(long, needs=("tool-pairing",)))


def test_the_command_goes_before_the_scenario_in_strategy_and_mode() -> None:
    """What is typed is meant; without it the scenario decides."""
    case = exploring(strategy="sweep", bound=3)

    assert "sweep" == strategy_of(Plan(), case).name
    assert "bounded 3" == strategy_of(Plan(strategy="bounded"), case).name
    assert "bounded 0" == strategy_of(Plan(strategy="bounded", bound=0), case).name
    assert "relaxed" == Plan(mode="relaxed").mode_of(Case("c", "c", mode="strict"))
    assert "strict" == Plan().mode_of(Case("c", "c"))


def test_an_unknown_strategy_of_a_scenario_is_refused() -> None:
    """The message lists the strategies."""
    with pytest.raises(ValueError, match="there are default, sweep"):
        strategy_of(Plan(), exploring(strategy="luck"))

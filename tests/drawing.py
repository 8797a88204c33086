"""Cases and choosers that are drawn: the same for the same number, in each process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, given, seed, settings

from simharness.search import Deviate, Uniform
from simharness.search.sampler import Drawn

if TYPE_CHECKING:
    from hypothesis import strategies as st

    from simharness.choices import Chooser
    from simharness.scenario.model import Case

__all__ = ["first_cases", "random_chooser"]


def first_cases(strategy: st.SearchStrategy[Case], number: int, count: int) -> list[Case]:
    """The first cases that Hypothesis draws from a strategy with a seed."""
    found: list[Case] = []

    @seed(number)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
        database=None,
        deadline=None,
    )
    @given(strategy)
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found[:count]


def random_chooser(number: int) -> Chooser:
    """One that deviates now and then, or one that takes any option alike."""
    strategy = Uniform(seed=number) if number % 2 else Deviate(seed=number)
    return Drawn(strategy, 0).chooser()

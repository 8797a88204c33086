"""Random cases are worth something: they find most seeded faults of the reference loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, given, settings

from simharness.agents.mutants import MUTANTS
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.search import Deviate
from simharness.search.sampler import Drawn
from simharness.strategies import cases
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.agents.mutants import Mutant
    from simharness.scenario.model import Case

CASES = 60
FOUND_SHARE = 0.25
"""Of the mutants that they can show, found within `CASES` cases; measured: 42 of 139. Many need a
store, a stop or a fault, which few cases have."""


def drawn() -> list[Case]:
    """Some cases, the same in each session."""
    found: list[Case] = []

    @settings(max_examples=CASES, phases=[Phase.generate], suppress_health_check=[*HealthCheck])
    @given(cases())
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found


def expressible(mutant: Mutant) -> bool:
    """Whether drawn cases can show it: they have no profile and expect nothing."""
    return mutant.profile is None and not mutant.rule.startswith("expect.")


def finds(some: list[Case], mutant: Mutant) -> bool:
    """Whether one of the cases breaks the rule that the mutant must break."""
    for number, case in enumerate(some):
        bench = Bench(case, mutant.factory)
        for chooser in (ScheduleChooser(), Drawn(Deviate(seed=number), 0).chooser()):
            if mutant.rule in bench.trial(chooser).broken():
                return True
    return False


def test_few_random_cases_find_many_seeded_faults() -> None:
    """Each case once on the default schedule and once near it."""
    some = drawn()
    sought = [mutant for mutant in MUTANTS if expressible(mutant)]
    with batch():
        found = [mutant.id for mutant in sought if finds(some, mutant)]
    assert len(found) >= FOUND_SHARE * len(sought), f"only {len(found)} of {len(sought)}: {found}"

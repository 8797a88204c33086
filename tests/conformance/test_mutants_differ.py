"""Mutants are worth one each: many are noticed by a rule and a case that no other has."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import attrs
import pytest

from simharness.agent import NotApplicable
from simharness.agents.mutants import MUTANTS, Mutant
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.scenario.model import Case, Scenario
    from tests.conformance.playing import Played

DISTINCT_MIN = 60
"""Pairs of a rule and the cheapest case in which a mutant breaks it."""

CASES_MOST = 1
"""Cases of one scenario that are tried; the others differ little from it and cost as much."""


@attrs.define
class Kills:
    """What a mutant breaks on the default schedule, case by case, as far as was asked for."""

    mutant: Mutant
    cases: Sequence[Case]
    broken: list[frozenset[str]] = attrs.field(factory=list)

    def at(self, number: int) -> frozenset[str]:
        """The rules it breaks in a case; a case that it cannot play breaks none."""
        while len(self.broken) <= number:
            bench = Bench(self.cases[len(self.broken)], self.mutant.factory)
            try:
                self.broken.append(bench.trial(ScheduleChooser()).broken())
            except NotApplicable:
                self.broken.append(frozenset())
        return self.broken[number]

    @property
    def cheapest(self) -> int | None:
        """The number of the first case in which it breaks its own rule."""
        numbers = range(len(self.cases))
        return next((n for n in numbers if self.mutant.rule in self.at(n)), None)


def cheap(suite: tuple[Played, ...], scenarios: tuple[Scenario, ...]) -> list[Case]:
    """The cheapest case of each scenario: the one with the fewest records on the reference loop.

    What that loop cannot play is first: most mutants cannot either, which costs nothing.
    """
    costs = {played.case.id: len(played.verdict.trace or ()) for played in suite}
    cases = []
    for scenario in scenarios:
        plain = [case for case in scenario.cases if case.mutant is None]
        cases += sorted(plain, key=lambda case: costs.get(case.id, 0))[:CASES_MOST]
    return sorted(cases, key=lambda case: (costs.get(case.id, 0), case.id))


@pytest.fixture(scope="module")
def kills(suite: tuple[Played, ...], scenarios: tuple[Scenario, ...]) -> list[Kills]:
    """Every mutant that the default schedules kill."""
    cases = cheap(suite, scenarios)
    with batch():
        found = [Kills(mutant, cases) for mutant in MUTANTS]
        return [one for one in found if one.cheapest is not None]


def test_many_mutants_are_noticed_by_a_rule_and_a_case_of_their_own(kills: list[Kills]) -> None:
    """Each such pair proves something that no other proves."""
    pairs = Counter((one.mutant.rule, one.cheapest) for one in kills)
    assert DISTINCT_MIN <= len(pairs), pairs.most_common(9)

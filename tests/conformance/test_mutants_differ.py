"""Mutants are worth one each: each is noticed by a rule, in a case, in a way that no other is."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
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

pytestmark = pytest.mark.timeout(1200)  # all mutants are run in one fixture

DISTINCT_MIN = 60
"""Pairs of a rule and the cheapest case in which a mutant breaks it."""


@attrs.frozen
class Cheap:
    """The cheapest case of a scenario, and the rules that the sound loop gives occasion to there.

    `occasions` None: the sound loop cannot play it.
    """

    case: Case
    cost: int
    occasions: frozenset[str] | None


@attrs.define
class Kills:
    """What a mutant breaks on the default schedule, case by case, as far as was asked for."""

    mutant: Mutant
    cases: Sequence[Cheap]
    broken: dict[int, frozenset[str]] = attrs.field(factory=dict)

    def at(self, number: int) -> frozenset[str]:
        """The rules it breaks in a case; a case that it cannot play breaks none."""
        if number not in self.broken:
            bench = Bench(self.cases[number].case, self.mutant.factory)
            try:
                self.broken[number] = bench.trial(ScheduleChooser()).broken()
            except NotApplicable:
                self.broken[number] = frozenset()
        return self.broken[number]

    @property
    def cheapest(self) -> int | None:
        """The first case in which it breaks its own rule, of those that are about that rule."""
        rule = self.mutant.rule
        about = (
            number
            for number, one in enumerate(self.cases)
            if one.occasions is None or rule in one.occasions
        )
        return next((number for number in about if rule in self.at(number)), None)

    def like(self, other: Kills) -> bool:
        """Whether both break the same rules in every case."""
        return all(self.at(number) == other.at(number) for number in range(len(self.cases)))


def cheap(suite: tuple[Played, ...], scenarios: tuple[Scenario, ...]) -> list[Cheap]:
    """Of each scenario the case with the fewest records on the sound loop, the cheapest first.

    The other cases differ little from it and cost as much. What that loop cannot play comes
    first: most mutants cannot either, which costs nothing.
    """
    verdicts = {played.case.id: played.verdict for played in suite}

    def weighed(case: Case) -> Cheap:
        verdict = verdicts.get(case.id)
        if verdict is None:
            return Cheap(case, 0, None)
        return Cheap(case, len(verdict.trace or ()), verdict.occasions)

    cases = []
    for scenario in scenarios:
        plain = [weighed(case) for case in scenario.cases if case.mutant is None]
        cases += sorted(plain, key=lambda one: one.cost)[:1]
    return sorted(cases, key=lambda one: (one.cost, one.case.id))


def killed(suite: tuple[Played, ...], scenarios: tuple[Scenario, ...]) -> list[tuple[Kills, int]]:
    """Every mutant that the default schedules kill, with the number of its cheapest case."""
    cases = cheap(suite, scenarios)
    found = [(one, one.cheapest) for one in (Kills(mutant, cases) for mutant in MUTANTS)]
    return [(one, number) for one, number in found if number is not None]


def test_mutants_are_noticed_by_a_rule_and_a_case_of_their_own(
    suite: tuple[Played, ...], scenarios: tuple[Scenario, ...]
) -> None:
    """Many by such a pair alone; those that share one differ in what else they break."""
    with batch():
        kills = killed(suite, scenarios)
        pairs = Counter((one.mutant.rule, number) for one, number in kills)
        assert DISTINCT_MIN <= len(pairs), pairs.most_common(9)
        groups = defaultdict(list)
        for one, number in kills:
            groups[one.mutant.rule, number].append(one)
        alike = [
            (one.mutant.id, other.mutant.id)
            for group in groups.values()
            for one, other in combinations(group, 2)
            if one.like(other)
        ]
    assert [] == alike

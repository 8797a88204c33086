"""Proves the rules: each mutant, an agent with one seeded fault, must break its rule.

The unmutated loop shows that rules are not too strict. A mutant that survives shows that they, or
the scenarios, are too weak.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agent import NotApplicable
from simharness.campaign.budget import Plan, strategy_of
from simharness.campaign.codes import Codes
from simharness.campaign.results import Example, Finding
from simharness.check import Bench
from simharness.search import explore
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simharness.agents.mutants import Mutant
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["Kill", "prove"]


@attrs.frozen(eq=False)
class Kill:
    """What became of one mutant. `finding` is None if it survives; `broken` are all rules it broke
    until then."""

    mutant: Mutant
    broken: tuple[str, ...]
    finding: Finding | None = None
    trials: int = 0

    @property
    def survives(self) -> bool:
        """Whether no trial broke the rule that the mutant is made for."""
        return self.finding is None


def prove(mutant: Mutant, cases: Sequence[Case], plan: Plan, *, given: frozenset[str]) -> Kill:
    """Run `cases` against `mutant` until it breaks its rule.

    First every case on the default schedule, because most mutants die there; then each case as far
    as `plan` goes.
    """
    broken: dict[str, None] = {}
    trials = 0
    with batch():
        for depth in (attrs.evolve(plan, strategy="default"), plan):
            for case in cases:
                bench = Bench(case, mutant.factory, depth.mode_of(case))
                for verdict in _verdicts(bench, case, depth):
                    trials += 1
                    broken.update(dict.fromkeys(sorted(verdict.broken())))
                    if mutant.rule in verdict.broken():
                        finding = _finding(mutant, bench, verdict, given)
                        return Kill(mutant, tuple(broken), finding, trials)
    return Kill(mutant, tuple(broken), None, trials)


def _verdicts(bench: Bench, case: Case, plan: Plan) -> Iterable[Verdict]:
    try:
        yield from explore(bench.trial, strategy_of(plan, case), plan.trials_of(case))
    except NotApplicable:
        return


def _finding(mutant: Mutant, bench: Bench, verdict: Verdict, given: frozenset[str]) -> Finding:
    violation = next(v for v in verdict.violations if v.rule == mutant.rule)
    example = Example(bench.case, verdict, violation)
    finding = Finding(violation.rule, violation.message, 1, example)
    return Codes(f"mutant:{mutant.id}", bench.mode, 0, given).write(finding, bench.agent)

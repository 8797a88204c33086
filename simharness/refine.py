"""Makes the findings that people will read as small as they get, and explains them.

One finding per cause: its schedule is shrunk to the least that breaks the same rule in the same
way, and each deviation left is varied to see how exact the moment must be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from simharness.check import Bench
from simharness.codes import Codes
from simharness.results import CaseResult, Example, Finding, SuiteResult
from simharness.search import explain, shrink
from simharness.stopping import costly
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.agent import AgentFactory
    from simharness.budget import Plan
    from simharness.choices import Chooser
    from simharness.verdict import Verdict

__all__ = ["refine"]

_TRIALS: Final = 400  # per cause; a three-deviation fault took 69 to 169 replays to shrink
_CAUSES: Final = 40  # more blocks than that nobody reads


def refine(
    suite: SuiteResult,
    factory: AgentFactory,
    plan: Plan,
    *,
    agent: str = "",
    given: frozenset[str] = frozenset(),
) -> SuiteResult:
    """`suite` with the smallest example of each cause shrunk and explained in its place."""
    chosen = {id(cause.example) for cause in suite.causes()[:_CAUSES]}
    refiner = _Refiner(factory, plan, agent, given)
    results = []
    with batch():
        for result in suite.results:
            findings = tuple(
                refiner.refined(found, result) if id(found.example) in chosen else found
                for found in result.findings
            )
            results.append(attrs.evolve(result, findings=findings))
    return attrs.evolve(suite, results=tuple(results))


@attrs.frozen
class _Refiner:
    """Refines findings of one agent; the fields are those of `refine`."""

    factory: AgentFactory
    plan: Plan
    agent: str
    given: frozenset[str]

    def refined(self, finding: Finding, result: CaseResult) -> Finding:
        """`finding` with the least example there is, as far as the trials go."""
        example = finding.example
        if not finding.replayed or not example.schedule or costly(example.verdict):
            return finding  # nothing to rely on, nothing to make smaller, or too dear
        bench = Bench(result.case, self.factory, self.plan.mode_of(result.case))

        def run_once(chooser: Chooser) -> Verdict:
            """One trial, seen as if only this cause could break."""
            verdict = bench.trial(chooser)
            return attrs.evolve(
                verdict, violations=tuple(filter(finding.shows, verdict.violations))
            )

        small = shrink(run_once, finding.example.verdict, finding.rule, budget=_TRIALS)
        parts = explain(run_once, small.verdict, finding.rule)
        violation = next(filter(finding.shows, small.verdict.violations))
        refined = attrs.evolve(
            finding,
            example=Example(result.case, small.verdict, violation),
            shrunk=small.describe(),
            explanation=tuple(map(str, parts)),
        )
        codes = Codes(self.agent, bench.mode, self.plan.seed, self.given)
        return codes.write(refined, result.agent)

"""Makes the findings that people will read as small as they get, and explains them.

One finding per cause: its schedule is shrunk to the least that breaks the same rule in the same
way, and each deviation left is varied to see how exact the moment must be. One that was found in
relaxed mode is searched for in strict mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import attrs

from simharness.campaign.allowance import Allowance
from simharness.campaign.codes import Codes
from simharness.campaign.confirming import RELAXED_ONLY, confirmed
from simharness.campaign.results import CaseResult, Example, Finding, SuiteResult
from simharness.campaign.stopping import costly
from simharness.check import Bench
from simharness.search import explain, shrink
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.agent import AgentFactory
    from simharness.campaign.budget import Plan
    from simharness.choices import Chooser
    from simharness.search import RunOnce
    from simharness.verdict import Verdict

__all__ = ["Refiner", "Refines", "refine"]

_TRIALS: Final = 200  # per cause; a three-deviation fault took 69 to 169 replays to shrink
_SECONDS: Final = 20.0  # per cause, and half of it to explain: somebody waits for the report
_TOTAL: Final = 4000  # over all causes: a slow agent must not make the report wait for minutes


def refine(
    suite: SuiteResult,
    factory: AgentFactory,
    plan: Plan,
    *,
    agent: str = "",
    given: frozenset[str] = frozenset(),
    refiner: Refines | None = None,
) -> SuiteResult:
    """`suite` with the smallest example of each cause shrunk and explained in its place.

    `refiner` does it elsewhere.
    """
    found = {id(f.example): (f, result) for result in suite.results for f in result.findings}
    refiner = refiner or Refiner(factory, plan, agent, given)
    small: dict[int, Finding] = {}
    with batch():
        for cause in suite.causes():
            if refiner.trials >= _TOTAL:
                break
            small[id(cause.example)] = refiner.refined(*found[id(cause.example)])
    results = (
        attrs.evolve(result, findings=tuple(small.get(id(f.example), f) for f in result.findings))
        for result in suite.results
    )
    return attrs.evolve(suite, results=tuple(results))


class Refines(Protocol):
    """What `refine` needs: here, or in another process."""

    trials: int

    def refined(self, finding: Finding, result: CaseResult) -> Finding:
        """As `Refiner.refined`."""
        ...


@attrs.define
class Refiner:
    """Refines findings of one agent and counts the trials; the fields are those of `refine`."""

    factory: AgentFactory
    plan: Plan
    agent: str
    given: frozenset[str]
    trials: int = 0

    def refined(self, finding: Finding, result: CaseResult) -> Finding:
        """`finding` with the least example there is, as far as the trials go."""
        if not finding.replayed or costly(finding.example.verdict):
            return finding  # nothing to rely on, or too dear
        mode = self.plan.mode_of(result.case)
        small = self._shrunk(finding, result, mode) if finding.example.schedule else finding
        return self._confirmed(small, result) if mode == "relaxed" else small

    def _shrunk(self, finding: Finding, result: CaseResult, mode: str) -> Finding:
        """`finding` with the smallest schedule found, and what its deviations do."""
        allowance = Allowance(_TRIALS, _SECONDS)
        run_once = self._trials(finding, result, mode, allowance)
        small = shrink(
            run_once, finding.example.verdict, finding.rule, budget=_TRIALS, spent=allowance.spent
        )
        allowance = Allowance(_TRIALS, _SECONDS / 2)
        run_once = self._trials(finding, result, mode, allowance)
        parts = explain(run_once, small.verdict, finding.rule, spent=allowance.spent)
        refined = attrs.evolve(
            finding,
            example=_example(finding, result, small.verdict),
            shrunk=small.describe(),
            explanation=tuple(map(str, parts)),
        )
        return self._codes(finding, mode).write(refined, result.agent)

    def _confirmed(self, finding: Finding, result: CaseResult) -> Finding:
        """`finding` with what became of it in strict mode."""
        run_once = self._trials(finding, result, "strict", Allowance(_TRIALS, _SECONDS))
        strict = confirmed(run_once, finding.example.verdict, finding.rule)
        if strict is None:
            return attrs.evolve(finding, strict=RELAXED_ONLY)
        again = attrs.evolve(finding, example=_example(finding, result, strict))
        written = self._codes(finding, "strict").write(again, result.agent)
        return attrs.evolve(finding, strict=f"also in strict: {written.replay_words}")

    def _trials(
        self, finding: Finding, result: CaseResult, mode: str, allowance: Allowance
    ) -> RunOnce:
        """Make what runs the case again, as if only the cause of `finding` could break."""
        bench = Bench(result.case, self.factory, mode)

        def run_once(chooser: Chooser) -> Verdict:
            self.trials += 1
            allowance.used += 1
            verdict = bench.trial(chooser)
            return attrs.evolve(
                verdict, violations=tuple(filter(finding.shows, verdict.violations))
            )

        return run_once

    def _codes(self, finding: Finding, mode: str) -> Codes:
        return Codes(self.agent, mode, self.plan.seed, self.given, finding.drawn)


def _example(finding: Finding, result: CaseResult, verdict: Verdict) -> Example:
    return Example(result.case, verdict, next(filter(finding.shows, verdict.violations)))

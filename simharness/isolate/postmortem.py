"""Judges a trial that has ended its process by what it told until then.

It is run twice: once by the search, and once to be told. What happens both times is as sure as
everything else that is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from simharness.campaign.conclude import concluded
from simharness.campaign.results import CaseResult
from simharness.campaign.tally import Tally
from simharness.check import Bench, judge_run
from simharness.contract import UNSPECIFIED
from simharness.isolate.process import Death
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from simharness.agent import Agent, World
    from simharness.campaign.codes import Codes
    from simharness.campaign.results import Finding, Identity
    from simharness.isolate.telling import Testimony
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["Witnessed", "result", "witnessed"]


@attrs.frozen(eq=False)
class Witnessed:
    """A fatal trial as it was told. `agent` is None if not even that could be made.

    `again`: it ended both times in the same way. `expects` as in `check.Bench`.
    """

    agent: Identity | None
    verdict: Verdict
    death: Death
    again: bool
    expects: bool


def witnessed(
    case: Case, mode: str, testimony: Testimony, death: Death, answer: tuple[str, Any] | Death
) -> Witnessed:
    """Judge what was told, ended as its process; `answer` is how that went the second time."""
    bench = Bench(case, _nobody, mode)
    bench.agent = testimony.agent
    how = answer if isinstance(answer, Death) else death
    contract = UNSPECIFIED if bench.agent is None else bench.agent.contract
    verdict = judge_run(
        testimony.ended(how.limit, how.detail), case, contract, expects=bench.expects
    )
    again = isinstance(answer, Death) and (how.limit, how.detail) == (death.limit, death.detail)
    return Witnessed(bench.agent, verdict, how, again, bench.expects)


def result(case: Case, before: CaseResult | None, seen: Witnessed, codes: Codes) -> CaseResult:
    """The result of a case: that of the trials `before`, and the one that ended the process."""
    how = f"{seen.death.limit}: {seen.death.detail}"
    if seen.agent is None:
        reason = f"the agent ended the process while it was made ({how})"
        return CaseResult(case, CaseVerdict.ERROR, reason=reason)
    tally = Tally(case)
    tally.add(seen.verdict)
    found = [
        codes.write(attrs.evolve(finding, replayed=seen.again), seen.agent)
        for finding in tally.findings()
    ]
    alone = attrs.evolve(
        tally.result(seen.agent),
        trials=1,
        interleavings=1,
        endings=1,
        coverage=f"stopped at the first {seen.death.limit}",
    )
    whole = alone if before is None or before.verdict is CaseVerdict.ERROR else _both(before, alone)
    if before is not None:
        found = _added([*before.findings, *before.expected, *before.waived], found)
    return concluded(whole, found, pinned=case.violates if seen.expects else None)


def _both(before: CaseResult, last: CaseResult) -> CaseResult:
    return attrs.evolve(
        last,
        trials=before.trials + 1,
        interleavings=before.interleavings + 1,
        endings=before.endings + 1,
        exhausted_to=before.exhausted_to,
        not_exercised=tuple(key for key in before.not_exercised if key in last.not_exercised),
        notes=tuple(dict.fromkeys([*before.notes, *last.notes])),
        ended=(*before.ended, *last.ended),
        occasions=before.occasions | last.occasions,
        coverage=f"{before.coverage}; {last.coverage}",
    )


def _added(before: list[Finding], last: list[Finding]) -> list[Finding]:
    """Each cause once, with the smaller example."""
    causes = {(found.rule, found.message): found for found in before}
    for found in last:
        key = (found.rule, found.message)
        joined = causes[key].joined(found) if key in causes else found
        causes[key] = attrs.evolve(joined, cases=1)
    return list(causes.values())


def _nobody(_: World) -> Agent:
    raise AssertionError("this bench only judges")

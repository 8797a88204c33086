"""Runs the trial of a replay code again, and says what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.replay.code import Match, ReplayCode, compare, differences, source_hash
from simharness.verdict import ExitCode, Verdict
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.agent import AgentFactory
    from simharness.campaign.results import Identity
    from simharness.scenario.model import Case

__all__ = ["Rerun", "compared", "rerun"]


@attrs.frozen(eq=False)
class Rerun:
    """A code that was run again. `changed` says what around it is not as recorded."""

    code: ReplayCode
    case: Case
    agent: Identity
    verdict: Verdict
    match: Match
    changed: tuple[str, ...]

    @property
    def result(self) -> str:
        """`exact`, `drifted`, or `no longer fails`, whatever the trace did."""
        if not self.verdict.violations:
            return "no longer fails"
        return "exact" if self.match.exact else "drifted"

    @property
    def exit_code(self) -> ExitCode:
        """Broken if it fails exactly as recorded, not exercised if it failed another way."""
        if not self.verdict.violations:
            return ExitCode.HOLDS
        return ExitCode.BROKEN if self.match.exact else ExitCode.NOT_EXERCISED


def rerun(code: ReplayCode, case: Case, factory: AgentFactory) -> Rerun:
    """Run the trial of `code` again. Raises NotApplicable if the agent cannot do it any more."""
    bench = Bench(case, factory, code.mode)
    with batch():
        verdict = bench.trial(ScheduleChooser(code.schedule))
    assert bench.agent is not None, "a trial makes an agent"
    return compared(code, case, bench.agent, verdict)


def compared(code: ReplayCode, case: Case, agent: Identity, verdict: Verdict) -> Rerun:
    """Say what became of `code` now that its trial has been run again."""
    now = ReplayCode(
        case=case.id,
        source_hash=source_hash(case.source),
        agent=code.agent,
        agent_version=agent.version,
        mode=code.mode,
    )
    match = compare(code, verdict.course, verdict.trace_hash)
    return Rerun(code, case, agent, verdict, match, tuple(differences(code, now)))

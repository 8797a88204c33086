"""Runs the trial of a replay code again, and says what became of it.

A change of the agent moves every choice point behind it, and the recorded deviations then meet
another moment. So a trial that fails no more is looked for a few points before and behind: only if
it fails nowhere there is it called gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.replay.code import Match, ReplayCode, compare, differences, source_hash
from simharness.replay.moved import MovedChooser
from simharness.search.edits import SHIFTS
from simharness.verdict import ExitCode, Verdict
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.agent import AgentFactory
    from simharness.campaign.results import Identity
    from simharness.scenario.model import Case

__all__ = ["Rerun", "compared", "rerun"]


@attrs.frozen(eq=False)
class Rerun:
    """A code that was run again. `changed` says what around it is not as recorded.

    `verdict` is that of the recorded schedule or, `moved` by so many points, of one that still
    fails. `looked` counts the moved schedules that were tried.
    """

    code: ReplayCode
    case: Case
    agent: Identity
    verdict: Verdict
    match: Match
    changed: tuple[str, ...]
    moved: int = 0
    looked: int = 0

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
        done = compared(code, case, bench.agent, verdict)
        return done if verdict.violations or done.match.exact else _looked_for(done, bench)


def _looked_for(done: Rerun, bench: Bench) -> Rerun:
    """Move the deviations until it fails again; `done` with how often that was tried, if never."""
    looked = 0
    for moved in SHIFTS[1:] if done.code.deviations else ():
        looked += 1
        verdict = bench.trial(MovedChooser(done.code.deviations, moved))
        if verdict.violations:
            return attrs.evolve(done, verdict=verdict, moved=moved, looked=looked)
    return attrs.evolve(done, looked=looked)


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

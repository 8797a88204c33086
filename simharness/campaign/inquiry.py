"""One case to be searched, and how its result is written from what was counted.

Where and in which order the trials run is somebody else's business: `simharness.check` runs them
one after the other, `simharness.batches` in many processes.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import attrs

from simharness.agent import AgentUnavailable, NotApplicable
from simharness.campaign.budget import missed, strategy_of
from simharness.campaign.codes import Codes
from simharness.campaign.conclude import concluded
from simharness.campaign.results import CaseResult
from simharness.verdict import CaseVerdict, HarnessError

if TYPE_CHECKING:
    from simharness.campaign.budget import Plan
    from simharness.campaign.results import Identity
    from simharness.campaign.tally import Tally
    from simharness.scenario.model import Case
    from simharness.search import Strategy, Survey

__all__ = ["Inquiry", "trouble"]


@attrs.frozen
class Inquiry:
    """A case and how far to search it. `agent` and `given` as in `check.check_case`."""

    case: Case
    plan: Plan
    agent: str = ""
    given: frozenset[str] = frozenset()

    @property
    def mode(self) -> str:
        """Strict or relaxed."""
        return self.plan.mode_of(self.case)

    @property
    def budget(self) -> int:
        """The most trials."""
        return self.plan.trials_of(self.case)

    def strategy(self) -> Strategy:
        """A new strategy, which has proposed nothing yet."""
        return strategy_of(self.plan, self.case)

    def result(
        self, tally: Tally, survey: Survey, agent: Identity | None, *, expects: bool, stopped: str
    ) -> CaseResult:
        """What was found. `expects` as in `check.Bench`, `stopped` says why it ended early."""
        seen = tally.result(agent)
        result = attrs.evolve(
            seen,
            not_exercised=(*seen.not_exercised, *missed(self.case, survey.strategy)),
            trials=survey.trials,
            interleavings=survey.interleavings,
            endings=survey.endings,
            exhausted_to=survey.strategy.exhausted_to(),
            coverage="; ".join(filter(None, (survey.describe(), stopped))),
            sample=seen.sample if self.plan.samples else None,
        )
        drawn = self.plan.drawn(self.case)
        codes = Codes(self.agent, self.mode, self.plan.seed, self.given, drawn)
        findings = [codes.write(found, agent) for found in tally.findings()]
        return concluded(result, findings, pinned=self.case.violates if expects else None)


def trouble(error: BaseException) -> tuple[CaseVerdict, str]:
    """The verdict of a case that `error` ended, and the reason in words.

    One broken adapter must not end a suite, so whatever it raises is shown with its case.
    """
    if isinstance(error, NotApplicable):
        return CaseVerdict.NOT_APPLICABLE, str(error)
    if isinstance(error, HarnessError | AgentUnavailable):
        return CaseVerdict.ERROR, str(error)
    return CaseVerdict.ERROR, "".join(traceback.format_exception(error))

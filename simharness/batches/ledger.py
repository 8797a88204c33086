"""The ledger of one case: which batches it is cut into, and what came of those so far.

Results may come in any order and are counted in the order of the batches. The strategy hears of
them only when it can propose nothing more without: so what it proposes, and how that is cut, is the
same however fast the workers are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.batches.batch import SIZE, Batch
from simharness.campaign.results import CaseResult
from simharness.campaign.stopping import Stopping
from simharness.campaign.tally import Tally
from simharness.campaign.vetting import mistake
from simharness.search import Survey
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from simharness.batches.batch import Done
    from simharness.campaign.inquiry import Inquiry
    from simharness.campaign.results import Identity
    from simharness.search.strategy import Answer, Proposal

__all__ = ["Gain", "Ledger"]


@attrs.frozen
class Gain:
    """What counting a result added: trials, interleavings, and causes that fail the case."""

    trials: int = 0
    interleavings: int = 0
    failures: int = 0

    def __add__(self, other: Gain) -> Gain:
        return Gain(
            self.trials + other.trials,
            self.interleavings + other.interleavings,
            self.failures + other.failures,
        )


class Ledger:
    """One case of a campaign. `number` tells it from the others."""

    def __init__(self, number: int, inquiry: Inquiry) -> None:
        self.number = number
        self.inquiry = inquiry
        self.result: CaseResult | None = None
        self.trials = 0  # that are counted
        self.died = False  # whether it ended because its workers do
        self._survey = Survey(inquiry.strategy(), inquiry.budget)
        self._tally = Tally(inquiry.case)
        self._stopping = Stopping()
        self._agent: Identity | None = None
        self._expects = False
        self._cut = 0  # batches so far
        self._counted = 0  # those of them that are counted
        self._early: dict[int, Done] = {}  # results that came before their turn
        self._answers: list[tuple[str, str, Answer]] = []  # that the strategy has not heard yet
        wrong = mistake(inquiry.case)
        if wrong:
            self.end(CaseVerdict.ERROR, wrong)

    def cut(self) -> Batch | None:
        """The next batch; None if there is none before results are in, or at the end."""
        if self.result is not None:
            return None
        proposals = self._proposed()
        if not proposals and self._counted == self._cut:
            self._hear()
            proposals = self._proposed()
            if not proposals:
                self._conclude()
        if not proposals:
            return None
        self._cut += 1
        return Batch(self.inquiry.case, self.inquiry.mode, self._cut - 1, tuple(proposals))

    def take(self, number: int, done: Done) -> Gain:
        """Take in what came of a batch; what of it and of others can be counted now."""
        self._early[number] = done
        gain = Gain()
        while self.result is None and (done_now := self._early.pop(self._counted, None)):
            self._counted += 1
            gain += self._count(done_now)
        return gain

    def end(self, verdict: CaseVerdict, reason: str) -> None:
        """The case ends without having been searched; `reason` says why."""
        self.result = CaseResult(self.inquiry.case, verdict, self._agent, reason=reason)

    def _count(self, done: Done) -> Gain:
        self._agent = self._agent or done.agent
        self._expects = done.expects
        if done.trouble is not None:
            self.died = done.died
            self.end(*done.trouble)
            return Gain(len(done.trials))
        self._answers += done.trials
        self.trials += len(done.trials)
        before = self._tally.interleavings, self._tally.failures
        self._tally.join(done.tally)
        if self._stopping.join(done.stopping):
            self._hear()
            self._conclude()
        return Gain(
            len(done.trials),
            self._tally.interleavings - before[0],
            self._tally.failures - before[1],
        )

    def _proposed(self) -> list[Proposal]:
        """As much of a batch as the strategy proposes now."""
        proposals: list[Proposal] = []
        while len(proposals) < SIZE and (proposal := self._survey.propose()) is not None:
            proposals.append(proposal)
        return proposals

    def _hear(self) -> None:
        """Let the strategy hear of all trials that are counted."""
        for trace_hash, ending, answer in self._answers:
            self._survey.count(answer, trace_hash, ending)
        self._answers.clear()

    def _conclude(self) -> None:
        self.result = self.inquiry.result(
            self._tally,
            self._survey,
            self._agent,
            expects=self._expects,
            stopped=self._stopping.reason,
        )

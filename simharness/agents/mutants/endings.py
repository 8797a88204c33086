"""Faults in how things end, each in one row of the table of endings: an attempt, a tool, a run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import attrs

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.queues import Queues
from simharness.agents.reference.turns import End
from simharness.trace import AgentEnd, Message, Outcome, Reasoning

if TYPE_CHECKING:
    from simharness.agent import ProviderError
    from simharness.agents.reference.stream import Attempt

__all__ = ["MUTANTS"]


class BackoffIsWaitedOut(Answering):
    """A cancel during a backoff is looked at when the wait is over."""

    async def back_off(self, error: ProviderError, tried: int) -> None:
        await super().back_off(error, tried)
        await asyncio.sleep(5 if self._cancellation.called else 0)


class ReasoningOfACutAnswerIsLost(Answering):
    """Of a cut answer only the text is kept, although the user saw the model think."""

    def cut_message(self, attempt: Attempt) -> Message:
        message = super().cut_message(attempt)
        text = (block for block in message.blocks if not isinstance(block, Reasoning))
        return attrs.evolve(message, blocks=tuple(text))


class FailedRunsFinish(ReferenceAgent):
    """A failed run is reported as failed, and then as finished like any other."""

    def close_run(self, run: Run, end: End) -> End:
        end = super().close_run(run, end)
        if end.outcome is Outcome.FAILED:
            self.journal.report(AgentEnd(Outcome.COMPLETED))
        return end


class FailuresLoseTheQueue(ReferenceAgent):
    """A failure forgets what is queued and tells nobody."""

    def settle_queue(self, run: Run, end: End) -> None:
        if end.outcome is Outcome.FAILED:
            self.queues.drop()
        super().settle_queue(run, end)


class SteeringIsHeardTwice(Queues):
    """A steering message is taken at the next boundary, and once more at the end of the run."""

    def steer(self, text: str) -> None:
        super().steer(text)
        self.follow_up(text)


class CutUsageCountsTwice(Journal):
    """The usage of a cut answer is counted with its message and with its log row."""

    def keep(self, attempt: Attempt, message: Message) -> None:
        super().keep(attempt, message)
        if message.interrupted and attempt.assembler.usage is not None:
            self.used.append(attempt.assembler.usage)


MUTANTS = (
    mutant("backoff-is-waited-out", "cancel-effective", BackoffIsWaitedOut),
    mutant("reasoning-of-a-cut-is-lost", "delivered-prefix-kept", ReasoningOfACutAnswerIsLost),
    mutant("failed-runs-finish", "one-terminal", FailedRunsFinish),
    mutant("failures-lose-the-queue", "steer-conserved", FailuresLoseTheQueue),
    mutant("steering-is-heard-twice", "steer-conserved", SteeringIsHeardTwice),
    mutant("cut-usage-counts-twice", "usage-once", CutUsageCountsTwice),
)

"""Faults in what only some agents promise: causes, bounds, truthful results, queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agent import ProviderError
from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.cancelling import Cancellation
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.stream import Attempt, Ending
from simharness.agents.reference.tools import NOT_RUN_CANCELLED, ToolRunner
from simharness.agents.reference.turns import End, Turns
from simharness.trace import Message, Outcome, tool_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agent import ModelStream
    from simharness.trace import Call

__all__ = ["MUTANTS"]


class EmptyCutMessagesAreKept(Answering):
    """A message that a cancel cut is kept even if there is nothing in it."""

    def worth_keeping(self, message: Message) -> bool:
        return message.interrupted or super().worth_keeping(message)


class FinishedToolsAreDisowned(ToolRunner):
    """After a cancel every result of a batch says that its tool did not run."""

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        results = await super().run_group(calls, why_not=why_not)
        if not self._cancellation.called:
            return results
        return [tool_result(call.id, NOT_RUN_CANCELLED, is_error=True) for call in calls]


class ReasonsAreForgotten(Cancellation):
    """Every cancel is put down to the user."""

    @property
    def reason(self) -> str:
        return "user"


class ToldStreamsAreReadOn(Attempt):
    """A stream that was told of a cancel is given up only half a minute later."""

    async def read(self, stream: ModelStream) -> Ending:
        error: ProviderError | None = None
        try:
            async with self._cancellation.bounded(30):
                await self._read(stream)
        except ProviderError as raised:
            error = raised
        return self.ending(error)


class CancelsLoseTheQueue(ReferenceAgent):
    """A cancel forgets what is queued and tells nobody."""

    def settle_queue(self, run: Run, end: End) -> None:
        if end.outcome is Outcome.CANCELLED:
            self.queues.drop()
        super().settle_queue(run, end)


class SteeringWaitsForTheBatch(ToolRunner):
    """What the user says is not looked at before all calls of a response have run."""

    def steered(self) -> bool:
        return False


class _HearsNothingMore(Turns):
    """Ends with the first answer that has nothing to be done."""

    def goes_on(self, end: End | None) -> bool:
        return end is None


class FollowUpsWaitForAPrompt(ReferenceAgent):
    """The queue is not looked at when the model has nothing else to do."""

    turns_type = _HearsNothingMore

    def queue_runs(self, run: Run, end: End) -> bool:
        return end.outcome is not Outcome.COMPLETED and super().queue_runs(run, end)


MUTANTS = (
    mutant("empty-cut-messages-are-kept", "no-empty-message", EmptyCutMessagesAreKept),
    mutant("finished-tools-are-disowned", "result-truthful", FinishedToolsAreDisowned),
    mutant("reasons-are-forgotten", "cancel-attribution", ReasonsAreForgotten),
    mutant("told-streams-are-read-on", "cancel-effective", ToldStreamsAreReadOn),
    mutant("cancels-lose-the-queue", "steer-conserved", CancelsLoseTheQueue),
    mutant("steering-waits-for-the-batch", "steer-latency", SteeringWaitsForTheBatch),
    mutant("follow-ups-wait-for-a-prompt", "queue-progress", FollowUpsWaitForAPrompt),
)

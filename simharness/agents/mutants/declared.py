"""Faults against what the reference loop declares: its queues, causes, bounds and results."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.calling import HookCalls
from simharness.agents.reference.cancelling import Cancellation
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.queues import Queues
from simharness.agents.reference.tools import ToolAnswer, ToolRunner
from simharness.agents.reference.turns import End, Turns
from simharness.trace import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness.agents.reference.hooks import Hook
    from simharness.trace import Call, Message

__all__ = ["MUTANTS"]


class OnlyOneSteeringMessageIsHeard(Queues):
    """Of several steering messages the first is taken and the others are thrown away."""

    def take_steering(self) -> list[str]:
        return super().take_steering()[:1]


class DroppedMessagesAreNotNamed(ReferenceAgent):
    """A cancel drops what is queued without a word."""

    def settle_queue(self, run: Run, end: End) -> None:
        if end.outcome is Outcome.CANCELLED and run.queue == "drop":
            self.queues.drop()
        super().settle_queue(run, end)


class SteeringWaitsForTheTools(ToolRunner):
    """A steering message is heard when all calls of the response have run."""

    def steered(self) -> bool:
        return False


class FollowUpsAreForgotten(Turns):
    """A run ends with its answer although a follow-up waits."""

    def goes_on(self, end: End | None) -> bool:
        return end is None or (end.outcome is Outcome.COMPLETED and self.queues.steering)


class SecondPromptBargesIn(ReferenceAgent):
    """A prompt during a run starts a run of its own beside it."""

    async def admit(self) -> None:
        pass


class InterruptsOnlyWait(ReferenceAgent):
    """A prompt that is to interrupt a run waits for it like any other."""

    def meet_second_prompt(self) -> None:
        if self.settings.second_prompt == "reject":
            super().meet_second_prompt()


class FailedToolsLookFine(ToolRunner):
    """What a tool raises is stored like a result."""

    async def body(self, call: Call, args: Mapping[str, object]) -> ToolAnswer:
        answer = await super().body(call, args)
        return ToolAnswer("done") if answer.is_error else answer


class LateResultsAreOverwritten(ToolRunner):
    """A tool that ends after the cancel is answered as if it had not run."""

    async def body(self, call: Call, args: Mapping[str, object]) -> ToolAnswer:
        answer = await super().body(call, args)
        return self.stopped() or answer


class ReasonsAreLost(Cancellation):
    """Every cancel is put down to the user."""

    @property
    def reason(self) -> str:
        return "user"


class LastReasonCounts(Cancellation):
    """A second cancel replaces the reason of the first."""

    def set(self, reason: str = "user") -> None:
        super().set(reason)
        self._reason = reason


class HooksAreWaitedFor(HookCalls):
    """A cancel waits for a hook to return."""

    async def call(self, position: str, number: int, hook: Hook, *about: object) -> object:
        self._world.hook(position, number)
        answer = hook(*about)
        return await answer if inspect.isawaitable(answer) else answer


class EmptyCutsAreKept(Answering):
    """A cancel before any output leaves an empty message."""

    def worth_keeping(self, message: Message) -> bool:
        return message.interrupted or super().worth_keeping(message)


MUTANTS = (
    mutant("only-one-message-is-heard", "steer-conserved", OnlyOneSteeringMessageIsHeard),
    mutant("dropped-messages-are-not-named", "steer-conserved", DroppedMessagesAreNotNamed),
    mutant("steering-waits-for-the-tools", "steer-latency", SteeringWaitsForTheTools),
    mutant("follow-ups-are-forgotten", "queue-progress", FollowUpsAreForgotten),
    mutant("second-prompt-barges-in", "single-flight", SecondPromptBargesIn),
    mutant("interrupts-only-wait", "single-flight", InterruptsOnlyWait),
    mutant("failed-tools-look-fine", "result-truthful", FailedToolsLookFine),
    mutant("late-results-are-overwritten", "result-truthful", LateResultsAreOverwritten),
    mutant("reasons-are-lost", "cancel-attribution", ReasonsAreLost),
    mutant("last-reason-counts", "cancel-attribution", LastReasonCounts),
    mutant("hooks-are-waited-for", "cancel-effective", HooksAreWaitedFor),
    mutant("empty-cuts-are-kept", "no-empty-message", EmptyCutsAreKept),
)

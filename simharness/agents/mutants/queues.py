"""Faults in what a user says during a run: what is queued, and prompts that come too early."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.queues import Queues
from simharness.agents.reference.tools import SKIPPED, ToolRunner
from simharness.agents.reference.turns import End
from simharness.trace import Message, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class SecondPromptBargesIn(ReferenceAgent):
    """A prompt during a run starts a run of its own beside it."""

    async def admit(self) -> None:
        pass


class InterruptsOnlyWait(ReferenceAgent):
    """A prompt that is to interrupt a run waits for it like any other."""

    def meet_second_prompt(self) -> None:
        if self.settings.second_prompt == "reject":
            super().meet_second_prompt()


class SkippedCallsStayUnanswered(ToolRunner):
    """The calls that a steering message skips get no result."""

    def record(self, results: Sequence[Message]) -> None:
        super().record([one for one in results if one.text != SKIPPED])


class InterruptedRunIsNotAwaited(ReferenceAgent):
    """A prompt that interrupts a run does not wait for it to end."""

    async def admit(self) -> None:
        if self.admission.taken:
            self.meet_second_prompt()
        else:
            await super().admit()


class RolledBackRunStays(ReferenceAgent):
    """A run whose place a later prompt takes stays in the history in part."""

    def roll_back(self, run: Run) -> None:
        del self.journal.history[run.kept_before + 1 : -1]


class WaitingPromptIsForgotten(ReferenceAgent):
    """The run that was waited for ends without letting the next one in."""

    def release(self, run: Run, end: End) -> None:
        if not self.queue_runs(run, end):
            self._run = None
            if not self.admission.waited_for:
                self.admission.leave()


MUTANTS = (
    mutant("only-one-message-is-heard", "steer-conserved", OnlyOneSteeringMessageIsHeard),
    mutant("dropped-messages-are-not-named", "steer-conserved", DroppedMessagesAreNotNamed),
    mutant("second-prompt-barges-in", "single-flight", SecondPromptBargesIn),
    mutant("interrupts-only-wait", "single-flight", InterruptsOnlyWait),
    mutant("skipped-calls-stay-unanswered", "tool-pairing", SkippedCallsStayUnanswered),
    mutant("interrupted-run-is-not-awaited", "request-wellformed", InterruptedRunIsNotAwaited),
    mutant("rolled-back-run-stays", "no-orphan-result", RolledBackRunStays),
    mutant("waiting-prompt-is-forgotten", "settles", WaitingPromptIsForgotten),
)

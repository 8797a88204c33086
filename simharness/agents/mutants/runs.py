"""Faults in beginning and ending: of messages, turns and runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.cancelling import Cancellation
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.turns import End, Turn, Turns
from simharness.trace import AgentEnd, LogRow, Message, MessageEnd, MessageStart, Outcome

if TYPE_CHECKING:
    from simharness.agent import CancelWay
    from simharness.agents.reference.stream import Attempt

__all__ = ["MUTANTS"]


class HangingStreamsAreAwaited(Cancellation):
    """A cancel sets a flag and ends no wait."""

    def set(self, reason: str = "user") -> None:
        self._reason = self._reason or reason


class TurnsWithoutMessageStayOpen(Turns):
    """A turn that has come to nothing is not closed."""

    def close_turn(self, turn: Turn) -> None:
        if turn.message is not None:
            super().close_turn(turn)


class LimitLeavesItsTurnOpen(Turns):
    """The turn that is one too many is not closed."""

    def close_turn(self, turn: Turn) -> None:
        if turn.message is None or turn.message.role != "user":
            super().close_turn(turn)


class DiscardedMessagesStayOpen(Journal):
    """A message that is not kept has a start and no end."""

    def take_back(self, message: Message) -> None:
        pass


class ResultsAreAppendedSilently(Journal):
    """Results of tools that did not run have no message events."""

    def append(self, message: Message) -> None:
        if message.is_error:
            self.store(message)
        else:
            super().append(message)


class PromptEndsWithItsAnswer(Journal):
    """The end of a prompt's message is reported when the answer ends."""

    def append(self, message: Message) -> None:
        if message.role != "user":
            super().append(message)
            return
        self.report(MessageStart(message))
        self.store(message)
        self.late = message

    def keep(self, attempt: Attempt, message: Message) -> None:
        super().keep(attempt, message)
        self.report(MessageEnd(self.late))


class CancelledRunEndsTwice(ReferenceAgent):
    """A cancelled run is reported as over by the cancel and by the loop."""

    def close_run(self, run: Run, end: End) -> End:
        end = super().close_run(run, end)
        if end.outcome is Outcome.CANCELLED:
            self.journal.report(AgentEnd(end.outcome, end.cause))
        return end


class CancelsComplete(Turns):
    """A cancelled run just ends, as if it were complete."""

    def cancelled(self) -> End:
        return End(Outcome.COMPLETED)


class CallerHearsOfSuccess(ReferenceAgent):
    """What `prompt` returns to its caller stands for success, whatever the events say."""

    def outcome_of(self, exc: BaseException | None) -> Outcome | None:
        return Outcome.COMPLETED if exc is None else super().outcome_of(exc)


class SecondCancelIsAFailure(ReferenceAgent):
    """A run that is cancelled twice ends as failed."""

    twice = False

    def cancel(self, way: CancelWay, reason: str, queue: str = "") -> None:
        self.twice = self._run is not None and self._run.cancellation.called
        super().cancel(way, reason, queue)

    def last_word(self, run: Run, end: End) -> End:
        return End(Outcome.FAILED, "error") if self.twice else super().last_word(run, end)


class CancelOutlivesItsRun(ReferenceAgent):
    """All runs share one cancellation, so a cancelled agent stays cancelled."""

    kept: Cancellation | None = None

    def new_cancellation(self) -> Cancellation:
        if self.kept is None or not self.kept.is_set():
            self.kept = super().new_cancellation()
        return self.kept


class AWatcherIsLeftBehind(ReferenceAgent):
    """A task that waits for a cancel is not ended with its run."""

    def open_run(self) -> Run:
        self.watcher = asyncio.create_task(self.watch())
        return super().open_run()

    async def watch(self) -> None:
        """Wait for a cancel that never comes."""
        await asyncio.Event().wait()


class PhaseStaysAfterAStop(ReferenceAgent):
    """Only a run that completes makes the agent say that it is idle."""

    def become_idle(self, end: End) -> None:
        if end.outcome is Outcome.COMPLETED:
            super().become_idle(end)


class StaysBusyAfterAFailure(ReferenceAgent):
    """A failed run is never over: the next prompt is refused."""

    def release(self, run: Run, end: End) -> None:
        if end.outcome is not Outcome.FAILED:
            super().release(run, end)
        else:
            self._run = None


class UsageOfCutStreamsIsLost(Journal):
    """Only successful attempts are logged with their usage."""

    def log(self, attempt: Attempt, error: str = "", *, reason: str = "") -> None:
        if error:
            self.report(LogRow(attempt.number, success=False, error=error))
        else:
            super().log(attempt, reason=reason)


class LastReasonCounts(Cancellation):
    """A second cancel replaces the reason of the first."""

    def set(self, reason: str = "user") -> None:
        super().set(reason)
        self._reason = reason


MUTANTS = (
    mutant("hanging-streams-are-awaited", "settles", HangingStreamsAreAwaited),
    mutant("turns-without-message-stay-open", "start-end-paired", TurnsWithoutMessageStayOpen),
    mutant("limit-leaves-its-turn-open", "one-terminal", LimitLeavesItsTurnOpen),
    mutant("discarded-messages-stay-open", "start-end-paired", DiscardedMessagesStayOpen),
    mutant("results-are-appended-silently", "start-end-paired", ResultsAreAppendedSilently),
    mutant("prompt-ends-with-its-answer", "nested-order", PromptEndsWithItsAnswer),
    mutant("cancelled-run-ends-twice", "one-terminal", CancelledRunEndsTwice),
    mutant("cancels-complete", "terminal-kind", CancelsComplete),
    mutant("caller-hears-of-success", "observers-agree", CallerHearsOfSuccess),
    mutant("second-cancel-is-a-failure", "cancel-idempotent", SecondCancelIsAFailure),
    mutant("cancel-outlives-its-run", "cancel-flag-reset", CancelOutlivesItsRun),
    mutant("a-watcher-is-left-behind", "no-leaked-tasks", AWatcherIsLeftBehind),
    mutant("phase-stays-after-a-stop", "phase-returns-idle", PhaseStaysAfterAStop),
    mutant("stays-busy-after-a-failure", "phase-returns-idle", StaysBusyAfterAFailure),
    mutant("usage-of-cut-streams-is-lost", "usage-once", UsageOfCutStreamsIsLost),
    mutant("last-reason-counts", "cancel-attribution", LastReasonCounts),
)

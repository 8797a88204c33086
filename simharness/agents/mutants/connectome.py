"""Faults that Connectome had or has, on the loop that behaves like it.

The first ones are of the time before a stop was told from a failure; then come what is still open
in it, and what would undo a piece of the change.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agent import Failed, ProviderError
from simharness.agents.mutants.mutant import mutant
from simharness.agents.profiles.connectome import CONNECTOME, FAILED, INTERRUPTED
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.cancelling import Cancellation
from simharness.agents.reference.ephemeral import Ephemeral
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.stopping import StoppedError
from simharness.agents.reference.stream import Attempt, Broken, Cut, Ending
from simharness.agents.reference.tools import ToolRunner
from simharness.agents.reference.turns import End, Turns
from simharness.trace import AgentEnd, Message, Outcome

if TYPE_CHECKING:
    from simharness.agent import ModelStream, Request
    from simharness.agents.reference.answering import Answer

__all__ = ["MUTANTS"]


# --- before --------------------------------------------------------------------------------------


class CallersStopsAreFailures(Attempt):
    """A stream that a caller has stopped counts as one that the provider aborted."""

    def ending(self, error: ProviderError | None) -> Ending:
        ending = super().ending(error)
        if isinstance(ending, Cut) and not self._cancellation.marked:
            return Broken(ProviderError("aborted: user", kind="abort"), despite_cancel=True)
        return ending


class StopsAreTracedTwice(ReferenceAgent):
    """A stop is traced by the call that asks for it, and the stream that it ends as a failure."""

    def last_word(self, run: Run, end: End) -> End:
        end = super().last_word(run, end)
        if end.outcome is Outcome.CANCELLED and not run.cancellation.marked:
            self.journal.report(AgentEnd(Outcome.CANCELLED, end.cause))
        return end


class ErrorsBehindACancelAreRetried(Answering):
    """A stream that answers a caller's cancel by an error is asked for a second time."""

    failed_behind = False

    def settle(self, attempt: Attempt, ending: Ending) -> Answer:
        self.failed_behind = isinstance(attempt.assembler.terminal, Failed)
        return super().settle(attempt, ending)

    async def attempt(self, request: Request) -> Answer:
        answer = await super().attempt(request)
        again = self.failed_behind and isinstance(answer.ending, Cut)
        return await super().attempt(request) if again else answer


class ShutdownsLeaveAFailuresNote(Turns):
    """A shutdown leaves the note of a failure in the context."""

    def note(self, end: End) -> str:
        return FAILED if self.cancellation.reason == "shutdown" else super().note(end)


class ErrorsUnderAShutdownAreFailures(Attempt):
    """A stream that answers a shutdown by an error has failed."""

    def ending(self, error: ProviderError | None) -> Ending:
        failed = self.assembler.terminal
        if self._cancellation.marked and isinstance(failed, Failed):
            return Broken(failed.error, despite_cancel=True)
        return super().ending(error)


class ShutdownsAreTheUsers(Ephemeral):
    """Who awaits a run that a shutdown stops hears of the user, whose cancel a shutdown calls."""

    def stopped(self) -> Exception | None:
        return StoppedError("stopped: user") if super().stopped() else None


class StreamsThatCloseAreAwaited(Attempt):
    """A stream that answers a stop by the framework by just ending leaves its turn where it is."""

    async def read(self, stream: ModelStream) -> Ending:
        ending = await super().read(stream)
        if self._cancellation.marked and self.assembler.terminal is None:
            await asyncio.get_running_loop().create_future()
        return ending


class AbandonedStreamsHaveNoRow(Answering):
    """A stream that a quiesce has abandoned is not logged, and what it used is lost."""

    def account(self, attempt: Attempt, ending: Ending) -> None:
        if self._cancellation.reason != "quiesce":
            super().account(attempt, ending)


# --- still open ----------------------------------------------------------------------------------


class RestartsThatEndByAnErrorFail(Attempt):
    """C06: a stream that was given up and answers by an error has failed."""

    def ending(self, error: ProviderError | None) -> Ending:
        failed = self.assembler.terminal
        if self.restart.reason and isinstance(failed, Failed):
            return Broken(failed.error)
        return super().ending(error)


class EndedTurnsFail(Turns):
    """C09: a stream that a tool's result ends, and that calls this an error, has failed."""

    def ended_by_tool(self, answer: Answer) -> End | None:
        if super().ended_by_tool(answer) is None:
            return None
        error = ProviderError("the stream was ended")
        self.journal.failed(str(error))
        return End(Outcome.FAILED, "error", error)


class SilentClosesHang(Attempt):
    """C13: a stream that just ends, though nobody has stopped it, leaves its turn where it is."""

    async def read(self, stream: ModelStream) -> Ending:
        ending = await super().read(stream)
        if isinstance(ending, Broken) and self.assembler.terminal is None:
            await asyncio.get_running_loop().create_future()
        return ending


# --- what would undo a piece ---------------------------------------------------------------------


class CallersOutrankMarks(Cancellation):
    """The precedence inverted: a caller's record names the cause, whatever the framework marked."""

    @property
    def reason(self) -> str:
        called = self._reason if self._reason != self._mark else ""
        return called or super().reason


class RecordsAreNotConsumed(ReferenceAgent):
    """The reason of a cancel stays when its stream has ended, and names the next failure."""

    record = ""

    def last_word(self, run: Run, end: End) -> End:
        end = super().last_word(run, end)
        if end.outcome is Outcome.CANCELLED:
            self.record = end.cause
        elif end.outcome is Outcome.FAILED and self.record:
            return End(end.outcome, self.record, end.error)
        return end


class EveryStopLeavesANote(Turns):
    """A stop by the framework leaves the note of an interruption that nobody has asked for."""

    def note(self, end: End) -> str:
        return INTERRUPTED if end.outcome is Outcome.CANCELLED else super().note(end)


class StopsLeaveNoNote(Turns):
    """A caller's stop leaves nothing in the context that tells the model of it."""

    def note(self, end: End) -> str:
        return "" if end.outcome is Outcome.CANCELLED else super().note(end)


class ForeignAbortsAreStops(Attempt):
    """That the provider aborted for a reason of its own is taken for the answer to a cancel."""

    def foreign_abort(self) -> Ending | None:
        return None


class PartialTextIsStored(Answering):
    """What a stopped stream had shown is stored as if it had been complete."""

    def cut_message(self, attempt: Attempt) -> Message:
        return attempt.assembler.message()


class UnfinishedRoundsAreStored(ToolRunner):
    """A round of tools is stored with what came when its turn had been stopped."""

    def round_dropped(self) -> bool:
        return False


class DroppedRoundsStayOnDisk(Journal):
    """A round that is dropped is gone from memory, and stays in the store."""

    def forget_behind(self, length: int) -> None:
        del self.history[length:]


MUTANTS = (
    mutant("callers-stops-are-failures", "cancel-not-failure", CallersStopsAreFailures, CONNECTOME),
    mutant("stops-are-traced-twice", "one-terminal", StopsAreTracedTwice, CONNECTOME),
    mutant(
        "errors-behind-a-cancel-are-retried",
        "no-model-call-after-cancel",
        ErrorsBehindACancelAreRetried,
        CONNECTOME,
    ),
    mutant(
        "shutdowns-leave-a-failures-note",
        "cancel-not-failure",
        ShutdownsLeaveAFailuresNote,
        CONNECTOME,
    ),
    mutant(
        "errors-under-a-shutdown-are-failures",
        "cancel-not-failure",
        ErrorsUnderAShutdownAreFailures,
        CONNECTOME,
    ),
    mutant("shutdowns-are-the-users", "cancel-attribution", ShutdownsAreTheUsers, CONNECTOME),
    mutant("streams-that-close-are-awaited", "settles", StreamsThatCloseAreAwaited, CONNECTOME),
    mutant("abandoned-streams-have-no-row", "usage-once", AbandonedStreamsHaveNoRow, CONNECTOME),
    mutant(
        "restarts-that-end-by-an-error-fail",
        "cancel-not-failure",
        RestartsThatEndByAnErrorFail,
        CONNECTOME,
    ),
    mutant("ended-turns-fail", "cancel-not-failure", EndedTurnsFail, CONNECTOME),
    mutant("silent-closes-hang", "settles", SilentClosesHang, CONNECTOME),
    mutant("callers-outrank-marks", "cancel-attribution", CallersOutrankMarks, CONNECTOME),
    mutant("records-are-not-consumed", "cancel-attribution", RecordsAreNotConsumed, CONNECTOME),
    mutant("every-stop-leaves-a-note", "cancel-attribution", EveryStopLeavesANote, CONNECTOME),
    mutant("stops-leave-no-note", "abort-visible", StopsLeaveNoNote, CONNECTOME),
    mutant("foreign-aborts-are-stops", "terminal-kind", ForeignAbortsAreStops, CONNECTOME),
    mutant("partial-text-is-stored", "delivered-prefix-kept", PartialTextIsStored, CONNECTOME),
    mutant(
        "unfinished-rounds-are-stored", "result-truthful", UnfinishedRoundsAreStored, CONNECTOME
    ),
    mutant(
        "dropped-rounds-stay-on-disk",
        "session-equals-history",
        DroppedRoundsStayOnDisk,
        CONNECTOME,
    ),
)

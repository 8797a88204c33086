"""Faults in stopping: whose stop it was, what it leaves, and what pauses and restarts do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import attrs

from simharness.agent import ProviderError
from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.gate import Gate
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.quiescing import Quiescing
from simharness.agents.reference.stopping import Stops
from simharness.agents.reference.stream import Attempt, Broken, Cut, Ending, GivenUp
from simharness.agents.reference.turns import End, Turns
from simharness.trace import Message, Outcome

if TYPE_CHECKING:
    from simharness.agent import CancelWay, Request
    from simharness.agents.reference.answering import Answer

__all__ = ["MUTANTS"]


class ShutdownsLeaveANote(ReferenceAgent):
    """A shutdown leaves a note of an interruption, which no caller has asked for."""

    def last_word(self, run: Run, end: End) -> End:
        end = super().last_word(run, end)
        if end.outcome is Outcome.CANCELLED and end.cause == "shutdown":
            self.journal.tell("interruption", "the user interrupted")
        return end


class ShutdownsAreCounted(Answering):
    """A stream that a shutdown ended counts as a failure."""

    def account(self, attempt: Attempt, ending: Ending) -> None:
        super().account(attempt, ending)
        if self._cancellation.marked:
            self._journal.failed("stopped")


class CutStreamsHaveFailed(Attempt):
    """A stream that the framework cut has failed, so what it had shown is lost."""

    def ending(self, error: ProviderError | None) -> Ending:
        if self._cancellation.marked and isinstance(failed := self.reported(), Broken):
            return failed
        return super().ending(error)


class StoppedRunsTryAgain(Answering):
    """A stream that the framework ended is asked for a second time."""

    async def attempt(self, request: Request) -> Answer:
        answer = await super().attempt(request)
        return await super().attempt(request) if self._cancellation.marked else answer


class StaleReasonsColourFailures(ReferenceAgent):
    """The reason of a cancel that hit nothing is the cause of a run that fails later."""

    remembered = ""

    def cancel(self, way: CancelWay, reason: str, queue: str = "") -> None:
        self.remembered = reason
        super().cancel(way, reason, queue)

    def last_word(self, run: Run, end: End) -> End:
        end = super().last_word(run, end)
        stale = end.outcome is Outcome.FAILED and self.remembered
        return attrs.evolve(end, cause=self.remembered) if stale else end


class OnlyTheOldestRunIsStopped(Stops):
    """A shutdown reaches the run that began first, and leaves the others to themselves."""

    def stop(self, mark: str) -> None:
        for run in self.running[:1]:
            run.cancellation.mark(mark)


class PromptsOutliveTheShutdown(Stops):
    """A shutdown stops what runs; a prompt that comes behind it is served."""

    def leave(self, why: str) -> None:
        super().leave(why)
        self.gone = ""


class PausedAgentsServePrompts(Gate):
    """What is prompted in a quiesce begins at once."""

    async def passed(self, who: object) -> None:
        pass


class ParkedPromptsAreForgotten(Gate):
    """A resume lets new prompts pass and forgets those that wait."""

    def let(self, who: object) -> None:
        self._line.pop(who, None)


class QuiescesNeverAbandon(Quiescing):
    """Runs that do not end in the window of a quiesce go on for ever."""

    async def abandon(self, asked: int) -> None:
        self._tell("quiesced", f"{asked} runs were abandoned")


class NotANumberIsForEver(Quiescing):
    """A window that is not a number has no end."""

    def window_s(self, drain_s: float | None) -> float:
        unclear = drain_s is not None and math.isnan(drain_s)
        return 1e9 if unclear else super().window_s(drain_s)


class ResumesDoNotSupersede(Quiescing):
    """A quiesce that drains abandons what runs, also if the operator has resumed meanwhile."""

    def superseded(self, asked: int) -> bool:
        del asked
        return False


class SecondQuiescesDoNotEscalate(Quiescing):
    """A quiesce behind another one is not heard."""

    async def drain(self, asked: int, seconds: float, *, abandon: bool) -> None:
        if asked == 1:
            await super().drain(asked, seconds, abandon=abandon)


class RestartsAreFailures(Attempt):
    """A stream that was given up for another one counts as one that failed."""

    def ending(self, error: ProviderError | None) -> Ending:
        ending = super().ending(error)
        given_up = isinstance(ending, GivenUp)
        return Broken(ProviderError("the stream was given up")) if given_up else ending


class RestartsEndTheRun(Attempt):
    """A stream that was given up for another one ends its run as a cancel does."""

    def ending(self, error: ProviderError | None) -> Ending:
        ending = super().ending(error)
        return Cut() if isinstance(ending, GivenUp) else ending


class RestartedTextStays(Answering):
    """What a stream had shown that was given up stays in the history."""

    def kept(self, attempt: Attempt, ending: Ending) -> Message | None:
        if isinstance(ending, GivenUp):
            return self.cut_message(attempt)
        return super().kept(attempt, ending)


class LateTextIsShown(Attempt):
    """What a stream sends that has been given up is shown as before."""

    def wanted(self) -> bool:
        return not self._cancellation.called


class ToolsCannotEndTheTurn(Turns):
    """The model is asked again, though a tool has ended the turn."""

    def ended_by_tool(self, answer: Answer) -> End | None:
        del answer
        return None


class ClientsAreKept(Answering):
    """A client is used again that a cut stream has left of no more use."""

    def renew(self) -> None:
        pass


class RefusedTextStays(Attempt):
    """What came before a stream began anew is not discarded."""

    def start_over(self) -> None:
        pass


MUTANTS = (
    mutant("shutdowns-leave-a-note", "cancel-attribution", ShutdownsLeaveANote),
    mutant("shutdowns-are-counted", "cancel-not-failure", ShutdownsAreCounted),
    mutant("cut-streams-have-failed", "delivered-prefix-kept", CutStreamsHaveFailed),
    mutant("stopped-runs-try-again", "no-model-call-after-cancel", StoppedRunsTryAgain),
    mutant("stale-reasons-colour-failures", "cancel-attribution", StaleReasonsColourFailures),
    mutant("only-the-oldest-run-is-stopped", "settles", OnlyTheOldestRunIsStopped),
    mutant("prompts-outlive-the-shutdown", "no-model-call-after-cancel", PromptsOutliveTheShutdown),
    mutant("paused-agents-serve-prompts", "no-model-call-after-cancel", PausedAgentsServePrompts),
    mutant("parked-prompts-are-forgotten", "settles", ParkedPromptsAreForgotten),
    mutant("quiesces-never-abandon", "settles", QuiescesNeverAbandon),
    mutant("not-a-number-is-for-ever", "settles", NotANumberIsForEver),
    mutant("resumes-do-not-supersede", "cancel-attribution", ResumesDoNotSupersede),
    mutant("second-quiesces-do-not-escalate", "settles", SecondQuiescesDoNotEscalate),
    mutant("restarts-are-failures", "cancel-not-failure", RestartsAreFailures),
    mutant("restarts-end-the-run", "cancel-not-failure", RestartsEndTheRun),
    mutant("restarted-text-stays", "error-content-dropped", RestartedTextStays),
    mutant("late-text-is-shown", "chunk-conservation", LateTextIsShown),
    mutant("tools-cannot-end-the-turn", "no-model-call-after-cancel", ToolsCannotEndTheTurn),
    mutant("clients-are-kept", "cancel-flag-reset", ClientsAreKept),
    mutant("refused-text-stays", "error-content-dropped", RefusedTextStays),
)

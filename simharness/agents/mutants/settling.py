"""Faults in settling: of runs that somebody awaits, of batches, and of what is written down.

The last ones are made for the channels of observers-agree: each names another outcome on one.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import attrs

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.ephemeral import Ephemeral
from simharness.agents.reference.guarding import Guard
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent
from simharness.agents.reference.stopping import StoppedError
from simharness.agents.reference.stream import Attempt, Ending, Finished
from simharness.agents.reference.turns import Turns
from simharness.trace import AgentEnd, Message, Outcome, Reported

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from simharness.agents.reference.answering import Answer
    from simharness.agents.reference.loop import Run
    from simharness.agents.reference.restarting import Restart
    from simharness.agents.reference.turns import End

__all__ = ["MUTANTS"]


class StoppedCallersAreLeftWaiting(Ephemeral):
    """Who awaits a run that is stopped hears nothing of it."""

    def settle(self, error: Exception | None) -> None:
        if not isinstance(error, StoppedError):
            super().settle(error)


class CallersHearOfSomeStop(Ephemeral):
    """Who awaits a run that is stopped hears that it was, but not by whom."""

    def stopped(self) -> Exception | None:
        return StoppedError("stopped") if super().stopped() else None


class BatchesAreSettledTwice(Guard):
    """A batch of results is settled when its time is over, and again when it is recorded."""

    def settle(self, calls: tuple[str, ...]) -> None:
        super().settle(calls)
        super().settle(calls)


class BatchesOutliveTheirRun(Guard):
    """A batch of results is settled some time after the stop that found it held back."""

    def settle(self, calls: tuple[str, ...]) -> None:
        asyncio.get_running_loop().call_later(1.0, super().settle, calls)


class StoppedBatchesStayPending(Guard):
    """A batch of results that a stop finds held back is never settled."""

    def settle(self, calls: tuple[str, ...]) -> None:
        if not self._cancellation.called:
            super().settle(calls)


class GuardsOutwaitAStop(Guard):
    """What is held back is held for its whole time, whoever stops the run."""

    async def wait(self, seconds: float, restart: Restart | None = None) -> None:
        del restart
        await self._world.wait("guard", seconds)


class LostRowsAreFailures(Journal):
    """A log that cannot be written counts as a failure of the run, a stopped one included."""

    def log_failed(self, error: Exception) -> None:
        super().log_failed(error)
        self.failed(str(error))


class LostRowsAreSilent(Journal):
    """A log that cannot be written is nobody's concern."""

    def log_failed(self, error: Exception) -> None:
        pass


class LostRowsCountAgain(Journal):
    """The usage of a stream whose row could not be written is added a second time."""

    def log_failed(self, error: Exception) -> None:
        super().log_failed(error)
        self.used.extend(self.used[-1:])


class TheEventSaysCompleted(Journal):
    """The event of a stopped run says that it completed; what its caller gets does not."""

    def report(self, record: Reported) -> None:
        if isinstance(record, AgentEnd) and record.outcome is Outcome.CANCELLED:
            record = attrs.evolve(record, outcome=Outcome.COMPLETED)
        super().report(record)


class StopsAreRaised(ReferenceAgent):
    """The caller of a stopped run gets an exception that stands for a failure."""

    async def serve(self, begin: Callable[[Run], Awaitable[End]], *, stream: bool) -> None:
        await super().serve(begin, stream=stream)
        if self.latest is not None and self.latest.outcome is Outcome.CANCELLED:
            raise RuntimeError(self.latest.cause)


class TheErrorHookHearsOfLimits(Turns):
    """The hook for failures is called where an answer was too long, too."""

    async def report_failure(self, answer: Answer) -> None:
        await super().report_failure(answer)
        if answer.ending == Finished("length"):
            await self.hooks.ask_ahead("on_error", ValueError("too long"))


class TheLogSaysFailed(Answering):
    """The log row of an answer says that it failed; everything else, that the run completed."""

    def account(self, attempt: Attempt, ending: Ending) -> None:
        if isinstance(ending, Finished):
            self._journal.log(attempt, "ended")
        else:
            super().account(attempt, ending)


class TheHistorySaysInterrupted(Answering):
    """A whole answer is kept as an interrupted one."""

    def finished_message(self, attempt: Attempt, reason: str) -> Message:
        return attrs.evolve(super().finished_message(attempt, reason), interrupted=True)


MUTANTS = (
    mutant("stopped-callers-are-left-waiting", "settles", StoppedCallersAreLeftWaiting),
    mutant("callers-hear-of-some-stop", "cancel-attribution", CallersHearOfSomeStop),
    mutant("batches-are-settled-twice", "start-end-paired", BatchesAreSettledTwice),
    mutant("batches-outlive-their-run", "no-event-after-terminal", BatchesOutliveTheirRun),
    mutant("stopped-batches-stay-pending", "start-end-paired", StoppedBatchesStayPending),
    mutant("guards-outwait-a-stop", "cancel-effective", GuardsOutwaitAStop),
    mutant("lost-rows-are-failures", "cancel-not-failure", LostRowsAreFailures),
    mutant("lost-rows-are-silent", "failure-surfaced", LostRowsAreSilent),
    mutant("lost-rows-count-again", "usage-once", LostRowsCountAgain),
    mutant("the-event-says-completed", "observers-agree", TheEventSaysCompleted),
    mutant("stops-are-raised", "observers-agree", StopsAreRaised),
    mutant("the-error-hook-hears-of-limits", "observers-agree", TheErrorHookHearsOfLimits),
    mutant("the-log-says-failed", "observers-agree", TheLogSaysFailed),
    mutant("the-history-says-interrupted", "observers-agree", TheHistorySaysInterrupted),
)

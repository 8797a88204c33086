"""Faults of public reports in what is said of an end: nothing, too much, or something else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.session import Session
from simharness.agents.reference.stream import Attempt, Broken, Cut, Ending
from simharness.agents.reference.tools import ToolRunner
from simharness.agents.reference.turns import End, Turn, Turns
from simharness.trace import AgentEnd, AgentStart, Outcome, Reported, tool_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.reference.answering import Answer
    from simharness.agents.reference.repetition import Repeated
    from simharness.trace import Call, Message

__all__ = ["MUTANTS"]


class RunsBehindAFailedToolHaveNoEnd(Journal):
    """A run that is stopped in front of the answer to a failed tool does not report its end."""

    def report(self, record: Reported) -> None:
        stopped = isinstance(record, AgentEnd) and record.outcome is Outcome.CANCELLED
        if not (stopped and self.history and self.history[-1].is_error):
            super().report(record)


class FailuresComplete(Turns):
    """A stream that fails ends its run as if it had been answered."""

    def verdict(self, answer: Answer, repeated: Repeated | None) -> End | None:
        if isinstance(answer.ending, Broken):
            return End(Outcome.COMPLETED)
        return super().verdict(answer, repeated)


class CutStreamsAreLoggedAsSuccess(Journal):
    """The log row of a stream that a cancel cut says that it succeeded."""

    def log(self, attempt: Attempt, error: str = "", *, reason: str = "") -> None:
        super().log(attempt, "" if error.startswith("cancelled") else error, reason=reason)


class BrokenConnectionsAreStops(Attempt):
    """What a client library raises is taken for a cancel, though nobody cancelled."""

    def ending(self, error: Exception | None) -> Ending:
        return super().ending(None) if error is None else Cut()


class StopsAreReportedAgain(Journal):
    """The end of a cancelled run is reported once more when the next run has begun."""

    late: AgentEnd | None = None

    def report(self, record: Reported) -> None:
        super().report(record)
        if isinstance(record, AgentStart) and self.late is not None:
            super().report(self.late)
        if isinstance(record, AgentEnd):
            self.late = record if record.outcome is Outcome.CANCELLED else None


class CancelledToolsFail(ToolRunner):
    """A `task.cancel()` that meets tools or middleware counts as their failure; the run goes on."""

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        group = asyncio.create_task(super().run_group(calls, why_not=why_not))
        try:
            return await asyncio.shield(group)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None, "tools are run by a task"
            task.uncancel()
            await group
            return [tool_result(call.id, "the tool failed", is_error=True) for call in calls]


class TurnsCutInACallbackStayOpen(Turns):
    """A turn is not closed if a cancel comes while somebody is told how it went."""

    stopped = True

    def verdict(self, answer: Answer, repeated: Repeated | None) -> End | None:
        self.stopped = self.cancellation.called
        return super().verdict(answer, repeated)

    def close_turn(self, turn: Turn) -> None:
        if self.stopped or not self.cancellation.called:
            super().close_turn(turn)


class FailedWritesAreSilent(Session):
    """That the store did not take a line is nobody's concern."""

    async def write(self) -> None:
        tell, self._tell = self._tell, lambda *_: None
        try:
            await super().write()
        finally:
            self._tell = tell
        self._unsaved.clear()


MUTANTS = (
    mutant("stops-behind-a-failed-tool-are-silent", "one-terminal", RunsBehindAFailedToolHaveNoEnd),
    mutant("failures-complete", "terminal-kind", FailuresComplete),
    mutant("cut-streams-are-logged-as-success", "observers-agree", CutStreamsAreLoggedAsSuccess),
    mutant("broken-connections-are-stops", "terminal-kind", BrokenConnectionsAreStops),
    mutant("stops-are-reported-again", "one-terminal", StopsAreReportedAgain),
    mutant("cancelled-tools-fail", "no-model-call-after-cancel", CancelledToolsFail),
    mutant("turns-cut-in-a-callback-stay-open", "start-end-paired", TurnsCutInACallbackStayOpen),
    mutant("failed-writes-are-silent", "failure-surfaced", FailedWritesAreSilent),
)

"""Faults of public reports in what is shown or reported late, again, or in the wrong place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agent import TextDelta
from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.stream import Attempt
from simharness.trace import MessageEnd, Reported, ToolExecutionStart, TurnEnd, TurnStart

if TYPE_CHECKING:
    from simharness.agent import Chunk, ModelStream
    from simharness.agents.reference.stream import Ending

__all__ = ["MUTANTS"]


class StreamsAreReadToTheirEnd(Attempt):
    """A cancel ends no stream: it is read to its end, and all of it is shown and kept."""

    async def read(self, stream: ModelStream) -> Ending:
        await self._read(stream)
        return self.ending(None)

    def wanted(self) -> bool:
        return not self.restart.reason


class MessagesEndBehindTheirTurn(Journal):
    """The end of an answer is reported behind the end of its turn."""

    held: MessageEnd | None = None

    def report(self, record: Reported) -> None:
        if isinstance(record, MessageEnd) and record.message.role == "assistant":
            self.held = record
            return
        super().report(record)
        if isinstance(record, TurnEnd) and self.held is not None:
            super().report(self.held)
            self.held = None


class OldCallsAreReportedAgain(Journal):
    """Each turn reports the start of every call that the history holds."""

    def report(self, record: Reported) -> None:
        super().report(record)
        if isinstance(record, TurnStart):
            for call in (call for message in self.history for call in message.calls):
                super().report(ToolExecutionStart(call.id, call.name, call.args))


class LateTextOpensTheNextAnswer(Attempt):
    """Text that comes behind a cancel is kept back and shown where the next answer begins."""

    def take(self, chunk: Chunk) -> None:
        late: list[Chunk] = vars(self._journal).setdefault("late", [])
        if self._cancellation.called and isinstance(chunk, TextDelta):
            late.append(chunk)
            return
        while late and isinstance(chunk, TextDelta):
            super().take(late.pop(0))
        super().take(chunk)


MUTANTS = (
    mutant("streams-are-read-to-their-end", "cancel-effective", StreamsAreReadToTheirEnd),
    mutant("messages-end-behind-their-turn", "nested-order", MessagesEndBehindTheirTurn),
    mutant("old-calls-are-reported-again", "start-end-paired", OldCallsAreReportedAgain),
    mutant(
        "late-text-opens-the-next-answer", "no-event-after-terminal", LateTextOpensTheNextAnswer
    ),
)

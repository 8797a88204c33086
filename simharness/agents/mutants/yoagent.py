"""Faults that yoagent had before its change #244, or still has, on the loop that behaves like it.

Two of what it still does are no faults of an agent that declares them. Those are seeded into the
loop that declares otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agents.mutants.hooks import HooksGoOnAfterTheCancel, VetoLeavesItsTurnOpen
from simharness.agents.mutants.mutant import mutant
from simharness.agents.mutants.runs import LimitLeavesItsTurnOpen
from simharness.agents.mutants.tools import ToolsStartAfterTheCancel
from simharness.agents.profiles.yoagent import CANCELLED, YOAGENT
from simharness.agents.reference.answering import Answer, Answering
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.stream import Cut
from simharness.agents.reference.tools import NOT_RUN_REPEATED, ToolRunner
from simharness.agents.reference.turns import Turn, Turns
from simharness.trace import LoopDetected, Message, MessageEnd, Reported, Text, tool_result, user

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.agents.reference.repetition import Repeated
    from simharness.agents.reference.stream import Attempt, Ending
    from simharness.agents.reference.turns import End

__all__ = ["MUTANTS"]


class FailuresBeforeOutputAreSilent(Journal):
    """Before #244: the message of an error that came before any output has no events."""

    def keep(self, attempt: Attempt, message: Message) -> None:
        if attempt.begun or message.interrupted:
            super().keep(attempt, message)
        else:
            self.store(message)


class CutsBeforeOutputAreSilent(Journal):
    """Before #244: the message of a cancel that came before any output has no events."""

    def keep(self, attempt: Attempt, message: Message) -> None:
        if attempt.begun or not message.interrupted:
            super().keep(attempt, message)
        else:
            self.store(message)


class CutsInABackoffAreSilent(Answering):
    """Before #244: the message of a cancel that came in front of a request has no events."""

    def unasked(self) -> Answer:
        message = Message("assistant", interrupted=True)
        self._journal.store(message)
        return Answer(Cut(), message)


class CancelsWaitForTheNextTurn(ReferenceAgent):
    """Before #244: a cancel is seen when the next turn begins; hooks and tools run until then."""

    tools_type = ToolsStartAfterTheCancel
    hook_calls_type = HooksGoOnAfterTheCancel


class LeavesAtTheTopOfATurn(VetoLeavesItsTurnOpen, LimitLeavesItsTurnOpen):
    """Before #244: a turn that a limit or a hook stops at its top has no end."""


class StoppedRepetitionIsSilent(Turns):
    """Deviation (i): a stop for repetition answers its calls without any events.

    The turn is reported as one without results.
    """

    async def run_tools(self, turn: Turn, answer: Answer, repeated: Repeated | None) -> None:
        if repeated is None or not repeated.again:
            await super().run_tools(turn, answer, repeated)
            return
        self.journal.report(LoopDetected(repeated.tool, repeated.times, aborted=True))
        for call in answer.calls:
            self.journal.store(tool_result(call.id, NOT_RUN_REPEATED, is_error=True))
        self.answer_repetition(repeated)


class MarkerOutsideItsTurn(Turns):
    """Deviation (ii): the marker of a cancel lies behind the turn, though none is declared."""

    def mark_cancel(self) -> None:
        self.journal.append(user(CANCELLED))


class CutMessagesAreEmptied(Answering):
    """Deviation (iii): a cut message is kept without its text, though that is promised."""

    def cut_message(self, attempt: Attempt) -> Message:  # noqa: ARG002
        return Message("assistant", interrupted=True)

    def kept_empty(self, attempt: Attempt, ending: Ending) -> bool:
        visible = isinstance(ending, Cut) and attempt.assembler.interrupted_blocks()
        return bool(visible) or super().kept_empty(attempt, ending)


class AnnouncedMessageIsAnother(Journal):
    """Deviation (iv): the end of a message tells of its text only, the history has all of it."""

    def keep(self, attempt: Attempt, message: Message) -> None:
        self.told = attrs.evolve(message, blocks=(Text(message.text),))
        super().keep(attempt, message)

    def report(self, record: Reported) -> None:
        if isinstance(record, MessageEnd) and record.message.calls:
            record = MessageEnd(self.told)
        super().report(record)


class TurnsWithoutHistoryStayOpen(ReferenceAgent):
    """Deviation (v): closing a turn does nothing where there is no message to close it with."""

    async def begin_again(self, run: Run) -> End:
        if run.cancellation.called and not self.journal.history:
            run.turns.open_turn()
        return await super().begin_again(run)


class _SaysNothing(ToolRunner):
    """Answers calls that are not run without saying why."""

    def _stops(self) -> Iterator[str]:
        yield from ("error" for _ in super()._stops())


class _MarksNothing(Turns):
    """Leaves no marker."""

    def mark_cancel(self) -> None:
        pass


class StopsAreNotTold(ReferenceAgent):
    """In 0.18: there is no marker, so that the model does not learn why its calls came to nothing.

    Nor do the results of the calls say so.
    """

    tools_type = _SaysNothing
    turns_type = _MarksNothing


MUTANTS = (
    mutant(
        "failures-before-output-are-silent",
        "start-end-paired",
        FailuresBeforeOutputAreSilent,
        YOAGENT,
    ),
    mutant("cuts-before-output-are-silent", "start-end-paired", CutsBeforeOutputAreSilent, YOAGENT),
    mutant("cuts-in-a-backoff-are-silent", "start-end-paired", CutsInABackoffAreSilent, YOAGENT),
    mutant(
        "cancels-wait-for-the-next-turn",
        "no-tool-start-after-cancel",
        CancelsWaitForTheNextTurn,
        YOAGENT,
    ),
    mutant("leaves-at-the-top-of-a-turn", "start-end-paired", LeavesAtTheTopOfATurn, YOAGENT),
    mutant("stopped-repetition-is-silent", "start-end-paired", StoppedRepetitionIsSilent, YOAGENT),
    mutant("marker-outside-its-turn", "nested-order", MarkerOutsideItsTurn),
    mutant("cut-messages-are-emptied", "delivered-prefix-kept", CutMessagesAreEmptied),
    mutant("announced-message-is-another", "observers-agree", AnnouncedMessageIsAnother, YOAGENT),
    mutant(
        "turns-without-history-stay-open",
        "start-end-paired",
        TurnsWithoutHistoryStayOpen,
        YOAGENT,
    ),
    mutant("stops-are-not-told", "abort-visible", StopsAreNotTold, YOAGENT),
)

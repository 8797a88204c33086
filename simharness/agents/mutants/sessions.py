"""Faults in the session: what is written and when, and what a reload makes of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.entries import Deferred, Kept, from_line
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent
from simharness.agents.reference.session import Session
from simharness.agents.reference.tools import ToolRunner
from simharness.trace import Text, user

if TYPE_CHECKING:
    from simharness.agents.reference.entries import Entry
    from simharness.agents.reference.session import Line
    from simharness.agents.reference.stream import Attempt
    from simharness.trace import Call, Message

__all__ = ["MUTANTS"]


class CutMessagesAreNotSaved(Journal):
    """A message that a cancel cut stays in memory only."""

    def store(self, message: Message) -> None:
        if message.interrupted:
            self.history.append(message)
        else:
            super().store(message)


class LostLinesAreNotMissed(Session):
    """What the store says it has saved is believed, whatever the size of the file."""

    def missing(self) -> list[Line]:
        return []


class RepairsAreNotSaved(Session):
    """What a reload closes is closed in memory only."""

    def repair(self) -> None:
        super().repair()
        self._unsaved.clear()


class ForksLoseTheirLastAnswer(ReferenceAgent):
    """A fork begins with the question of its last turn and without the answer."""

    def fork(self, text: str, turn: int | None) -> list[str]:
        lines = super().fork(text, turn)
        answers = [line for line in lines if _is_answer(line)]
        return [line for line in lines if line not in answers[-1:]]


def _is_answer(line: str) -> bool:
    read = from_line(line)
    return read is not None and isinstance(read[1], Kept) and read[1].message.role == "assistant"


class EmptyAttemptsTakeThePromptAlong(Journal):
    """An attempt that leaves nothing takes back the prompt that it should have answered."""

    def discard(self, attempt: Attempt, message: Message) -> None:
        super().discard(attempt, message)
        if self.history[-1].role == "user":
            self.forget_behind(len(self.history) - 1)


class PromptsAreSavedTwice(Session):
    """What the user said is written when it is heard and when it is kept."""

    def write_down(self, entry: Entry) -> None:
        super().write_down(entry)
        if isinstance(entry, Kept) and entry.message.role == "user":
            super().write_down(entry)


class AnswersAreSavedTwice(Session):
    """An answer is written as a draft and as what it became."""

    def write_down(self, entry: Entry) -> None:
        super().write_down(entry)
        if isinstance(entry, Kept) and entry.message.role == "assistant":
            super().write_down(entry)


class CutAnswersAreSavedWithARemark(Session):
    """The store has an answer that was cut in words that the model has never said."""

    def write_down(self, entry: Entry) -> None:
        if isinstance(entry, Kept) and entry.message.interrupted:
            blocks = (*entry.message.blocks, Text(" [cut off]"))
            entry = Kept(attrs.evolve(entry.message, blocks=blocks))
        super().write_down(entry)


class NothingIsRepaired(Session):
    """A session is taken up as it was left."""

    def repair(self) -> None:
        """Leave everything open."""


class RepairsSayThatNothingRan(Session):
    """Every call that a killed program left open is said not to have run."""

    def repair(self) -> None:
        self._fold.began.clear()
        super().repair()


class ToolsBeginUnsaid(ToolRunner):
    """A tool is run before the session knows of its call."""

    async def announce(self, call: Call) -> None:
        self._journal.began(call.id)


class NothingIsFlushed(Session):
    """What was written at the end of a run is left in the buffers of the system."""

    async def check(self) -> bool:
        self._unchecked.clear()
        return False


class HalfALineIsFatal(Session):
    """A file whose last line was cut off cannot be loaded."""

    def load(self) -> None:
        assert self._store is not None, "only a store is loaded"
        for line in filter(None, self._store.load().splitlines()):
            json.loads(line)
        super().load()


class LinesAreGluedToHalfALine(Session):
    """The first line behind one that was cut off is written right behind it."""

    def end_torn_line(self) -> None:
        """Write no newline."""


class EachLoadLeavesAMarker(Session):
    """Whenever a session is taken up, its history says so."""

    def repair(self) -> None:
        super().repair()
        if self.history:
            self.note(Kept(user("[The session was resumed.]")))


class DeferredPromptsAreLost(Session):
    """What a killed program had left waiting is not taken up."""

    def left_over(self) -> list[Deferred]:
        return []


class DeferredPromptsAreDoneTwice(Session):
    """That a deferred prompt was heard is not written down, so a kill lets it be heard again."""

    def write_down(self, entry: Entry) -> None:
        if isinstance(entry, Kept):
            entry = Kept(entry.message)
        super().write_down(entry)


class DeferredPromptsAreAcknowledgedEarly(Session):
    """A prompt that waits is acknowledged although nothing of it was written yet."""

    async def secure(self, deferred: Deferred) -> bool:  # noqa: ARG002 - it is not looked at
        return True


MUTANTS = (
    mutant("cut-messages-are-not-saved", "session-equals-history", CutMessagesAreNotSaved),
    mutant("lost-lines-are-not-missed", "session-equals-history", LostLinesAreNotMissed),
    mutant("repairs-are-not-saved", "session-equals-history", RepairsAreNotSaved),
    mutant("forks-lose-their-last-answer", "session-equals-history", ForksLoseTheirLastAnswer),
    mutant(
        "empty-attempts-take-the-prompt-along",
        "user-input-durable",
        EmptyAttemptsTakeThePromptAlong,
    ),
    mutant("prompts-are-saved-twice", "user-input-durable", PromptsAreSavedTwice),
    mutant("answers-are-saved-twice", "persist-eq-delivered", AnswersAreSavedTwice),
    mutant(
        "cut-answers-are-saved-with-a-remark",
        "persist-eq-delivered",
        CutAnswersAreSavedWithARemark,
    ),
    mutant("nothing-is-repaired", "crash-consistent", NothingIsRepaired),
    mutant("repairs-say-that-nothing-ran", "result-truthful", RepairsSayThatNothingRan),
    mutant("tools-begin-unsaid", "crash-consistent", ToolsBeginUnsaid),
    mutant("nothing-is-flushed", "crash-consistent", NothingIsFlushed),
    mutant("half-a-line-is-fatal", "history-loadable", HalfALineIsFatal),
    mutant("lines-are-glued-to-half-a-line", "session-equals-history", LinesAreGluedToHalfALine),
    mutant("each-load-leaves-a-marker", "repair-idempotent", EachLoadLeavesAMarker),
    mutant("deferred-prompts-are-lost", "deferred-prompt-once", DeferredPromptsAreLost),
    mutant("deferred-prompts-are-done-twice", "deferred-prompt-once", DeferredPromptsAreDoneTwice),
    mutant(
        "deferred-prompts-are-acknowledged-early",
        "deferred-prompt-once",
        DeferredPromptsAreAcknowledgedEarly,
    ),
)

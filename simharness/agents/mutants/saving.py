"""Faults in what a session is given to keep, and in what is made of one that was left open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.entries import Entry, Kept, TakenBack
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.repair import missing_results
from simharness.agents.reference.session import Session, entries_of
from simharness.agents.reference.stream import Attempt
from simharness.trace import assistant, tool_result

if TYPE_CHECKING:
    from collections.abc import Callable

    from simharness.agent import Chunk, SessionStore
    from simharness.agents.reference.cancelling import Cancellation

__all__ = ["MUTANTS"]


class ToolRoundsAreNotSaved(Session):
    """Calls and their results are not written to the store, only what was said."""

    def write_down(self, entry: Entry) -> None:
        tools = isinstance(entry, Kept) and (entry.message.calls or entry.message.role == "tool")
        if not tools:
            super().write_down(entry)


class WritesOutliveTheirRun(Journal):
    """The last writes of a run are left to a task that nobody awaits."""

    async def settle(self, cancellation: Cancellation) -> None:  # noqa: ARG002
        self._writing = asyncio.create_task(self.session.settle())


class FailedWritesAreForgotten(Session):
    """A line that the store would not take is not tried again."""

    async def write(self) -> None:
        while self._unsaved and self._store is not None:
            line = self._unsaved.popleft()
            try:
                await self._store.append(line.text)
            except OSError as error:
                self._tell("store-failed", str(error))
            else:
                self._unchecked.append(line)


class DeltasAreSaved(Attempt):
    """Each piece of an answer is written to the store like a whole one."""

    def show(self, chunk: Chunk) -> None:
        before = len(self.shown)
        super().show(chunk)
        if self.shown[before:]:
            self._journal.session.write_down(Kept(assistant(self.shown[before:])))


class PromptsAreSavedWithTheirAnswer(Session):
    """What the user said is written only once there is an answer to it."""

    def __init__(self, store: SessionStore | None, tell: Callable[[str, str], None]) -> None:
        super().__init__(store, tell)
        self._held: list[Entry] = []

    def write_down(self, entry: Entry) -> None:
        if isinstance(entry, Kept) and entry.message.role == "user":
            self._held.append(entry)
            return
        if isinstance(entry, Kept):
            for held in self._held:
                super().write_down(held)
            self._held.clear()
        super().write_down(entry)


class RepairsLookLikeResults(Session):
    """What was left open is answered as if its tool had returned that the user cancelled it."""

    def repair(self) -> None:
        for result in missing_results(self.history, self._fold.began):
            self.note(Kept(tool_result(result.call_id, "Cancelled by the user.")))
        super().repair()


class RepairsDropTheCall(Session):
    """An answer with a call that was left open is taken back, as if it had never come."""

    def repair(self) -> None:
        missing = {result.call_id for result in missing_results(self.history, ())}
        for place, message in enumerate(self.history):
            if missing & {call.id for call in message.calls}:
                self.note(TakenBack(place))
                break
        super().repair()


class RepairsAnswerOneCall(Session):
    """Of several calls that were left open the first is answered."""

    def repair(self) -> None:
        for result in missing_results(self.history, self._fold.began)[:1]:
            self.note(Kept(result))


class OrphansAreFatal(Session):
    """A result without a call makes the session unreadable, before anything could repair it."""

    def load(self) -> None:
        seen: set[str] = set()
        for entry in entries_of("" if self._store is None else self._store.load()):
            if isinstance(entry, Kept):
                seen |= {call.id for call in entry.message.calls}
                if entry.message.role == "tool" and entry.message.call_id not in seen:
                    raise ValueError(f"no call for the result {entry.message.call_id}")
        super().load()


class OpenCallsAreFatal(Session):
    """A session that ends on a call cannot be loaded: its result is looked up and not found."""

    def load(self) -> None:
        super().load()
        answered = {message.call_id for message in self.history if message.role == "tool"}
        for message in self.history:
            for call in message.calls if message.role == "assistant" else ():
                if call.id not in answered:
                    raise ValueError(f"no result for the call {call.id}")


MUTANTS = (
    mutant("tool-rounds-are-not-saved", "session-equals-history", ToolRoundsAreNotSaved),
    mutant("writes-outlive-their-run", "session-equals-history", WritesOutliveTheirRun),
    mutant("failed-writes-are-forgotten", "session-equals-history", FailedWritesAreForgotten),
    mutant("deltas-are-saved", "persist-eq-delivered", DeltasAreSaved),
    mutant(
        "prompts-are-saved-with-their-answer", "user-input-durable", PromptsAreSavedWithTheirAnswer
    ),
    mutant("repairs-look-like-results", "result-truthful", RepairsLookLikeResults),
    mutant("repairs-drop-the-call", "crash-consistent", RepairsDropTheCall),
    mutant("repairs-answer-one-call", "crash-consistent", RepairsAnswerOneCall),
    mutant("orphans-are-fatal", "history-loadable", OrphansAreFatal),
    mutant("open-calls-are-fatal", "history-loadable", OpenCallsAreFatal),
)

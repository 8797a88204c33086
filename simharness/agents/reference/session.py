"""The session: an append-only log of entries, of which the history is what they add up to.

Entries are noted at once and written when the loop waits for it: before the model is asked, before
a body starts, and at the end of a run, where they are flushed and checked. A store that fails
changes nothing but that a notice is given; what could not be written is tried again the next time.
Without a store the log is only counted.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

import attrs

from simharness.agents.reference.entries import (
    Began,
    Deferred,
    Entry,
    Kept,
    TakenBack,
    TurnOver,
    Withdrawn,
    from_line,
    to_line,
)
from simharness.agents.reference.repair import in_order, missing_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simharness.agent import SessionStore
    from simharness.trace import Message

__all__ = ["Fold", "Line", "Session", "entries_of", "forked"]


@attrs.define
class Fold:
    """What entries add up to. `began` are the calls whose bodies may have run.

    `in_turn`: an answer came and its turn has not ended. `deferred` are the prompts that wait, by
    their numbers.
    """

    history: list[Message] = attrs.field(factory=list)
    began: set[str] = attrs.field(factory=set)
    in_turn: bool = False
    deferred: dict[int, Deferred] = attrs.field(factory=dict)

    def apply(self, entry: Entry) -> None:
        """Add one entry."""
        match entry:
            case Kept(message, deferred):
                self.history.append(message)
                self.deferred.pop(deferred, None)
                self.in_turn = self.in_turn or message.role != "user"
            case Began(call_id):
                self.began.add(call_id)
            case TurnOver():
                self.in_turn = False
            case Deferred(number):
                self.deferred[number] = entry
            case Withdrawn(number):
                self.deferred.pop(number, None)
            case TakenBack(length):
                self.history[:] = in_order(self.history)[:length]

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Fold:
        """The sum of all `entries`, each result behind its call."""
        fold = cls()
        for entry in entries:
            fold.apply(entry)
        fold.history[:] = in_order(fold.history)
        return fold


@attrs.frozen
class Line:
    """A line that is to be written. `number` 0: no entry, only the end of a torn line."""

    number: int
    text: str


class Session:
    """The session of one agent. `tell` is called with kind and text of each notice."""

    def __init__(self, store: SessionStore | None, tell: Callable[[str, str], None]) -> None:
        self._store = store
        self._tell = tell
        self._fold = Fold()
        self._next = 1
        self._unsaved: deque[Line] = deque()
        self._unchecked: list[Line] = []  # the store says that it has them
        self._size = 0  # of the file when it was checked last
        self._sizes_tell = True  # whether only what is unchecked can have made the file longer
        self._left: tuple[Deferred, ...] = ()  # what was deferred in a process that is gone
        self._lock = asyncio.Lock()

    @property
    def history(self) -> list[Message]:
        """The messages, for reading; they change by entries only."""
        return self._fold.history

    @property
    def unsaved(self) -> int:
        """How many lines could not be written so far."""
        return len(self._unsaved)

    @property
    def noted(self) -> int:
        """How many entries the log has, written or not."""
        return self._next - 1

    @property
    def pending(self) -> bool:
        """Whether there is anything to write or to check."""
        return bool(self._unsaved or self._unchecked)

    def note(self, entry: Entry) -> None:
        """Add an entry. It is written with the next `save` or `settle`."""
        self._fold.apply(entry)
        if self._store is not None:
            self.write_down(entry)

    def write_down(self, entry: Entry) -> None:
        """Give an entry its number and its line."""
        self._unsaved.append(Line(self._next, to_line(self._next, entry)))
        self._next += 1

    # --- prompts that wait ----------------------------------------------------------------------

    @property
    def stored(self) -> bool:
        """Whether there is a store, so that a prompt that waits can outlive the process."""
        return self._store is not None

    def defer(self, text: str) -> Deferred:
        """Note a prompt that has to wait."""
        deferred = Deferred(self._next, text)
        self.note(deferred)
        return deferred

    async def secure(self, deferred: Deferred) -> bool:
        """Write what was noted; whether the store has this prompt and will keep it."""
        await self.settle()
        return all(line.number != deferred.number for line in (*self._unsaved, *self._unchecked))

    def waits(self, deferred: Deferred) -> bool:
        """Whether a prompt has neither been heard nor withdrawn."""
        return deferred.number in self._fold.deferred

    def left_over(self) -> list[Deferred]:
        """The prompts that still wait although the process is gone that they came to."""
        return [deferred for deferred in self._left if self.waits(deferred)]

    # --- writing --------------------------------------------------------------------------------

    async def save(self) -> None:
        """Write what was noted."""
        async with self._lock:
            await self.write()

    async def settle(self) -> None:
        """Write what was noted, and make sure that the store has it."""
        async with self._lock:
            await self.write()
            await self.write()  # what failed a moment ago may succeed now
            if await self.check():
                await self.write()
                await self.check()

    async def write(self) -> None:
        """Write in order; behind a line that cannot be written nothing is."""
        while self._unsaved and self._store is not None:
            line = self._unsaved[0]
            try:
                await self._store.append(line.text)
            except OSError as error:
                self._tell("store-failed", str(error))
                return
            except asyncio.CancelledError:
                self._sizes_tell = False  # it may come through all the same, at any time
                raise
            self._unsaved.popleft()
            self._unchecked.append(line)

    async def check(self) -> bool:
        """Flush, and look whether the file grew as it should have; what is missing is unsaved
        again. Whether anything was."""
        if self._store is None or not self._unchecked:
            return False
        try:
            size = await self._store.flush()
        except OSError as error:
            self._tell("store-failed", str(error))
            return False
        grown = sum(len(line.text) + 1 for line in self._unchecked)
        as_said = self._sizes_tell and size == self._size + grown
        missing = [] if as_said else self.missing()
        self._size = size
        self._unchecked.clear()
        self._unsaved.extendleft(reversed(missing))
        if missing:
            self._tell("store-lost", f"{len(missing)} lines were said to be saved and are not")
        return bool(missing)

    def missing(self) -> list[Line]:
        """The lines that the store says it has and has not."""
        assert self._store is not None, "only a store has lines"
        text = self._store.load()
        held = {number for number, _ in _numbered(text)}
        if text.endswith("\n"):
            held.add(0)  # half a line is ended, by whatever came behind it
        return [line for line in self._unchecked if line.number not in held]

    # --- reading --------------------------------------------------------------------------------

    def load(self) -> None:
        """Take up what the store holds. Nothing that stands in it can make this fail."""
        text = "" if self._store is None else self._store.load()
        numbered = _numbered(text)
        fold = Fold.of(entry for _, entry in numbered)
        self._fold.history[:] = fold.history
        self._fold.began, self._fold.in_turn = fold.began, fold.in_turn
        self._fold.deferred = fold.deferred
        self._left = tuple(fold.deferred.values())
        self._next = 1 + max((number for number, _ in numbered), default=0)
        self._size = len(text)
        self._tell_of_unreadable(text)
        if text and not text.endswith("\n"):
            self.end_torn_line()

    def end_torn_line(self) -> None:
        """Write a newline first, or the next line would be glued to half a one."""
        self._unsaved.append(Line(0, ""))

    def _tell_of_unreadable(self, text: str) -> None:
        lines = text.splitlines()
        torn = bool(lines) and not text.endswith("\n") and from_line(lines[-1]) is None
        bad = sum(bool(line) and from_line(line) is None for line in lines) - torn
        if torn:
            self._tell("torn-line", "the last line was cut off and is left out")
        if bad:
            self._tell("unreadable-line", f"{bad} lines cannot be read and are left out")

    def repair(self) -> None:
        """Close what was open when the program ended; nothing, if nothing was."""
        results = missing_results(self.history, self._fold.began)
        for result in results:
            self.note(Kept(result))
        self._fold.history[:] = in_order(self.history)
        if self._fold.in_turn:
            self.note(TurnOver())
        if results:
            self._tell("repaired", f"{len(results)} calls were left without a result")


def entries_of(text: str) -> list[Entry]:
    """The entries of a file in their order; unreadable lines are left out."""
    return [entry for _, entry in _numbered(text)]


def forked(text: str, turn: int | None) -> list[str]:
    """The lines of a session up to the end of its turn number `turn`; all of them, if it has no
    such turn. A prompt that waits is left to the session that it was said in."""
    lines: list[str] = []
    over = 0
    for number, entry in _numbered(text):
        if not isinstance(entry, Deferred):
            lines.append(to_line(number, entry))
        over += isinstance(entry, TurnOver)
        if over == turn:
            break
    return lines


def _numbered(text: str) -> list[tuple[int, Entry]]:
    """The entries of a file by number, each once."""
    read = (from_line(line) for line in text.splitlines())
    found: dict[int, Entry] = {}
    for one in read:
        if one is not None:
            found.setdefault(*one)
    return sorted(found.items(), key=lambda item: item[0])

"""The board: a few bytes that a worker and its parent share, and that outlive the worker.

The worker notes when a trial begins and each choice other than option 0, at the cost of a memory
write. So the parent sees whether it gets on, and after its death which schedule it died of.
"""

from __future__ import annotations

import mmap
import struct
import tempfile
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from simharness.choices import Chooser, Option, Schedule

__all__ = ["Board", "Noting"]

_HEAD = struct.Struct("=QQQ")  # trials begun, runs begun, deviations noted in the latest
_PAIR = struct.Struct("=II")  # point, option
_PAIRS_MOST = 8192  # beyond that a schedule is not kept


class Board:
    """One board. `file` is shared with the other process by its descriptor."""

    def __init__(self, file: IO[bytes] | int) -> None:
        self.fd = file if isinstance(file, int) else file.fileno()
        self._file = file  # kept, so that it stays open
        self._memory = mmap.mmap(self.fd, _HEAD.size + _PAIR.size * _PAIRS_MOST)
        self._noted = 0

    @classmethod
    def create(cls) -> Board:
        """A new board, which disappears with the last process that knows it."""
        file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the board
        file.truncate(_HEAD.size + _PAIR.size * _PAIRS_MOST)
        return cls(file)

    def begin(self, *, again: bool = False) -> None:
        """A trial begins; `again`: the same one in another form, which counts as none."""
        self._noted = 0
        _HEAD.pack_into(self._memory, 0, self.trials + (not again), self.moves + 1, 0)

    def note(self, point: int, option: int) -> None:
        """The trial takes another option than the default at a choice point."""
        if self._noted < _PAIRS_MOST:
            _PAIR.pack_into(self._memory, _HEAD.size + _PAIR.size * self._noted, point, option)
        self._noted += 1
        _HEAD.pack_into(self._memory, 0, self.trials, self.moves, self._noted)

    @property
    def trials(self) -> int:
        """How many trials have begun."""
        return int(_HEAD.unpack_from(self._memory)[0])

    @property
    def moves(self) -> int:
        """Grows whenever something begins: as long as it does, the worker gets on."""
        return int(_HEAD.unpack_from(self._memory)[1])

    @property
    def schedule(self) -> Schedule:
        """What the latest trial has chosen so far; of a very long one only the beginning."""
        noted = min(_HEAD.unpack_from(self._memory)[2], _PAIRS_MOST)
        pairs = [
            _PAIR.unpack_from(self._memory, _HEAD.size + _PAIR.size * number)
            for number in range(noted)
        ]
        return tuple((point, option) for point, option in pairs)

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
        if not isinstance(self._file, int):
            self._file.close()


class Noting:
    """A chooser that notes on the board what another one chooses."""

    def __init__(self, chooser: Chooser, board: Board) -> None:
        self._chooser = chooser
        self._board = board
        self._point = -1

    def choose(self, options: Sequence[Option]) -> int:
        """Let the other choose."""
        self._point += 1
        chosen = self._chooser.choose(options)
        if chosen:
            self._board.note(self._point, chosen)
        return chosen

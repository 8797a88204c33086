"""Messages between a worker and its parent: pickles behind their length, over a pipe.

Both ends are the same program on the same machine, and each reads only what the other wrote. This
is no protection against an agent that attacks the harness: it runs with the user's own rights.
"""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Iterator
from typing import Any

__all__ = ["Receiver", "send", "wait_for"]

_LENGTH = struct.Struct("=Q")
_PIECE = 1 << 16


def send(fd: int, message: object) -> None:
    """Write one message, whole. Raises OSError if nobody is there to read it."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    left = memoryview(_LENGTH.pack(len(data)) + data)
    while left:
        left = left[os.write(fd, left) :]


class Receiver:
    """Puts messages together from what has arrived, so that a reader never waits for a rest."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = bytearray()
        self.ended = False

    def arrived(self) -> Iterator[Any]:
        """Read once, and give the messages that are complete now."""
        piece = os.read(self._fd, _PIECE)
        self.ended = not piece
        self._buffer += piece
        while len(self._buffer) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                return
            message = bytes(self._buffer[_LENGTH.size : end])
            del self._buffer[:end]
            yield pickle.loads(message)  # noqa: S301 - from our own other half


def wait_for(receiver: Receiver) -> Iterator[Any]:
    """All messages until the other side is gone."""
    while not receiver.ended:
        yield from receiver.arrived()

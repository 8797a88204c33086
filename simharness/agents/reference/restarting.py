"""Restarting: a stream is given up so that its turn goes on with a new one.

Made for a context that has grown too large. Not a stop: no terminal, no note, no failure.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.agents.reference.cancelling import Cancellation

__all__ = ["Restart"]


class Restart:
    """Whether one stream is to be given up. It is the stream's `signal`, as a cancel is, too."""

    def __init__(self, cancellation: Cancellation) -> None:
        self.reason = ""
        self._cancellation = cancellation
        self._scope: asyncio.Timeout | None = None
        self._seconds = 0.0

    def is_set(self) -> bool:
        """Whether the stream is not wanted any more, for whatever reason."""
        return bool(self.reason) or self._cancellation.is_set()

    def set(self, reason: str) -> None:
        """Give the stream up, if the run is not over with it anyway.

        One that is only being asked for is read all the same, to be told. A cancel of the task may
        be on its way that is no caller's: that of a limit of silence. It ends the stream too, and
        another one takes its place all the same.
        """
        if not (self.reason or self._cancellation.is_set()):
            self.reason = reason
            self._bound()

    @contextlib.contextmanager
    def within(self, scope: asyncio.Timeout, seconds: float) -> Iterator[None]:
        """Read the stream in `scope`, which ends `seconds` after the stream is given up.

        A wait within the reading has a scope of its own: the timeout of one scope must not end
        another, which would take it for a cancel of the task.
        """
        outer = self._scope, self._seconds
        self._scope, self._seconds = scope, seconds
        self._bound()
        try:
            yield
        finally:
            self._scope, self._seconds = outer
            self._bound()

    def _bound(self) -> None:
        if self.reason and self._scope is not None and not self._scope.expired():
            self._scope.reschedule(asyncio.get_running_loop().time() + self._seconds)

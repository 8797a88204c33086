"""Restarting: a stream is given up so that its turn goes on with a new one.

Made for a context that has grown too large. Not a stop: no terminal, no note, no failure.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agents.reference.contract import CANCEL_BOUND_S

if TYPE_CHECKING:
    from simharness.agents.reference.cancelling import Cancellation

__all__ = ["Restart"]


class Restart:
    """Whether one stream is to be given up. It is the stream's `signal`, as a cancel is, too.

    `scope` is that in which the stream is read.
    """

    def __init__(self, cancellation: Cancellation) -> None:
        self.reason = ""
        self.scope: asyncio.Timeout | None = None
        self._cancellation = cancellation

    def is_set(self) -> bool:
        """Whether the stream is not wanted any more, for whatever reason."""
        return bool(self.reason) or self._cancellation.is_set()

    def set(self, reason: str) -> None:
        """Give the stream up, unless the run is over with it anyway.

        It may react as to a cancel; then it is left.
        """
        if self.reason or self._cancellation.called or self.scope is None:
            return
        self.reason = reason
        self.scope.reschedule(asyncio.get_running_loop().time() + CANCEL_BOUND_S)

"""The gate: where prompts wait while an agent is quiesced."""

from __future__ import annotations

import asyncio
from collections import deque

__all__ = ["Gate"]


class Gate:
    """Open, it lets every prompt pass. Closed, it keeps them in the order in which they came."""

    def __init__(self) -> None:
        self.closed = False
        self._line: deque[asyncio.Future[None]] = deque()

    async def passed(self) -> None:
        """Wait until the gate is open, or until this one is let through."""
        if not self.closed:
            return
        place = asyncio.get_running_loop().create_future()
        self._line.append(place)
        await place

    def let_one(self) -> None:
        """Let the prompt pass that has waited longest."""
        while self._line:
            place = self._line.popleft()
            if not place.done():
                place.set_result(None)
                return

    def close(self) -> None:
        """Keep prompts from now on."""
        self.closed = True

    def open(self) -> None:
        """Let all prompts pass, those that wait in their order."""
        self.closed = False
        while self._line:
            self.let_one()

"""The gate: where prompts wait while an agent is quiesced."""

from __future__ import annotations

import asyncio

__all__ = ["Gate"]


class Gate:
    """Open, it lets every prompt pass. Closed, it keeps them in the order in which they came."""

    def __init__(self) -> None:
        self.closed = False
        self._line: dict[object, asyncio.Future[None]] = {}

    async def passed(self, who: object) -> None:
        """Wait until the gate is open, or until `who` is let through."""
        if not self.closed:
            return
        place = self._line[who] = asyncio.get_running_loop().create_future()
        await place

    def let(self, who: object) -> None:
        """Let one pass, if it waits."""
        place = self._line.pop(who, None)
        if place is not None and not place.done():
            place.set_result(None)

    def close(self) -> None:
        """Keep prompts from now on."""
        self.closed = True

    def open(self) -> None:
        """Let all prompts pass, those that wait in their order."""
        self.closed = False
        for who in tuple(self._line):
            self.let(who)

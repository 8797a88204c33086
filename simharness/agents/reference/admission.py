"""Admission: one run at a time, and a line of those who wait for theirs."""

from __future__ import annotations

import asyncio
from collections import deque

__all__ = ["Admission", "BusyError"]


class BusyError(Exception):
    """A prompt came while a run was in progress."""


class Admission:
    """Lets one run in at a time. Who waits is let in in the order in which they came."""

    def __init__(self) -> None:
        self._taken = False
        self._line: deque[asyncio.Future[None]] = deque()

    @property
    def taken(self) -> bool:
        """Whether a run is in progress."""
        return self._taken

    @property
    def waited_for(self) -> bool:
        """Whether somebody waits in line."""
        return bool(self._line)

    async def enter(self) -> None:
        """Begin a run, behind all those who came before."""
        if not self._taken:
            self._taken = True
            return
        place = asyncio.get_running_loop().create_future()
        self._line.append(place)
        try:
            await place
        except asyncio.CancelledError:
            self._give_up(place)
            raise

    def _give_up(self, place: asyncio.Future[None]) -> None:
        """Leave the line; who was let in at the same moment lets the next one in."""
        if place in self._line:
            self._line.remove(place)
        elif not place.cancelled():
            self.leave()

    def leave(self) -> None:
        """End a run. Its place goes to the one who has waited longest."""
        while self._line:
            place = self._line.popleft()
            if not place.cancelled():
                place.set_result(None)
                return
        self._taken = False

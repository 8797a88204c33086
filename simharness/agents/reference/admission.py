"""Admission: one run at a time, and what becomes of a prompt that comes during one."""

from __future__ import annotations

import asyncio
from collections import deque

__all__ = ["Admission", "BusyError"]


class BusyError(Exception):
    """A prompt came while a run was in progress, and could not or may not wait for its turn."""


class Admission:
    """Lets one run in at a time. Who waits is let in in the order in which they came."""

    def __init__(self) -> None:
        self._taken = False
        self._line: deque[asyncio.Future[bool]] = deque()

    @property
    def taken(self) -> bool:
        """Whether a run is in progress."""
        return self._taken

    async def wait(self) -> None:
        """Begin a run, behind those who came before; `BusyError` if they are turned away."""
        if not self._taken:
            self._taken = True
            return
        place = asyncio.get_running_loop().create_future()
        self._line.append(place)
        try:
            admitted = await place
        except asyncio.CancelledError:
            self._give_up(place)
            raise
        if not admitted:
            raise BusyError("turned away by the cancel of the run before it")

    def _give_up(self, place: asyncio.Future[bool]) -> None:
        """Leave the line; who was let in at the same moment lets the next one in."""
        if place in self._line:
            self._line.remove(place)
        elif place.done() and not place.cancelled() and place.result():
            self.leave()

    def leave(self) -> None:
        """End a run. Its place goes to the one who has waited longest."""
        if self._line:
            self._line.popleft().set_result(True)
        else:
            self._taken = False

    def turn_away(self) -> None:
        """Send everybody home who waits."""
        while self._line:
            self._line.popleft().set_result(False)

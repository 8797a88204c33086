"""Virtual clock and timers. Time moves only when the boundary loop says so.

Nothing here knows about tasks or choices.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import Context
from heapq import heappop, heappush
from typing import Any

from simharness.world.handles import Ready, Timer

INFINITY = float("inf")
RESOLUTION_S = 1e-9
"""Stock's clock resolution: a timer due within it counts as due (0.1 + 0.2 > 0.3)."""


class Clock:
    """The virtual time in seconds and the timers that wait for it."""

    __slots__ = ("_made", "heap", "now")

    def __init__(self) -> None:
        self.now = 0.0
        self.heap: list[tuple[float, int, Timer]] = []
        self._made = 0

    def at(
        self, when: float, callback: Callable[..., object], args: tuple[Any, ...], context: Context
    ) -> Timer:
        """Add a timer for time `when`. Equal deadlines keep creation order."""
        timer = Timer(when, callback, args, context)
        self._made += 1
        heappush(self.heap, (when, self._made, timer))
        return timer

    def deadline(self) -> float:
        """When the earliest live timer is due; infinity if there is none."""
        heap = self.heap
        while heap and heap[0][2]._cancelled:
            heappop(heap)
        return heap[0][0] if heap else INFINITY

    def take_due(self, ready: deque[Ready]) -> bool:
        """Move all timers that are due to `ready`, by (deadline, creation order); if any was."""
        heap = self.heap
        end = self.now + RESOLUTION_S
        found = False
        while heap and heap[0][0] <= end:
            timer = heappop(heap)[2]
            if not timer._cancelled:
                ready.append(timer)
                found = True
        return found

    def live(self) -> list[Timer]:
        """The timers that are still set, in order."""
        return [timer for _, _, timer in sorted(self.heap) if not timer._cancelled]

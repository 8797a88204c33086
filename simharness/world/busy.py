"""Busy boundaries: handles that spin without anything happening.

anyio delivers a cancel again and again while a child swallows it; each round looks like a loop
boundary at which anything may be chosen. Such boundaries are recognised by the handles that are
ready and offer no choice. Nothing is compared before the ninth boundary without progress, so this
costs nothing elsewhere.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from simharness.world.handles import Ready, describe
from simharness.world.tasks import coroutine_name, frames_of, where

if TYPE_CHECKING:
    from simharness.world.boundaries import Boundaries
    from simharness.world.limits import Limits

Combination = tuple[object, ...]


class Busy:
    """Counts repeated combinations of ready handles since the last progress."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._seen: Counter[Combination] = Counter()
        self.progress = -1  # at the boundary before; without a change, `check` is asked
        self._since = -1  # the progress at which counting began
        self._still = 0  # boundaries since the last progress
        self._row = 0  # busy boundaries in a row
        self.spins = 0  # busy boundaries since the last progress
        self._last: list[Ready] = []

    def check(self, boundaries: Boundaries) -> bool:
        """Whether this boundary is busy; called where the one before brought no progress."""
        if self._since != self.progress:
            self._since = self.progress
            self._seen.clear()
            self._still = self._row = self.spins = 0
        self._still += 1
        if self._still <= self._limits.busy_after:
            return False
        self._last = list(boundaries.loop.ready)
        combination = tuple(_identity(handle) for handle in self._last)
        self._seen[combination] += 1
        if self._seen[combination] <= self._limits.busy_after:
            self._row = 0
            return False
        self._row += 1
        self.spins += 1
        return True

    def must_force(self) -> bool:
        """Whether so many busy boundaries came in a row that a delivery is forced."""
        if self._row <= self._limits.forced_after:
            return False
        self._row = 0
        return True

    def hopeless(self) -> bool:
        """Whether it spun for so long, with nothing pending, that nothing else will happen."""
        return self.spins >= self._limits.still

    def describe(self) -> str:
        """Who spins, for the text of a livelock."""
        names = sorted({_name(handle) for handle in self._last})
        return "spinning: " + ", ".join(names)


def _identity(handle: Ready) -> object:
    callback = handle._callback
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        frames = () if owner.done() else tuple(frames_of(owner))
        return (owner, frames)
    return (getattr(callback, "__qualname__", callback), id(owner))


def _name(handle: Ready) -> str:
    owner = getattr(handle._callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return coroutine_name(owner) if owner.done() else where(owner)
    return describe(handle)

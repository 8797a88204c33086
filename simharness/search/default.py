"""The default strategy: one trial, the empty schedule.

Its trial is the run a stock event loop makes when every delivery comes alone, after the loop has
gone idle. What fails here needs no search to be reproduced.
"""

from __future__ import annotations

from simharness.choices import EMPTY, Schedule
from simharness.search.plan import Known, Planned, Player, Shape

__all__ = ["Default"]


class Default:
    """Runs the empty schedule once."""

    name = "default"

    def __init__(self, known: Known | None = None) -> None:
        self._points: int | None = None
        self._player = Player(iter([[EMPTY]]), self._see, known, remembers=True)

    def propose(self) -> Planned | None:
        """Return the empty schedule, then nothing."""
        return self._player.propose()

    def take(self, shape: Shape | None) -> None:
        """Keep the shape."""
        self._player.take(shape)

    def exhausted(self) -> bool:
        """Tell whether the default trial met no choice point at all."""
        return self._points == 0

    def exhausted_to(self) -> int | None:
        """Return 0 once the trial was run."""
        return None if self._points is None else 0

    def describe(self) -> str:
        """Say that the default schedule was run, and how much choice it left."""
        if self._points is None:
            return "default schedule: not run"
        return f"default schedule ({self._points} choice points)"

    def _see(self, _: Schedule, shape: Shape | None) -> None:
        assert shape is not None, "option 0 is always there"
        self._points = len(shape.counts)

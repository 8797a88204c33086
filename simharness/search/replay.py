"""Replay: one trial, under a schedule that is given.

Replay codes and the words for drift belong to `simharness.replay.code`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.plural import plural
from simharness.search.plan import Planned, Player, Shape

if TYPE_CHECKING:
    from simharness.choices import Schedule

__all__ = ["Replay"]


class Replay:
    """Runs `schedule` once."""

    name = "replay"

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self._followed: bool | None = None
        self._player = Player(iter([[schedule]]), self._see)

    def propose(self) -> Planned | None:
        """Return the schedule, then nothing."""
        return self._player.propose()

    def take(self, shape: Shape | None) -> None:
        """Keep whether the schedule was really taken."""
        self._player.take(shape)

    def exhausted(self) -> bool:
        """Tell False: one schedule is not all."""
        return False

    def exhausted_to(self) -> int | None:
        """Return 0 if the empty schedule was replayed, else None."""
        return 0 if self._followed and not self.schedule else None

    def describe(self) -> str:
        """Say whether the trial followed the schedule."""
        if self._followed is None:
            return "replay: not run"
        count = len(self.schedule)
        followed = "followed" if self._followed else "not followed"
        return f"replay: schedule of {plural(count, 'deviation')} {followed}"

    def _see(self, _: Schedule, shape: Shape | None) -> None:
        self._followed = shape is not None

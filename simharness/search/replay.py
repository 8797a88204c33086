"""Replay: one trial, under a schedule that is given.

Replay codes and the words for drift belong to `simharness.replay.code`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.choices import Chooser, Schedule, ScheduleChooser

if TYPE_CHECKING:
    from simharness.verdict import Verdict

__all__ = ["Replay"]


class Replay:
    """Runs `schedule` once."""

    name = "replay"

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self._ran: Schedule | None = None
        self._begun = False

    def begin(self) -> Chooser | None:
        """Return the chooser of the schedule, then None."""
        if self._begun:
            return None
        self._begun = True
        return ScheduleChooser(self.schedule)

    def end(self, verdict: Verdict) -> None:
        """Keep which schedule was really taken."""
        self._ran = verdict.schedule

    def exhausted(self) -> bool:
        """Tell False: one schedule is not all."""
        return False

    def exhausted_to(self) -> int | None:
        """Return 0 if the empty schedule was replayed, else None."""
        return 0 if self._ran == () else None

    def describe(self) -> str:
        """Say whether the trial followed the schedule."""
        if self._ran is None:
            return "replay: not run"
        count = len(self.schedule)
        followed = "followed" if self._ran == self.schedule else "not followed"
        return f"replay: schedule of {count} deviation{'' if count == 1 else 's'} {followed}"

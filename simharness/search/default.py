"""The default strategy: one trial, the empty schedule.

Its trial is the run a stock event loop makes when every delivery comes alone, after the loop has
gone idle. What fails here needs no search to be reproduced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.choices import EMPTY, Chooser, Course
from simharness.search.plan import Known, Plan, Player

if TYPE_CHECKING:
    from simharness.verdict import Verdict

__all__ = ["Default"]


class Default:
    """Runs the empty schedule once."""

    name = "default"

    def __init__(self, known: Known | None = None) -> None:
        self._course: Course | None = None
        self._player = Player(self._plan(), known, remembers=True)

    def begin(self) -> Chooser | None:
        """Return the chooser of the empty schedule, then None."""
        return self._player.begin()

    def end(self, verdict: Verdict) -> None:
        """Keep the course."""
        self._player.end(verdict)
        self._course = verdict.course

    def exhausted(self) -> bool:
        """Tell whether the default trial met no choice point at all."""
        return self._course == ()

    def exhausted_to(self) -> int | None:
        """Return 0 once the trial was run."""
        return None if self._course is None else 0

    def describe(self) -> str:
        """Say that the default schedule was run, and how much choice it left."""
        if self._course is None:
            return "default schedule: not run"
        return f"default schedule ({len(self._course)} choice points)"

    def _plan(self) -> Plan:
        self._course = yield EMPTY

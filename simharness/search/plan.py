"""Plans: strategies that know in advance which schedule they want next.

A plan is a generator that yields schedules and is sent the course of each trial, so that a strategy
reads from top to bottom. `Player` turns it into the begin and end of a strategy. A course that is
already known is sent at once, without a trial: no schedule runs twice in a portfolio.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

from simharness.choices import Chooser, Course, Schedule, ScheduleChooser

if TYPE_CHECKING:
    from simharness.verdict import Verdict

__all__ = ["Known", "Plan", "Player", "coarse_to_fine"]

Plan = Generator[Schedule, Course | None, None]
"""Yields the schedule to run; is sent its course, or None if the trial did not follow it."""

Known = dict[Schedule, Course]
"""Courses of trials that need not run again."""


class Player:
    """Plays the schedules a plan asks for.

    `known` is read and, if `remembers`, filled. `strays` counts the trials that did not follow
    their schedule: the program is then not deterministic and nothing was proved about it.
    """

    def __init__(self, plan: Plan, known: Known | None = None, *, remembers: bool = False) -> None:
        self._plan = plan
        self._known: Known = {} if known is None else known
        self._remembers = remembers
        self._wanted: Schedule | None = None
        self._started = False
        self._answer: Course | None = None
        self.strays = 0

    def begin(self) -> Chooser | None:
        """Return the chooser for the next schedule whose course is not known yet."""
        while (wanted := self._advance()) is not None:
            self._answer = self._known.get(wanted)
            if self._answer is None:
                self._wanted = wanted
                return ScheduleChooser(wanted)
        return None

    def end(self, verdict: Verdict) -> None:
        """Keep the course of the trial for the plan."""
        assert self._wanted is not None, "end() without begin()"
        if verdict.schedule != self._wanted:
            self.strays += 1
            self._answer = None
            return
        self._answer = verdict.course
        if self._remembers:
            self._known[self._wanted] = verdict.course

    def _advance(self) -> Schedule | None:
        try:
            if self._started:
                return self._plan.send(self._answer)
            self._started = True
            return next(self._plan)
        except StopIteration:
            return None


def coarse_to_fine(count: int) -> Iterator[int]:
    """Yield 0 .. count-1 once each, spread out: first far apart, then in between.

    A budget that ends early has then looked at the whole length of a trial, not only at its start.
    (The numbers with their bits reversed, as in the van der Corput sequence.)
    """
    width = max(count - 1, 0).bit_length()
    for number in range(1 << width):
        mirrored = int(f"{number:0{width}b}"[::-1], 2)
        if mirrored < count:
            yield mirrored

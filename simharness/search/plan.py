"""Plans: strategies that know in advance which schedules they want next.

A plan is a generator of rounds, so that a strategy reads from top to bottom. The trials of a round
may run at once; the strategy sees their shapes in the order of the round, and all of them before
it is asked for the next one. `Player` turns that into the proposals of a strategy. A shape that is
already known is shown without a trial: no schedule runs twice in a portfolio.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import attrs

from simharness.choices import Chooser, Course, Schedule, ScheduleChooser

if TYPE_CHECKING:
    from simharness.verdict import Verdict

__all__ = ["Known", "Plan", "Planned", "Player", "Shape", "coarse_to_fine"]


@attrs.frozen(eq=False)
class Shape:
    """How many options each point of a trial offered: enough to plan deviations from it.

    `same`: the option of each that leads to the same trial, or 0. `course` is kept of the default
    trial only; it is too long to be sent around for each.
    """

    counts: array[int]
    same: array[int]
    course: Course | None

    @classmethod
    def of(cls, course: Course) -> Shape:
        """The shape of a trial."""
        default = not any(point.chosen for point in course)
        counts = array("H", (len(point.options) for point in course))
        same = array("H", (point.same for point in course))
        return cls(counts, same, course if default else None)


Plan = Iterator[Iterable[Schedule]]
"""Yields the schedules of one round after the other."""

Known = dict[Schedule, Shape]
"""Shapes of trials that need not run again."""

Seen = Callable[[Schedule, Shape | None], None]
"""Takes the shape of a trial, or None if the trial did not follow its schedule."""


@attrs.frozen
class Planned:
    """A trial with a given schedule."""

    schedule: Schedule

    def chooser(self) -> Chooser:
        """Return what replays the schedule."""
        return ScheduleChooser(self.schedule)

    def read(self, verdict: Verdict) -> Shape | None:
        """Return the shape, or None if the trial did not follow the schedule."""
        return Shape.of(verdict.course) if verdict.schedule == self.schedule else None

    def __str__(self) -> str:
        return " ".join(f"{point}:{option}" for point, option in self.schedule) or "default"


class Player:
    """Proposes the schedules of a plan and shows their shapes to `seen`.

    `known` is read and, if `remembers`, filled. `strays` counts the trials that did not follow
    their schedule: the program is then not deterministic and nothing was proved about it.
    """

    def __init__(
        self, plan: Plan, seen: Seen, known: Known | None = None, *, remembers: bool = False
    ) -> None:
        self._plan = plan
        self._seen = seen
        self._known: Known = {} if known is None else known
        self._remembers = remembers
        self._round: Iterator[Schedule] = iter(())
        self._out: deque[tuple[Schedule, Shape | None]] = deque()  # in order; None: not answered
        self.strays = 0

    def propose(self) -> Planned | None:
        """Return the next schedule whose shape is not known yet, if the round has one."""
        while True:
            for wanted in self._round:
                shape = self._known.get(wanted)
                self._out.append((wanted, shape))
                if shape is None:
                    return Planned(wanted)
                self._show()
            following = None if self._out else next(self._plan, None)
            if following is None:
                return None
            self._round = iter(following)

    def take(self, shape: Shape | None) -> None:
        """Show the shape of the earliest trial that is out, and those known behind it."""
        assert self._out, "an answer to no proposal"
        schedule, _ = self._out.popleft()
        if shape is None:
            self.strays += 1
        elif self._remembers:
            self._known[schedule] = shape
        self._seen(schedule, shape)
        self._show()

    def _show(self) -> None:
        """Show the known shapes that nothing unanswered stands before."""
        while self._out and self._out[0][1] is not None:
            self._seen(*self._out.popleft())


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

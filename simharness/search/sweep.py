"""The sweep: one action, placed at every loop boundary of the default trial in turn.

Linear in the length of the trial and complete for one placement of an `anywhere` action. It does
not combine the placement with any other deviation; `bounded` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.choices import EMPTY, Course, Kind, Schedule
from simharness.search.plan import Known, Plan, Planned, Player, Shape, coarse_to_fine

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Sweep", "placements"]


class Sweep:
    """Runs the default schedule, then each placement of each `anywhere` action."""

    name = "sweep"

    def __init__(self, known: Known | None = None) -> None:
        self._default: Course | None = None
        self._places = 0
        self._done = 0
        self._player = Player(self._plan(), self._see, known, remembers=True)

    def propose(self) -> Planned | None:
        """Return the next placement."""
        return self._player.propose()

    def take(self, shape: Shape | None) -> None:
        """Take in the shape; the course of the default trial defines the placements."""
        self._player.take(shape)

    def exhausted(self) -> bool:
        """Tell whether the default trial met no choice point at all."""
        return self._default == ()

    def exhausted_to(self) -> int | None:
        """Return 0 once the default trial was run: a sweep is no full bound of 1."""
        return None if self._default is None else 0

    def describe(self) -> str:
        """Say how many of the placements were run."""
        if self._default is None:
            return "sweep: not run"
        if not self._places:
            return "sweep: no action to place"
        count = f"{self._done}" if self._done == self._places else f"{self._done} of {self._places}"
        strays = f", {self._player.strays} did not replay" if self._player.strays else ""
        return f"sweep: {count} loop boundaries{strays}"

    def _plan(self) -> Plan:
        yield [EMPTY]
        if self._default is None:
            return
        found = list(placements(self._default))
        self._places = len(found)
        yield (found[number] for number in coarse_to_fine(len(found)))

    def _see(self, schedule: Schedule, shape: Shape | None) -> None:
        if schedule != EMPTY:
            self._done += 1
        elif shape is not None:
            self._default = shape.course


def placements(course: Course) -> Iterator[Schedule]:
    """Yield one schedule per loop boundary and `anywhere` action of the default trial's `course`.

    With handles ready, a boundary asks last of all "run them?". The action is taken instead and so
    lands behind what the default delivers there, a chunk and the cancel in one batch; the boundary
    then asks again and runs both.

    With nothing ready, the action would land before that boundary's delivery. Nothing was left to
    run, so this is the same place as the end of the boundary before, and it is skipped, except
    where the point before is not such an end (the first point of all, or behind a bare timer).
    """
    swept: frozenset[str] = frozenset()  # labels placed at the end of the boundary before
    for number, point in enumerate(course):
        running = point.options[0].kind is Kind.RUN
        placed = set()
        for option, offered in enumerate(point.options):
            if offered.kind is not Kind.ANYWHERE or option == 0:
                continue
            if running:
                placed.add(offered.label)
            elif offered.label in swept:
                continue
            yield ((number, option),)
        swept = frozenset(placed)

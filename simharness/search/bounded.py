"""Bounded search: every schedule with at most `limit` deviations, fewest first.

Deviation bounding as in delay-bounded scheduling (Emmi, Qadeer and Rakamaric, POPL 2011), here with
the default order of the world instead of a round-robin scheduler: most bugs need few surprises.
Without a limit it is an exhaustive enumeration.

On the last level it leaves out what the world knows to be the same trial as another (`Point.same`).
Before that nothing is pruned: behind such a schedule there may be others.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import attrs

from simharness.choices import EMPTY, Schedule
from simharness.plural import plural
from simharness.search.plan import Known, Plan, Planned, Player, Shape, coarse_to_fine

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator

__all__ = ["Bounded"]


@attrs.frozen(eq=False)
class _Parent:
    """A schedule that was run: how many options each point from `first` on offered."""

    schedule: Schedule
    first: int
    counts: array[int]
    same: array[int]  # which option of each leads to the same trial; 0: none

    @property
    def more(self) -> int:
        """How many schedules have exactly one deviation more."""
        return sum(self.counts) - len(self.counts)

    @property
    def known(self) -> int:
        """How many of them are the same trial as this one."""
        return len(self.same) - self.same.count(0)

    def children(self, *, last: bool) -> Iterator[Schedule]:
        """Add one deviation behind the last one, so that each schedule has one parent.

        `last`: only those that are not known to be the same trial.
        """
        for number in coarse_to_fine(len(self.counts)):
            left_out = self.same[number] if last else 0
            for option in range(1, self.counts[number]):
                if option != left_out:
                    yield (*self.schedule, (self.first + number, option))


class Bounded:
    """Runs all schedules with 0, 1, 2 ... `limit` deviations (None: no limit), each exactly once.

    Points behind a deviation differ from schedule to schedule, so the children of a schedule come
    from its own shape. Kept in memory are the shapes of one level, four bytes per point.
    """

    def __init__(self, limit: int | None = None, known: Known | None = None) -> None:
        assert limit is None or limit >= 0, f"a bound cannot be negative: {limit}"
        self.limit = limit
        self._complete: int | None = None  # the level up to which everything was run
        self._complete_count = 0
        self._ran = 0  # of the level that is being run
        self._level_size = 1
        self._beyond = 0  # how many schedules have one deviation more than the level
        self._known = 0  # how many of those are known to be the same trial as another
        self._skipped = 0  # how many of the level are not run because of that
        self._left_out = 0  # of all levels
        self._parents: deque[_Parent] = deque()  # of those schedules
        self._whole = False
        self._player = Player(self._plan(), self._see, known)

    @property
    def name(self) -> str:
        """`bounded C`, or `exhaustive` without a limit."""
        return "exhaustive" if self.limit is None else f"bounded {self.limit}"

    def propose(self) -> Planned | None:
        """Return the next schedule."""
        return self._player.propose()

    def take(self, shape: Shape | None) -> None:
        """Take in the shape, from which the children are enumerated."""
        self._player.take(shape)

    def exhausted(self) -> bool:
        """Tell whether no schedule is left, of any number of deviations."""
        return self._whole

    def exhausted_to(self) -> int | None:
        """Return the number of deviations up to which every schedule was run."""
        return self._complete

    def describe(self) -> str:
        """Say up to where the enumeration is complete and what was left out."""
        if strays := self._player.strays:
            trials = (
                "1 trial did not follow its" if strays == 1 else f"{strays} did not follow their"
            )
            return f"{self.name}: {trials} schedule, nothing is proved"
        if self._complete is None:
            return f"{self.name}: not run"
        if self._whole:
            return f"exhausted: all {_schedules(self._complete_count)}"
        verb = "is" if self._left_out == 1 else "are"
        same = f", {self._left_out:,} more {verb} the same" if self._left_out else ""
        done = f"exhaustive up to {self._complete} ({_schedules(self._complete_count)}{same})"
        level = f"with {plural(self._complete + 1, 'deviation')}"
        if not self._ran:
            least = "at least " if self._left_out else ""
            return f"{done}; {least}{_schedules(self._level_size)} {level} not run"
        return f"{done}; {self._ran:,} of {_schedules(self._level_size)} {level} run, not the rest"

    def _plan(self) -> Plan:
        level: Iterator[Schedule] = iter((EMPTY,))
        bound = 0
        while True:
            self._parents = deque()
            self._beyond = self._known = 0
            yield level
            self._finish_level(bound)
            if bound == self.limit or not self._beyond:
                return
            bound += 1
            level = _drain(self._parents, last=bound == self.limit)

    def _see(self, schedule: Schedule, shape: Shape | None) -> None:
        self._ran += 1
        if shape is None:
            return
        first = schedule[-1][0] + 1 if schedule else 0
        parent = _Parent(schedule, first, shape.counts[first:], shape.same[first:])
        self._beyond += parent.more
        self._known += parent.known
        if parent.more and len(schedule) != self.limit:
            self._parents.append(parent)

    def _finish_level(self, bound: int) -> None:
        if not self._player.strays:
            self._complete = bound
            self._whole = not self._beyond and not self._skipped
        self._complete_count += self._ran
        self._left_out += self._skipped
        self._ran = 0
        self._skipped = self._known if bound + 1 == self.limit else 0
        self._level_size = self._beyond - self._skipped


def _drain(parents: deque[_Parent], *, last: bool) -> Iterator[Schedule]:
    while parents:
        yield from parents.popleft().children(last=last)


def _schedules(count: int) -> str:
    return plural(count, "schedule")

"""Choices and schedules: what the world offers, and which option was taken.

A *choice point* is a moment at which the world could go on in more than one way. Points are
numbered from 0 in the order they are met; option 0 is always the boring one. A schedule names only
the points at which something else was chosen. Nothing here knows about asyncio or agents.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import attrs

__all__ = [
    "EMPTY",
    "Chooser",
    "Course",
    "Kind",
    "Option",
    "Point",
    "Schedule",
    "ScheduleChooser",
    "WordedDeviation",
    "as_schedule",
    "deviations",
    "on_time",
]


class Kind(enum.Enum):
    """What taking an option means for the world."""

    RUN = "run"  # run the handles that are ready
    ACTION = "action"  # a user action placed by the scenario
    ANYWHERE = "anywhere"  # a user action the search may place at any point
    SOURCE = "source"  # the next delivery of a stream, tool, store ...
    POST = "post"  # a call another thread made on the loop
    TIME = "time"  # time passes to the next timer
    STEP = "step"  # relaxed mode only: which ready task goes first


@attrs.frozen(eq=False)
class Option:
    """One way to go on. `owner` names the source, so strategies can give priorities to sources.

    `topic` names what the step touches, where that is known: steps of one topic may race.
    """

    label: str
    kind: Kind
    owner: str
    topic: str = ""


class Point(NamedTuple):
    """One choice point of a finished trial: what was offered and what was taken.

    `at` is how many records the trace had when the choice was made, for reports; -1: not noted.
    `same`: the option that is known to lead to the very same trial, if nothing but the first option
    is taken from here on; 0: none is known.
    """

    options: tuple[Option, ...]
    chosen: int
    at: int = -1
    same: int = 0


Course = tuple[Point, ...]
"""The choice points of one trial, in order."""

Schedule = tuple[tuple[int, int], ...]
"""Sorted (point, option) pairs; every point not named takes option 0."""

EMPTY: Schedule = ()


@attrs.frozen
class WordedDeviation:
    """One deviation in words: it outlives a change of the agent that moves every point.

    `takes` is the label of what is taken. It is taken at the `place`-th point, counted behind the
    deviation before, that offers it while `before` is still to come, or once `after` is over. Both
    are labels too; without one every point that offers it counts.
    """

    takes: str
    before: str = ""
    after: str = ""
    place: int = 1

    def __str__(self) -> str:
        where = f" before {self.before}" if self.before else ""
        where = f" after {self.after}" if self.after else where
        return f"{self.takes}{where}" + (f", place {self.place}" if self.place > 1 else "")


class Chooser(Protocol):
    """Answers the world's questions during one trial."""

    def choose(self, options: Sequence[Option]) -> int:
        """Return the index of the option to take; 0 <= index < len(options), len(options) >= 2."""
        ...


class ScheduleChooser:
    """Replays a schedule. An option that no longer exists falls back to 0 and marks the drift."""

    def __init__(self, schedule: Schedule = EMPTY) -> None:
        self._wanted = dict(schedule)
        self._point = -1
        self.drifted_at: int | None = None

    def choose(self, options: Sequence[Option]) -> int:
        """Take what the schedule says at this point, else option 0."""
        self._point += 1
        if not self._wanted:
            return 0
        option = self._wanted.get(self._point, 0)
        if option >= len(options):
            if self.drifted_at is None:
                self.drifted_at = self._point
            return 0
        return option

    @property
    def unreached(self) -> int:
        """How many deviations lie beyond the last point that was met."""
        return sum(1 for point in self._wanted if point > self._point)


def as_schedule(pairs: Iterable[tuple[int, int]]) -> Schedule:
    """Sort `pairs` and drop those that name option 0."""
    return tuple(sorted((point, option) for point, option in pairs if option))


def deviations(course: Course) -> Schedule:
    """The schedule that replays `course`."""
    return tuple((number, point.chosen) for number, point in enumerate(course) if point.chosen)


def on_time(course: Course) -> bool:
    """Whether nothing in `course` was made late: only then do its virtual seconds mean anything.

    The actions that a search places come at once, and which task goes first takes no time either.
    """
    harmless = (Kind.ANYWHERE, Kind.STEP)
    return all(not p.chosen or p.options[p.chosen].kind in harmless for p in course)

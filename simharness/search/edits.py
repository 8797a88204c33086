"""Edits: the smaller schedules that shrinking tries, and the chooser that plays them.

A deviation is wanted in one of two ways: by its option number, or by what it chose (the same source
or action again, wherever it stands among the options now). Leaving out a deviation changes what is
offered behind it, so neither way alone is enough. Nothing here runs a trial.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from simharness.choices import Kind, deviations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.choices import Course, Option

__all__ = [
    "SHIFTS",
    "Edit",
    "Wanted",
    "WantedChooser",
    "by_choice",
    "by_number",
    "drop",
    "drop_and_shift",
    "drop_two",
    "joined",
    "lower",
    "shifted",
]

Choice = tuple[str, Kind, str]
"""What an option chooses: its owner, kind and label."""

Wanted = tuple[tuple[int, int | Choice], ...]
"""Sorted (point, option) pairs, an option wanted by number or by choice."""

Edit = Callable[[Wanted], Iterator[Wanted]]

SHIFTS = (0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5)
"""How far what stood behind a dropped deviation may have moved.

Measured on planted bugs of three deviations: up to 3 leaves a quarter of the starts at 4 or more,
up to 5 one in twenty, for a fifth more trials.
"""


class WantedChooser:
    """Takes what is wanted where it is offered, else option 0."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = dict(wanted)
        self._point = -1

    def choose(self, options: Sequence[Option]) -> int:
        """Return the option that is wanted at this point."""
        self._point += 1
        want = self._wanted.get(self._point, 0)
        if isinstance(want, int):
            return want if want < len(options) else 0
        return _find(want, options)


def _find(want: Choice, options: Sequence[Option]) -> int:
    """Prefer the same label ("chunk 3 of request 1"), else the next thing of the same source."""
    owner, kind, label = want
    same = [n for n, o in enumerate(options) if o.owner == owner and o.kind is kind]
    exact = [n for n in same if options[n].label == label]
    return (exact or same or [0])[0]


def by_number(course: Course) -> Wanted:
    """Want the deviations of `course` by their option numbers."""
    return deviations(course)


def by_choice(course: Course) -> Wanted:
    """Want the deviations of `course` by what they chose."""
    return tuple(
        (number, (option.owner, option.kind, option.label))
        for number, point in enumerate(course)
        if (option := point.options[point.chosen]) is not point.options[0]
    )


def drop(wanted: Wanted) -> Iterator[Wanted]:
    """Leave out all, then halves, quarters ... at last single deviations."""
    width = len(wanted)
    while width:
        for start in range(0, len(wanted), width):
            yield wanted[:start] + wanted[start + width :]
        width //= 2


def drop_and_shift(wanted: Wanted) -> Iterator[Wanted]:
    """Leave out one deviation and move those behind it."""
    for number in range(len(wanted) - 1):
        for by in SHIFTS:
            yield from joined(wanted[:number], shifted(wanted[number + 1 :], by))


def drop_two(wanted: Wanted) -> Iterator[Wanted]:
    """Leave out two deviations and move what lies between and behind them, each by its own shift.

    Two deviations may undo each other, there and back: then neither can go alone.
    """
    for first, second in itertools.combinations(range(len(wanted)), 2):
        for by, more in itertools.product(SHIFTS, SHIFTS):
            between = shifted(wanted[first + 1 : second], by)
            behind = shifted(wanted[second + 1 :], by + more)
            for front in joined(wanted[:first], between):
                yield from joined(front, behind)


def lower(course: Course) -> Iterator[Wanted]:
    """Take one deviation of `course` at an earlier point, or a lower option."""
    wanted = by_number(course)
    for number, (point, _) in enumerate(wanted):
        before, behind = wanted[:number], wanted[number + 1 :]
        chosen = course[point].options[course[point].chosen]
        for earlier in _earlier(before[-1][0] + 1 if before else 0, point):
            # Up to `point` nothing changes, so what is offered there is known.
            found = _find((chosen.owner, chosen.kind, chosen.label), course[earlier].options)
            if found and course[earlier].options[found].label == chosen.label:
                moved = (*before, (earlier, found))
                for by in (0, -1, 1, earlier - point):
                    yield from joined(moved, shifted(behind, by))
        for option in range(1, course[point].chosen):
            yield (*before, (point, option), *behind)


def shifted(wanted: Wanted, by: int) -> Wanted:
    """Move all deviations by so many points."""
    return tuple((point + by, want) for point, want in wanted)


def joined(before: Wanted, behind: Wanted) -> Iterator[Wanted]:
    """Yield both as one, if they do not overlap."""
    last = before[-1][0] if before else -1
    if not behind or behind[0][0] > last:
        yield before + behind


def _earlier(first: int, point: int) -> Iterator[int]:
    """Yield points from `first` up to before `point`, the farthest first, in shrinking steps."""
    distance = point - first
    while distance > 0:
        yield point - distance
        distance //= 2

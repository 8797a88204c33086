"""Schedules in words: what was taken, beside which of the things that were still to come.

Point numbers move with every step that a program gains or loses; what it waits for does not. Sees
labels of options only. `recall` plays such schedules and looks around them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.choices import Kind, WordedDeviation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simharness.choices import Course, Option

__all__ = ["Words", "WordsChooser", "in_words"]

Words = tuple[WordedDeviation, ...]
"""A schedule in words, in the order in which it is played."""

_MARKS = frozenset({Kind.SOURCE, Kind.ACTION, Kind.POST})
"""What comes once: a place in a trial. The rest is on offer nearly always."""


class WordsChooser:
    """Plays a schedule in words as far as the places in it come."""

    def __init__(self, words: Words) -> None:
        self._left = list(words)
        self._seen: set[str] = set()
        self._count = 0

    def choose(self, options: Sequence[Option]) -> int:
        """Take what the words say, where they say it; else option 0."""
        if not self._left:
            return 0
        want = self._left[0]
        taken = 0
        if _fits(want, options, self._seen):
            self._count += 1
            if self._count == want.place:
                taken = _offered(want.takes, options)
                self._left.pop(0)
                self._count = 0
        self._seen.update(option.label for option in options)
        return taken


def in_words(course: Course) -> Words:
    """Say the deviations of `course` in words; played in the same program they give it again."""
    words: list[WordedDeviation] = []
    start = 0
    for number, point in enumerate(course):
        if point.chosen:
            takes = point.options[point.chosen].label
            places = [
                attrs.evolve(found, place=_place(found, course, start, number))
                for found in _candidates(takes, course, number)
            ]
            words.append(min(places, key=lambda found: found.place))
            start = number + 1
    return tuple(words)


def _offered(label: str, options: Sequence[Option]) -> int:
    """The number of the option with this label, other than option 0; 0 if there is none."""
    return next((n for n, option in enumerate(options) if n and option.label == label), 0)


def _fits(want: WordedDeviation, options: Sequence[Option], seen: set[str]) -> bool:
    """Whether a point is one of those that `want` counts. `seen` was on offer at points before."""
    labels = [option.label for option in options]
    if want.before and want.before not in labels:
        return False
    if want.after and (want.after in labels or want.after not in seen):
        return False
    return _offered(want.takes, options) > 0


def _candidates(takes: str, course: Course, number: int) -> Iterator[WordedDeviation]:
    """Yield ways to name point `number`, the plainest first."""
    labels = {option.label for option in course[number].options}
    for option in course[number].options:
        if option.kind in _MARKS and option.label != takes:
            yield WordedDeviation(takes, before=option.label)
    gone: dict[str, None] = {}
    for point in reversed(course[:number]):
        gone.update(
            (option.label, None)
            for option in point.options
            if option.kind in _MARKS and option.label not in labels
        )
        if gone:
            break
    yield from (WordedDeviation(takes, after=label) for label in gone)
    yield WordedDeviation(takes)


def _place(want: WordedDeviation, course: Course, start: int, number: int) -> int:
    """How many points from `start` up to `number` the words count."""
    seen = {option.label for point in course[:start] for option in point.options}
    count = 0
    for point in course[start : number + 1]:
        count += _fits(want, point.options, seen)
        seen.update(option.label for option in point.options)
    return count

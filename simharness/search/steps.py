"""Steps: which steps sources made, also those that were the only option and so no choice.

A course names only choice points. But a source that offered a step before and now offers another
one has made the first meanwhile. Steps that were never offered beside another stay unseen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.choices import Course, Option

__all__ = ["Counts", "Steps", "counted"]

Counts = dict[str, dict[str, int]]
"""Topic -> owner -> how many steps."""


class Steps:
    """Follows one trial and calls `made` for every step it learns of."""

    def __init__(self, made: Callable[[Option], None]) -> None:
        self._made = made
        self._waiting: dict[str, Option] = {}

    def offered(self, options: Sequence[Option]) -> None:
        """See what every source that can go on would do next."""
        waiting = self._waiting
        for option in options:
            before = waiting.get(option.owner)
            if before is not option:
                if before is not None and before.label != option.label:
                    self._made(before)
                waiting[option.owner] = option

    def took(self, option: Option) -> None:
        """See which option was taken."""
        del self._waiting[option.owner]
        self._made(option)

    def ended(self) -> None:
        """Count what was still waiting: the rest of a trial is made without a choice."""
        for option in self._waiting.values():
            self._made(option)


def counted(course: Course) -> Counts:
    """Count the steps of a finished trial."""
    counts: Counts = {}

    def made(option: Option) -> None:
        steps = counts.setdefault(option.topic, {})
        steps[option.owner] = steps.get(option.owner, 0) + 1

    steps = Steps(made)
    for point in course:
        steps.offered(point.options)
        steps.took(point.options[point.chosen])
    steps.ended()
    return counts

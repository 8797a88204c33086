"""Explanation of a failing schedule: what each deviation does, and where the failure stops.

For each deviation: is it needed, and over which stretch of points may it be moved until the rule
holds? That tells how exact the moment must be, which one schedule does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.search import edits
from simharness.search.edits import WantedChooser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simharness.choices import Course
    from simharness.search.explore import RunOnce
    from simharness.verdict import Verdict

__all__ = ["Part", "explain"]

REACH = 12
"""How many places in each direction are tried: some two chunks and the reactions to them."""


@attrs.frozen(kw_only=True)
class Part:
    """What one deviation of a failing schedule does.

    `takes` and `instead_of` are labels. The rule stays broken with the deviation moved to any place
    from point `first` to `last`; `gone_earlier` and `gone_later`: one place further it holds.
    """

    point: int
    takes: str
    instead_of: str
    needed: bool
    first: int
    last: int
    gone_earlier: bool
    gone_later: bool

    def __str__(self) -> str:
        head = f"point {self.point}: {self.takes}, instead of {self.instead_of}"
        if not self.needed:
            return f"{head}; not needed"
        if self.first != self.last:
            head += f"; the same from point {self.first} to {self.last}"
        gone = {"earlier": self.gone_earlier, "later": self.gone_later}
        words = " or ".join(word for word, is_gone in gone.items() if is_gone)
        step = "one step " if self.first == self.last else ""
        return f"{head}; gone if it comes {step}{words}" if words else head


def explain(
    run_once: RunOnce, verdict: Verdict, rule: str, *, spent: Callable[[], bool] = lambda: False
) -> tuple[Part, ...]:
    """Vary each deviation of `verdict`, which breaks `rule`, by itself.

    Takes up to 50 trials for each; if `spent` says meanwhile that it is enough nothing is said, for
    half an explanation misleads.
    """
    explainer = _Explainer(run_once, verdict, rule)
    parts = []
    for number in range(len(verdict.schedule)):
        if spent():
            return ()
        parts.append(explainer.part(number))
    return tuple(parts)


class _Explainer:
    """Moves single deviations of one failing trial."""

    def __init__(self, run_once: RunOnce, verdict: Verdict, rule: str) -> None:
        self._run_once = run_once
        self._course = verdict.course
        self._wanted = edits.by_number(verdict.course)
        self._rule = rule

    def part(self, number: int) -> Part:
        """Describe deviation `number`."""
        point = self._course[self._wanted[number][0]]
        first, gone_earlier = self._walk(number, self._earlier(number))
        last, gone_later = self._walk(number, self._later(number))
        return Part(
            point=self._wanted[number][0],
            takes=point.options[point.chosen].label,
            instead_of=point.options[0].label,
            needed=not self._breaks(self._wanted[:number] + self._wanted[number + 1 :]),
            first=first,
            last=last,
            gone_earlier=gone_earlier,
            gone_later=gone_later,
        )

    def _breaks(self, wanted: edits.Wanted) -> bool:
        return self._rule in self._run_once(WantedChooser(wanted)).broken()

    def _earlier(self, number: int) -> Iterator[tuple[int, int]]:
        point = self._wanted[number][0]
        start = self._wanted[number - 1][0] + 1 if number else 0
        return self._offered(number, self._course, range(point - 1, start - 1, -1))

    def _later(self, number: int) -> Iterator[tuple[int, int]]:
        # What is offered later shows in the trial that never makes this choice.
        course = self._run_once(WantedChooser(self._wanted[:number])).course
        return self._offered(number, course, range(self._wanted[number][0] + 1, len(course)))

    def _offered(self, number: int, course: Course, points: range) -> Iterator[tuple[int, int]]:
        """Yield where among `points` of `course` the choice of deviation `number` is offered."""
        point = self._course[self._wanted[number][0]]
        chosen = point.options[point.chosen]
        for place in points:
            for option, offered in enumerate(course[place].options):
                if option and (offered.owner, offered.label) == (chosen.owner, chosen.label):
                    yield place, option

    def _walk(self, number: int, places: Iterator[tuple[int, int]]) -> tuple[int, bool]:
        """Move deviation `number` on and on; return the last broken point, and whether it ended."""
        before, behind = self._wanted[:number], self._wanted[number + 1 :]
        point = reached = self._wanted[number][0]
        for _, place in zip(range(REACH), places, strict=False):
            moved = (behind, edits.shifted(behind, place[0] - point))
            if not any(
                self._breaks(wanted)
                for rest in moved
                for wanted in edits.joined((*before, place), rest)
            ):
                return reached, True
            reached = place[0]
        return reached, False

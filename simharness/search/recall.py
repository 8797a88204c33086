"""Recall: plays schedules in words that failed before, and looks around those that fail no more.

Words survive most changes of a program, but not each: where one misses its place by a few points,
the failure is still there. Proves nothing about what it does not play.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.search.words import WordsChooser

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simharness.choices import Chooser
    from simharness.search.words import Words
    from simharness.verdict import Verdict

__all__ = ["Recall", "Told"]

_NEAR = (1, -1, 2, -2, 3, -3, 4, -4, 5, -5)
"""How many places an agent may have moved a deviation; as far as shrinking shifts them."""


@attrs.frozen
class Told:
    """A trial with a schedule in words."""

    words: Words

    def chooser(self) -> Chooser:
        """Return what plays the words."""
        return WordsChooser(self.words)

    def read(self, verdict: Verdict) -> tuple[bool, int]:
        """Return whether it fails, and how many of the deviations found their place."""
        return bool(verdict.violations), len(verdict.schedule)

    def __str__(self) -> str:
        return "; ".join(map(str, self.words)) or "default"


class Recall:
    """Plays each of `schedules`; if one fails no more, and `around`, also with one place moved.

    `failing` counts those that still fail; `unmet` names the first deviation of each schedule that
    found its place in no variant.
    """

    name = "schedule"

    def __init__(self, schedules: Sequence[Words], *, around: bool = False) -> None:
        self.schedules = tuple(schedules)
        self.around = around
        self.failing = 0
        self.unmet: list[str] = []
        self._plan = self._trials()
        self._out = False
        self._fails = False
        self._met = 0

    def propose(self) -> Told | None:
        """Return the next trial; none before the last one is answered."""
        if self._out:
            return None
        told = next(self._plan, None)
        self._out = told is not None
        return told

    def take(self, answer: tuple[bool, int]) -> None:
        """Take in whether it fails, and how far it was met."""
        self._out = False
        self._fails, met = answer
        self.failing += self._fails
        self._met = max(self._met, met)

    def exhausted(self) -> bool:
        """Tell False: a few schedules are not all."""
        return False

    def exhausted_to(self) -> int | None:
        """Return None: no bound was completed."""
        return None

    def describe(self) -> str:
        """Say how many of the schedules still fail, and what no trial met."""
        count = len(self.schedules)
        fail = "fails" if self.failing == 1 else "fail"
        said = f"schedule in words: {self.failing} of {count} {fail}"
        return f"{said}; no place for {', '.join(self.unmet)}" if self.unmet else said

    def _trials(self) -> Iterator[Told]:
        for words in self.schedules:
            self._fails, self._met = False, 0
            for variant in (words, *(_around(words) if self.around else ())):
                yield Told(variant)
                if self._fails:
                    break
            if self._met < len(words):
                self.unmet.append(str(words[self._met]))


def _around(words: Words) -> Iterator[Words]:
    for by in _NEAR:
        for number, one in enumerate(words):
            if one.place + by >= 1:
                moved = attrs.evolve(one, place=one.place + by)
                yield (*words[:number], moved, *words[number + 1 :])

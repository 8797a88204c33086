"""Sampler: what all strategies have in common that draw each trial from a seed.

Trial i is a function of the name, the seed, i, and of what was learned from the trials before the
last power of two up to i. So trials can be drawn ahead, in other processes too, and a sampler that
learns nothing draws any of them without those before it. A sampler never exhausts anything.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, ClassVar

import attrs

from simharness.choices import EMPTY
from simharness.search.draws import draws

if TYPE_CHECKING:
    from random import Random

    from simharness.choices import Chooser, Course
    from simharness.search.plan import Known
    from simharness.search.strategy import Answer
    from simharness.verdict import Verdict

__all__ = ["Drawn", "LengthSampler", "Sampler"]


class Sampler:
    """Counts trials and hands each its own generator; a subclass says how it chooses.

    A subclass that `learns` also says what it reads of a trial and what it makes of that.
    """

    learns: ClassVar[bool] = False

    def __init__(self, name: str, seed: int, known: Known | None = None) -> None:
        self.name = name
        self.seed = seed
        self._known: Known = {} if known is None else known
        self._drawn = 0
        self._taken = 0
        self._as_of_round: Sampler = self

    def numbered(self, number: int) -> Chooser:
        """Return the chooser of trial `number`."""
        return self.chooser(draws(self.name, seed=self.seed, trial=number))

    def chooser(self, random: Random) -> Chooser:
        """Return the chooser of a trial that draws from `random`."""
        raise NotImplementedError

    def read(self, verdict: Verdict) -> Answer:
        """Return what there is to learn from a trial."""
        return self.lesson(verdict.course)

    def lesson(self, course: Course) -> Answer:  # noqa: ARG002 - most samples do not look back
        """Return what there is to learn from a course."""
        return None

    def learn(self, answer: Answer) -> None:
        """Take in what was read of the next trial, in the order in which they were drawn."""

    def propose(self) -> Drawn | None:
        """Return the next trial. There is always one, once what it is drawn from was learned."""
        number = self._drawn
        if not self.learns:
            self._drawn += 1
            return Drawn(self, number)
        if number & (number - 1) == 0:  # 0 or a power of two
            if self._taken < number:
                return None
            if number == 0:
                self._learn_default()
            self._as_of_round = copy.copy(self)
        self._drawn += 1
        return Drawn(self._as_of_round, number)

    def _learn_default(self) -> None:
        """Begin with what the default trial has shown, if there was one."""
        shape = self._known.get(EMPTY)
        if shape is not None and shape.course is not None:
            self.learn(self.lesson(shape.course))

    def take(self, answer: Answer) -> None:
        """Count the trial and learn from it."""
        self._taken += 1
        self.learn(answer)

    def exhausted(self) -> bool:
        """Tell False: sampling proves nothing."""
        return False

    def exhausted_to(self) -> int | None:
        """Return None: sampling completes no bound."""
        return None

    def describe(self) -> str:
        """Say how many trials were drawn and from which seed."""
        return f"{self.name}: {self._taken} drawn (seed {self.seed})"


class LengthSampler(Sampler):
    """Learns how many choice points a trial has: `points`, those of the longest so far."""

    learns = True

    def __init__(self, name: str, seed: int, known: Known | None = None) -> None:
        super().__init__(name, seed, known)
        self.points = 0

    def lesson(self, course: Course) -> int:
        """Return how many choice points the trial had."""
        return len(course)

    def learn(self, points: int) -> None:
        """Remember the longest trial."""
        self.points = max(self.points, points)


@attrs.frozen
class Drawn:
    """One trial of a sampler, drawn by its number when it runs."""

    sampler: Sampler
    number: int

    def chooser(self) -> Chooser:
        """Return the chooser of this trial, new each time."""
        return self.sampler.numbered(self.number)

    def read(self, verdict: Verdict) -> Answer:
        """Return what the sampler wants to know."""
        return self.sampler.read(verdict)

    def __str__(self) -> str:
        return f"{self.sampler.name}/{self.sampler.seed}/{self.number}"

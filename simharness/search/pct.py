"""PCT: sources have random priorities, and a few times the one in front falls behind all others.

Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with Probabilistic
Guarantees of Finding Bugs", ASPLOS 2010. A bug that needs d - 1 change points is found with
probability 1 / (n k^(d-1)) per trial, for n sources and k choice points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.search.priorities import SourcePriorities
from simharness.search.sampler import LengthSampler

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from simharness.choices import Chooser, Option
    from simharness.search.plan import Known

__all__ = ["Pct"]


class Pct(LengthSampler):
    """Draws the number of change points from 1 .. `d`, and their places from the whole trial.

    Only choice points count: where a single source can go on, a change changes nothing. How many
    there are is learned; the first trial has none but its priorities.
    """

    def __init__(self, d: int = 3, *, seed: int = 0, known: Known | None = None) -> None:
        assert d > 0, f"there is at least one change point, not {d}"
        super().__init__(f"pct {d}", seed, known)
        self.d = d

    def changes(self, random: Random) -> int:
        """Draw how many change points a trial has."""
        draw = random.random
        return 1 + int(draw() * self.d)

    def chooser(self, random: Random) -> Chooser:
        """Return a chooser that follows priorities with a few changes."""
        draw = random.random
        places = {int(draw() * self.points) for _ in range(self.changes(random))}
        return _Changing(random, places if self.points else set())


class _Changing:
    """Takes the source with the highest priority; at a change point that one becomes the last."""

    def __init__(self, random: Random, places: set[int]) -> None:
        self._priorities = SourcePriorities(random)
        self._places = places
        self._point = -1

    def choose(self, options: Sequence[Option]) -> int:
        """Return the option of the source in front."""
        self._point += 1
        everything = range(len(options))
        first = self._priorities.first(options, everything)
        if self._point in self._places:
            self._priorities.put_last(options[first].owner)
            first = self._priorities.first(options, everything)
        return first

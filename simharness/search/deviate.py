"""Deviate: the default schedule, left at each choice point with a small probability.

Most of a trial stays boring, so the few deviations fall at moments a uniform walk never reaches:
the walk has torn everything apart by then. Never exhausts anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.search.sampler import Sampler

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from simharness.choices import Chooser, Option

__all__ = ["Deviate"]


class Deviate(Sampler):
    """Deviates at each point with probability `p`, to any other option alike.

    A tenth is the default: some three deviations in a trial of 30 points.
    """

    def __init__(self, p: float = 0.1, *, seed: int = 0) -> None:
        assert 0 < p <= 1, f"p is a probability above 0, not {p}"
        super().__init__(f"deviate {p * 100:g} %", seed)
        self.p = p

    def chooser(self, random: Random) -> Chooser:
        """Return a chooser that deviates with probability `p`."""
        return _Deviating(random, self.p)


class _Deviating:
    """Takes option 0, or with probability `p` one of the others."""

    def __init__(self, random: Random, p: float) -> None:
        self._random = random.random
        self._p = p

    def choose(self, options: Sequence[Option]) -> int:
        """Draw once whether to deviate and once where to."""
        if self._random() >= self._p:
            return 0
        return 1 + int(self._random() * (len(options) - 1))

"""Uniform: every option of every choice point alike. The baseline that the others are measured by.

It is a random walk: long trials get the same few shapes again and again, and rare orders never.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.search.sampler import Sampler

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from simharness.choices import Chooser, Option

__all__ = ["Uniform"]


class Uniform(Sampler):
    """Takes each option with equal probability."""

    def __init__(self, *, seed: int = 0) -> None:
        super().__init__("random", seed)

    def chooser(self, random: Random) -> Chooser:
        """Return a chooser that walks at random."""
        return _Walking(random)


class _Walking:
    """Takes any option alike."""

    def __init__(self, random: Random) -> None:
        self._random = random.random

    def choose(self, options: Sequence[Option]) -> int:
        """Draw one of the options."""
        return int(self._random() * len(options))

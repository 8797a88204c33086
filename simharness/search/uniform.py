"""Uniform: every option of every choice point alike. The baseline that the others are measured by.

It is a random walk: long trials get the same few shapes again and again, and rare orders never.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.search.draws import draws

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from simharness.choices import Chooser, Option
    from simharness.verdict import Verdict

__all__ = ["Uniform"]


class Uniform:
    """Takes each option with equal probability."""

    name = "random"

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed
        self._trials = 0

    def begin(self) -> Chooser:
        """Return the chooser of the next trial; there is always one."""
        return _Walking(draws(self.name, seed=self.seed, trial=self._trials))

    def end(self, verdict: Verdict) -> None:  # noqa: ARG002 - samples do not look back
        """Count the trial."""
        self._trials += 1

    def exhausted(self) -> bool:
        """Tell False: sampling proves nothing."""
        return False

    def exhausted_to(self) -> int | None:
        """Return None: sampling completes no bound."""
        return None

    def describe(self) -> str:
        """Say how many trials were drawn and from which seed."""
        return f"random: {self._trials} drawn (seed {self.seed})"


class _Walking:
    """Takes any option alike."""

    def __init__(self, random: Random) -> None:
        self._random = random.random

    def choose(self, options: Sequence[Option]) -> int:
        """Draw one of the options."""
        return int(self._random() * len(options))

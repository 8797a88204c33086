"""Sampler: what all strategies have in common that draw each trial from a seed.

Trial i is a function of the name, the seed and i. A sampler never exhausts anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.search.draws import draws

if TYPE_CHECKING:
    from random import Random

    from simharness.choices import Chooser
    from simharness.verdict import Verdict

__all__ = ["Sampler"]


class Sampler:
    """Counts trials and hands each its own generator; a subclass says how it chooses."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.seed = seed
        self._trials = 0

    def chooser(self, random: Random) -> Chooser:
        """Return the chooser of a trial that draws from `random`."""
        raise NotImplementedError

    def begin(self) -> Chooser:
        """Return the chooser of the next trial; there is always one."""
        return self.chooser(draws(self.name, seed=self.seed, trial=self._trials))

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
        return f"{self.name}: {self._trials} drawn (seed {self.seed})"

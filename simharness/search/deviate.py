"""Deviate: the default schedule, left at each choice point with a small probability.

Most of a trial stays boring, so the few deviations fall at moments a uniform walk never reaches:
the walk has torn everything apart by then. Never exhausts anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.search.draws import draws

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from simharness.choices import Chooser, Option
    from simharness.verdict import Verdict

__all__ = ["Deviate"]


class Deviate:
    """Deviates at each point with probability `p`, to any other option alike.

    A tenth is the default: some three deviations in a trial of 30 points.
    """

    def __init__(self, p: float = 0.1, *, seed: int = 0) -> None:
        assert 0 < p <= 1, f"p is a probability above 0, not {p}"
        self.p = p
        self.seed = seed
        self._trials = 0

    @property
    def name(self) -> str:
        """`deviate P %`."""
        return f"deviate {self.p * 100:g} %"

    def begin(self) -> Chooser:
        """Return the chooser of the next trial; there is always one."""
        return _Deviating(draws(self.name, seed=self.seed, trial=self._trials), self.p)

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

"""Random priorities: of sources for a whole trial, or of single steps.

With priorities of sources one of them runs as long as it can; with priorities of steps all of them
take turns without any being favoured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from simharness.choices import Option

__all__ = ["Priorities", "SourcePriorities", "StepPriorities"]


class Priorities(Protocol):
    """Say which of several options comes first."""

    def first(self, options: Sequence[Option], among: Sequence[int]) -> int:
        """Return which of the options numbered in `among` has the highest priority."""
        ...


class SourcePriorities:
    """Each source has one priority, drawn when it is met."""

    def __init__(self, random: Random) -> None:
        self._random = random.random
        self._of: dict[str, float] = {}
        self._least = 0.0

    def first(self, options: Sequence[Option], among: Sequence[int]) -> int:
        """Return the option of the source in front."""
        return max(among, key=lambda number: self._priority(options[number].owner))

    def put_last(self, owner: str) -> None:
        """Give `owner` a lower priority than all others have."""
        self._least -= 1
        self._of[owner] = self._least

    def _priority(self, owner: str) -> float:
        if owner not in self._of:
            self._of[owner] = self._random()
        return self._of[owner]


class StepPriorities:
    """Each step has a priority of its own, drawn when it is offered.

    Those of the same topic draw again behind a step: the order of what may race is then drawn
    anew, as in partial order sampling (Yuan, Yang and Gu, CAV 2018).
    """

    def __init__(self, random: Random) -> None:
        self._random = random.random
        self._of: dict[str, tuple[Option, float]] = {}  # by owner

    def first(self, options: Sequence[Option], among: Sequence[int]) -> int:
        """Return the step in front; it is taken then."""
        chosen = max(among, key=lambda number: self._priority(options[number]))
        topic = options[chosen].topic
        for number in among:
            if number == chosen or (topic and options[number].topic == topic):
                del self._of[options[number].owner]
        return chosen

    def _priority(self, option: Option) -> float:
        known = self._of.get(option.owner)
        if known is None or known[0] is not option:
            known = self._of[option.owner] = option, self._random()
        return known[1]

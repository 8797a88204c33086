"""Opposite: one trial that takes the last option everywhere.

The default takes option 0, what would happen if nobody were late or early. The other extreme lets
time pass where it can, places actions at once, and goes on with the newest source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.choices import Chooser, Option
    from simharness.search.strategy import Answer
    from simharness.verdict import Verdict

__all__ = ["Opposite"]


@attrs.frozen
class _Last:
    """The trial, and its chooser: it remembers nothing."""

    def chooser(self) -> Chooser:
        """Return itself."""
        return self

    def choose(self, options: Sequence[Option]) -> int:
        """Take the last option."""
        return len(options) - 1

    def read(self, verdict: Verdict) -> Answer:  # noqa: ARG002 - there is no next trial
        """Nothing is to be known about it."""
        return None

    def __str__(self) -> str:
        return "opposite"


class Opposite:
    """Runs the trial once."""

    name = "opposite"

    def __init__(self) -> None:
        self._proposed = False
        self._ran = False

    def propose(self) -> _Last | None:
        """Return the trial, then None."""
        if self._proposed:
            return None
        self._proposed = True
        return _Last()

    def take(self, answer: Answer) -> None:  # noqa: ARG002 - there is no next trial
        """Note that it was run."""
        self._ran = True

    def exhausted(self) -> bool:
        """Tell False: one schedule is not all."""
        return False

    def exhausted_to(self) -> int | None:
        """Return None: it completes no bound."""
        return None

    def describe(self) -> str:
        """Say whether it was run."""
        return "last option everywhere" if self._ran else "opposite: not run"

"""The only source of randomness of the search.

Every drawn trial is a function of strategy, seed and trial number alone, so a trial can be drawn
again without those before it, on another machine as well.
"""

from __future__ import annotations

from random import Random

__all__ = ["draws"]


def draws(strategy: str, *, seed: int, trial: int) -> Random:
    """Return the generator of one trial. Seeding by text is stable across Python versions."""
    return Random(f"{strategy}/{seed}/{trial}")  # noqa: S311 - a search, not cryptography

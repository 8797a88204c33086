"""Numbers with their words."""

from __future__ import annotations

__all__ = ["plural"]


def plural(count: int, word: str) -> str:
    """`1 trial`, `2,914 trials`."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"

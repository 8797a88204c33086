"""The names of search strategies. Nothing is imported here, so that `--help` stays fast."""

from __future__ import annotations

from typing import Final

__all__ = ["STRATEGIES"]

STRATEGIES: Final = (
    "default",
    "sweep",
    "bounded",
    "deviate",
    "delay",
    "pct",
    "selective",
    "random",
    "portfolio",
    "schedule",
)
"""The names that `--strategy` and `explore: {strategy:}` take."""

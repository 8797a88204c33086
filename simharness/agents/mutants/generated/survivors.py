"""Survivors: generated mutants that the suite is known to let pass, with one reason each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["SURVIVORS"]

SURVIVORS: Final[Mapping[str, str]] = {}

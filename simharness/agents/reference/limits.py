"""Limits: how much one run may do. They are looked at between turns; no turn is cut by one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.agents.reference.settings import Settings

__all__ = ["Limits"]


class Limits:
    """The limits of one run."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._began = asyncio.get_running_loop().time()

    def reached(self, *, turn: int, tokens: int) -> tuple[str, str] | None:
        """The limit that keeps turn number `turn` from being taken: its name, and how far it is.

        `tokens` is what the run has used so far.
        """
        return next(self._reached(turn, tokens), None)

    def _reached(self, turn: int, tokens: int) -> Iterator[tuple[str, str]]:
        settings = self._settings
        seconds = asyncio.get_running_loop().time() - self._began
        if settings.turn_limit is not None and turn > settings.turn_limit:
            yield "turn", f"{turn - 1}/{settings.turn_limit}"
        if settings.token_limit is not None and tokens >= settings.token_limit:
            yield "token", f"{tokens}/{settings.token_limit}"
        if settings.time_limit is not None and seconds >= settings.time_limit:
            yield "time", f"{seconds:g}s/{settings.time_limit:g}s"

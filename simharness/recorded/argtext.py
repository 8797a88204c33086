"""The argument text of a tool call as it comes in pieces: whether it is JSON in the end."""

from __future__ import annotations

import json
from typing import Final

__all__ = ["ARGS_MAX", "ArgText"]

ARGS_MAX: Final = 262_144
"""Characters of one call's arguments that are kept; longer ones are taken to be sound."""


class ArgText:
    """Pieces of one argument text."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._sound = True

    def add(self, piece: object) -> None:
        """Add a piece; one that is no text spoils the arguments."""
        if not isinstance(piece, str):
            self._sound = False
            return
        self._size += len(piece)
        if self._size <= ARGS_MAX:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    @property
    def text(self) -> str:
        """The pieces, joined; "" if they were too long to be kept."""
        return "".join(self._pieces)

    def parses(self, *, empty: bool) -> bool:
        """Whether the pieces, joined, are JSON; `empty`: no text at all stands for no arguments."""
        if not self._sound:
            return False
        if self._size > ARGS_MAX:
            return True
        if not self._size:
            return empty
        try:
            json.loads(self.text)
        except (ValueError, RecursionError):
            return False
        return True

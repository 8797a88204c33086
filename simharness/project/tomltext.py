"""TOML with lines: the standard parser gives values without their place, this finds the place.

Knows headers and `key = value` lines, which is enough to point at a mistake; where a key is written
some other way, its table's header is pointed at. Knows nothing of what the values mean.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from simharness.scenario.model import Place

if TYPE_CHECKING:
    from simharness.scenario.problems import Problems

__all__ = ["Toml"]

_HEADER = re.compile(r"\s*\[\[?\s*([^\]]*?)\s*\]\]?\s*(?:#.*)?$")
_AT = re.compile(r"\(at line (\d+), column (\d+)\)")


class Toml:
    """The values of a TOML text and where they stand; a text that is none is noted as a problem."""

    def __init__(self, text: str, problems: Problems) -> None:
        self._file = problems.file
        self._lines = text.splitlines()
        self.data: dict[str, Any] = {}
        try:
            self.data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            at = _AT.search(str(error))
            line, column = (int(at[1]), int(at[2])) if at else (len(self._lines), 1)
            message = _AT.sub("", str(error)).strip()
            problems.add(Place(self._file, line, column), f"not TOML: {message}")

    def table(self, dotted: str) -> Any:
        """The value at `a.b.c`; an empty mapping if there is none."""
        value: Any = self.data
        for part in dotted.split("."):
            value = value.get(part, {}) if isinstance(value, dict) else {}
        return value

    def place(self, table: str, key: str = "", nth: int = 0) -> Place:
        """Where `key` of the `nth` table called `table` stands, else its header, else the file."""
        here, seen, header = "", -1, 0
        pattern = re.compile(rf"(?<![\w-])[\"']?{re.escape(key)}[\"']?\s*[.=]")
        for number, line in enumerate(self._lines, start=1):
            opened = _HEADER.match(line)
            if opened:
                here = opened[1]
                seen += here == table
                header = number if here == table and seen == nth else header
                continue
            found = pattern.search(line.partition("#")[0]) if key else None
            if found and here == table and seen == nth:
                return Place(self._file, number, found.start() + 1)
        return Place(self._file, header)

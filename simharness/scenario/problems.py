"""Problems of a scenario file: where, what, and what may have been meant.

A file is read to its end and all its problems are shown at once. Nothing here knows the language;
the readers say what is wrong, this module says it to people.
"""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import attrs

from simharness.scenario.model import Place

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Placed", "Problem", "Problems", "ScenarioError", "closest", "did_you_mean", "listed"]

SHOWN_MAX = 50
"""More problems than these are counted only; nobody reads the fifty-first."""

_WINDOW = 110  # columns of a source line that are shown
_ALIKE = 0.6  # difflib's own default for "close enough"
_WHOLE = 0.8  # whole words that are as alike as this are meant, whatever their parts are like
_WORD_MAX = 60  # characters; what is longer is no slip of a word, and takes difflib long


class Placed(Protocol):
    """Anything that stands somewhere in a file."""

    @property
    def place(self) -> Place:
        """Where it stands."""
        ...


@attrs.frozen
class Problem:
    """One mistake in one place. Line 0 means the file as a whole."""

    place: Place
    message: str
    source_line: str = ""

    @property
    def file(self) -> str:
        """The file it stands in."""
        return self.place.file

    @property
    def line(self) -> int:
        """The line, from 1; 0 is the whole file."""
        return self.place.line

    @property
    def column(self) -> int:
        """The column, from 1."""
        return self.place.column

    def __str__(self) -> str:
        where = str(self.place) if self.line else self.file
        head = f"{where}: error: {self.message}"
        if not self.source_line.strip():
            return head
        shown, caret = _window(self.source_line, self.column)
        return f"{head}\n    {shown}\n    {' ' * caret}^"


class ScenarioError(Exception):
    """A scenario cannot be used: the user's mistake, never ours. Holds every problem found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:SHOWN_MAX]]
        if len(self.problems) > SHOWN_MAX:
            lines.append(f"... and {len(self.problems) - SHOWN_MAX} more problems")
        return "\n".join(lines)


class Problems:
    """Collects the problems of one file. The same problem of several cases is kept once."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines = text.splitlines()
        self._found: dict[Problem, None] = {}

    def __len__(self) -> int:
        return len(self._found)

    def add(self, where: Placed | Place, message: str) -> None:
        """Note that `message` is true at `where`."""
        place = where if isinstance(where, Place) else where.place
        number = place.line - 1
        source = self._lines[number] if 0 <= number < len(self._lines) else ""
        self._found[Problem(place, message, source)] = None

    def raise_if_any(self) -> None:
        """Raise all problems as one ScenarioError, in the order of the file."""
        if self._found:
            order = sorted(self._found, key=lambda problem: (problem.line, problem.column))
            raise ScenarioError(order)


def closest(word: str, known: Iterable[str], *, at_least: float = _ALIKE) -> str | None:
    """Return the known word that `word` most likely means, or None.

    The whole word counts first, so that `text_strat` finds `text_start` and not `text`; then the
    parts of a compound, so that `emit-error` finds `error`. Between equals the first known word
    wins. A long text is like none.
    """
    if len(word) > _WORD_MAX:
        return None
    known = list(known)
    whole = max(known, key=lambda candidate: _alike(word.lower(), candidate.lower()), default=None)
    if whole is not None and _alike(word.lower(), whole.lower()) >= max(_WHOLE, at_least):
        return whole
    parts = sorted({word.lower(), *re.split(r"[-_ .]", word.lower())} - {""})
    ratios = {
        candidate: max((_alike(part, candidate.lower()) for part in parts), default=0.0)
        for candidate in known
    }
    best = max(ratios, key=lambda candidate: ratios[candidate], default=None)
    return best if best is not None and ratios[best] >= at_least else None


@lru_cache(maxsize=10_000)
def _alike(one: str, other: str) -> float:
    if sorted(one) == sorted(other):
        return 1.0  # letters swapped, the commonest slip
    return difflib.SequenceMatcher(None, one, other).ratio()


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean "x"?` where there is a likely x, else a full stop."""
    guess = closest(word, known)
    return f'; did you mean "{guess}"?' if guess else "."


def listed(words: Iterable[str]) -> str:
    """Return words for the end of a message: `a, b, c`."""
    return ", ".join(words)


def _window(line: str, column: int) -> tuple[str, int]:
    """Cut a long source line around `column`; return it and the place of the caret."""
    text = line.replace("\t", " ")
    caret = min(max(column - 1, 0), len(text))
    start = max(0, caret - _WINDOW // 2) if len(text) > _WINDOW else 0
    lead = "..." if start else ""
    cut = text[start : start + _WINDOW]
    tail = "..." if start + _WINDOW < len(text) else ""
    return f"{lead}{cut}{tail}".rstrip(), caret - start + len(lead)

"""Alignment of an expected list with an actual one, gaps allowed, and its drawing as a diff.

Two jobs: say quickly whether they fit, and show where they do not with as few marks as possible.
Knows nothing of what is aligned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Aligner"]

W = TypeVar("W")
F = TypeVar("F")

# A thing of the same kind that differs is one difference, not a missing and an extra one.
_MISSING = _EXTRA = _CHANGED = 2

_CELLS_MAX = 400_000
"""Beyond this a minimal diff takes seconds; then everything is shown as missing and extra."""


@attrs.frozen
class Aligner(Generic[W, F]):
    """How wanted things (W) and found things (F) are compared and shown.

    `is_gap` says that a wanted thing stands for any number of found ones. Things that do not fit
    but are `alike` are drawn below each other.
    """

    fits: Callable[[W, F], bool]
    alike: Callable[[W, F], bool]
    is_gap: Callable[[W], bool]
    show_wanted: Callable[[W], str]
    show_found: Callable[[F], str]

    def matches(self, wanted: Sequence[W], found: Sequence[F]) -> bool:
        """Whether all of `found` is what `wanted` says, as a file name matches a glob."""
        at, gap, resume = 0, -1, 0
        position = 0
        while position < len(found):
            if at < len(wanted) and self.is_gap(wanted[at]):
                gap, resume = at, position
                at += 1
            elif at < len(wanted) and self.fits(wanted[at], found[position]):
                at += 1
                position += 1
            elif gap >= 0:
                resume += 1  # the last gap swallows one more
                at, position = gap + 1, resume
            else:
                return False
        return all(self.is_gap(rest) for rest in wanted[at:])

    def diff(self, wanted: Sequence[W], found: Sequence[F]) -> str:
        """One line for each: unmarked where they agree, `-` expected only, `+` actual only."""
        if len(wanted) * len(found) > _CELLS_MAX:
            missing = [f"- {self.show_wanted(item)}" for item in wanted]
            return "\n".join([*missing, f"+ ... ({len(found)} lines)"])
        return "\n".join(self._lines(wanted, found))

    def _lines(self, wanted: Sequence[W], found: Sequence[F]) -> Iterator[str]:
        """Walk the cheapest way through the table, from the front."""
        cost = self._costs(wanted, found)
        row = column = swallowed = 0
        while row < len(wanted) or column < len(found):
            here = cost[row][column]
            if row < len(wanted) and self.is_gap(wanted[row]):
                if cost[row + 1][column] == here:
                    yield f"  ... ({swallowed})" if swallowed else "  ..."
                    swallowed = 0
                    row += 1
                else:
                    swallowed += 1
                    column += 1
            elif row < len(wanted) and cost[row + 1][column] + _MISSING == here:
                yield f"- {self.show_wanted(wanted[row])}"
                row += 1
            elif column < len(found) and cost[row][column + 1] + _EXTRA == here:
                yield f"+ {self.show_found(found[column])}"
                column += 1
            else:
                if cost[row + 1][column + 1] == here:
                    yield f"  {self.show_found(found[column])}"
                else:
                    yield f"- {self.show_wanted(wanted[row])}"
                    yield f"+ {self.show_found(found[column])}"
                row += 1
                column += 1

    def _costs(self, wanted: Sequence[W], found: Sequence[F]) -> list[list[int]]:
        """cost[i][j]: the least that wanted[i:] and found[j:] differ."""
        width = len(found)
        below = [_EXTRA * (width - column) for column in range(width + 1)]
        rows = [below]
        for item in reversed(wanted):
            gap = self.is_gap(item)
            row = [0] * (width + 1)
            row[width] = below[width] + (0 if gap else _MISSING)
            for column in range(width - 1, -1, -1):
                if gap:
                    row[column] = min(below[column], row[column + 1])
                else:
                    row[column] = min(
                        below[column] + _MISSING,
                        row[column + 1] + _EXTRA,
                        below[column + 1] + self._change(item, found[column]),
                    )
            rows.append(row)
            below = row
        return rows[::-1]

    def _change(self, wanted: W, found: F) -> int:
        if self.fits(wanted, found):
            return 0
        return _CHANGED if self.alike(wanted, found) else _MISSING + _EXTRA

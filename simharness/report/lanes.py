"""The minimal interleaving as a table: time, user, model, agent and tools side by side.

Deviations from the default order carry `*`, the records that show a violation `<--`. A table never
gets wider than `width`; a long one keeps what matters and says how much it left out.
"""

from __future__ import annotations

import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING

from simharness.choices import Kind
from simharness.report.rows import Row, make_rows
from simharness.report.words import LANES
from simharness.trace import (
    ActionTaken,
    CancelCalled,
    ChunkArrived,
    PromptCalled,
    Record,
    StreamClosed,
    TerminalTaken,
    ToolEffect,
    ToolEnded,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import UnionType

    from simharness.choices import Course, Point
    from simharness.trace import Trace

__all__ = ["cut", "deviation_notes", "fitted", "grid_of", "render", "rows_of", "shortened"]

WIDTH = 110
_LONG = 36  # rows; a longer table is shortened
_AROUND = 2  # rows kept on both sides of one that matters
_GAP = "  "
_HEADS = ("time", *LANES)
_NARROWEST = 12  # a column is never cut below this
_POINTER = "<--"
_CELL_LINES = 2  # a cell that needs more is cut


def rows_of(trace: Trace, course: Course, evidence: Sequence[int] = ()) -> list[Row]:
    """The rows of one trial, all of them."""
    deviated = {_effect(trace, point) for point in course if point.chosen and point.at >= 0}
    return make_rows(trace, evidence, deviated)


_BY_USER = CancelCalled | ActionTaken | PromptCalled
_BY_SOURCE = ChunkArrived | ToolEffect | ToolEnded | StreamClosed | TerminalTaken


def _effect(trace: Trace, point: Point) -> int:
    """The record that shows what was chosen at `point`.

    What was ready before runs first, so it need not be the first record behind the choice.
    """
    kind = point.options[point.chosen].kind
    wanted: type | UnionType = Record
    if kind in {Kind.ACTION, Kind.ANYWHERE}:
        wanted = _BY_USER
    elif kind is Kind.SOURCE:
        wanted = _BY_SOURCE
    behind = trace.records[point.at :]
    return next((r.n for r in behind if isinstance(r, wanted)), min(point.at, len(trace) - 1))


def render(
    trace: Trace,
    course: Course,
    evidence: Sequence[int] = (),
    *,
    notes: Sequence[str] = (),
    width: int = WIDTH,
) -> str:
    """The table, ready to print. `notes` are better words for the footnotes than the plain ones."""
    rows = shortened(rows_of(trace, course, evidence))
    lines = _table(rows, width)
    notes = notes or deviation_notes(course)
    if notes:
        lines.append("* the schedule differs from the default order here:")
        for note in notes:
            lines += textwrap.wrap(note, width, initial_indent="    ", subsequent_indent="      ")
    return "\n".join(lines)


def deviation_notes(course: Course) -> list[str]:
    """One line per deviation: the choice point, what was chosen, what the default was."""
    return [
        f"point {number}: {point.options[point.chosen].label}, instead of {point.options[0].label}"
        for number, point in enumerate(course)
        if point.chosen
    ]


def shortened(rows: list[Row]) -> list[Row | int]:
    """Leave out what lies far from everything that matters; an int says how many rows went.

    What follows the last evidence explains nothing, so it goes from a short table too.
    """
    last = max((index for index, row in enumerate(rows) if row.evidence), default=len(rows))
    kept = set(range(last + 2))
    if len(rows) > _LONG:
        kept &= {
            near
            for index, row in enumerate(rows)
            if row.matters or index == 0
            for near in range(index - _AROUND, index + _AROUND + 1)
        }
    short: list[Row | int] = []
    for index, row in enumerate(rows):
        if index in kept:
            short.append(row)
        elif short and isinstance(short[-1], int):
            short[-1] += 1
        else:
            short.append(1)
    return short


def _table(rows: Sequence[Row | int], width: int) -> list[str]:
    grid = [_HEADS, *grid_of(rows)]
    widths = fitted(grid, width - 2 - len(_POINTER) - 1)
    lines = [*_lines(_HEADS, widths), "  " + _GAP.join("-" * size for size in widths)]
    indent = f"  {'':{widths[0]}}{_GAP}"
    for row, cells in zip(rows, grid[1:], strict=True):
        if isinstance(row, int):
            lines.append(f"{indent}... {row} more row{'s' * (row > 1)}")
            continue
        first, *rest = _lines(cells, widths)
        if row.deviates:
            first = "*" + first[1:]
        if row.evidence:
            first = f"{first:<{width - len(_POINTER) - 1}} {_POINTER}"
        lines += [first, *rest]
        lines += [cut(f"{indent}| {detail}", width) for detail in row.details]
    return lines


def grid_of(rows: Sequence[Row | int]) -> list[tuple[str, ...]]:
    """The cells of each row, the time in front; it stands only where it changes."""
    grid: list[tuple[str, ...]] = []
    shown = ""
    for row in rows:
        if isinstance(row, int):
            grid.append(("",) * len(_HEADS))
            continue
        time = f"{row.time:.3f}"
        grid.append(("" if time == shown else time, *(row.cells.get(lane, "") for lane in LANES)))
        shown = time
    return grid


def fitted(grid: Sequence[tuple[str, ...]], room: int) -> list[int]:
    """Column widths that fit into `room`: as wide as needed, then the widest give way."""
    widths = [max(len(cells[column]) for cells in grid) for column in range(len(_HEADS))]
    room -= len(_GAP) * (len(widths) - 1)
    while sum(widths) > room:
        widest = max(range(1, len(widths)), key=lambda column: widths[column])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _lines(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """One row as text: a cell that is too wide goes on in a second line, and is cut there."""
    columns = [[f"{cells[0]:>{widths[0]}}"]]
    columns += [_wrapped(cell, width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    lines = []
    for parts in zip_longest(*columns, fillvalue=""):
        padded = (f"{part:<{width}}" for part, width in zip(parts, widths, strict=True))
        lines.append(f"  {_GAP.join(padded)}".rstrip())
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    parts = textwrap.wrap(text, width, subsequent_indent=" ") or [""]
    if len(parts) <= _CELL_LINES:
        return parts
    rest = " ".join(part.strip() for part in parts[_CELL_LINES - 1 :])
    return [*parts[: _CELL_LINES - 1], cut(f" {rest}", width)]


def cut(text: str, width: int) -> str:
    """`text` in at most `width` characters."""
    return text if len(text) <= width else text[: width - 3] + "..."

"""The lanes of a trial as SVG: user, model, agent and tools side by side, time running down.

Rows and marks are those of the lane table. Colours come from the style sheet of the page, so that
one drawing serves light and dark.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from simharness.report.lanes import cut, fitted, grid_of
from simharness.report.visible import visible
from simharness.report.words import LANES
from simharness.trace import PromptCalled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.report.rows import Row
    from simharness.trace import Trace

__all__ = ["drawn"]

_ROOM: Final = 172  # characters of all columns together: a desktop window at 12 pixels
_CHAR: Final = 7.3  # pixels
_LINE: Final = 16
_TOP: Final = 30
_LEFT: Final = 22  # for the marks of deviations
_GAP: Final = 3  # characters between two columns
_LINES_MAX: Final = 3  # of a cell; the rest is in its tooltip
_HEADS: Final = ("time", *LANES)


def drawn(rows: Sequence[Row | int], trace: Trace) -> str:
    """The drawing as markup for an HTML page. A number among `rows` says how many are left out."""
    grid = grid_of(rows)
    widths = fitted([_HEADS, *grid], _ROOM - _GAP * len(LANES))
    lefts = [_LEFT + _CHAR * (sum(widths[:n]) + _GAP * n) for n in range(len(widths))]
    sheet = _Sheet(lefts, widths)
    for row, cells in zip(rows, grid, strict=True):
        if isinstance(row, int):
            sheet.gap(row)
        else:
            sheet.row(row, cells, opens_run=_opens_run(row, trace))
    return sheet.markup()


def _opens_run(row: Row, trace: Trace) -> bool:
    return row.run > 1 and isinstance(trace.records[row.records[0]], PromptCalled)


class _Sheet:
    """A drawing that grows downwards."""

    def __init__(self, lefts: Sequence[float], widths: Sequence[int]) -> None:
        self._lefts = lefts
        self._widths = widths
        self._width = lefts[-1] + _CHAR * widths[-1] + 12
        self._y = float(_TOP)
        self._back = ET.Element("g")
        self._front = ET.Element("g")

    def gap(self, rows: int) -> None:
        """Say that rows are left out."""
        self._text(self._lefts[1], f"... {rows} more row{'s' * (rows > 1)}", "dim")
        self._y += _LINE + 6

    def row(self, row: Row, cells: Sequence[str], *, opens_run: bool) -> None:
        """Draw one row: its band, its dots, its text."""
        if opens_run:
            self._line(0, self._width, "run")
            self._y += 3
        top = self._y
        columns = [
            [cell] if len(cell) <= width else textwrap.wrap(cell, width, subsequent_indent=" ")
            for cell, width in zip(cells, self._widths, strict=True)
        ]
        height = _LINE * min(max(map(len, columns)), _LINES_MAX) + 6
        if row.evidence or row.deviates:
            kind = "evidence" if row.evidence else "deviation"
            band = {"x": "0", "y": _n(top), "width": _n(self._width)}
            band["height"] = _n(height + _LINE * len(row.details) + 4 * bool(row.details))
            ET.SubElement(self._back, "rect", {**band, "class": kind})
        if row.deviates:
            self._text(6, "*", "star")
        for left, lines, cell, width in zip(self._lefts, columns, cells, self._widths, strict=True):
            self._cell(left, lines, cell, width)
        self._y = top + height
        for detail in row.details:
            self._text(self._lefts[1] + 12, cut(visible(detail), _ROOM - 12), "detail")
            self._y += _LINE
        self._y += 4 * bool(row.details)

    def markup(self) -> str:
        """The whole drawing."""
        size = {"viewBox": f"0 0 {_n(self._width)} {_n(self._y + 6)}", "width": _n(self._width)}
        svg = ET.Element("svg", {"class": "lanes", "role": "img", **size})
        svg.set("height", _n(self._y + 6))
        ET.SubElement(svg, "title").text = "What happened, lane by lane"
        svg.append(self._back)
        for left, head in zip(self._lefts, _HEADS, strict=True):
            ET.SubElement(svg, "text", {"x": _n(left), "y": "18", "class": "head"}).text = head
            if head != "time":
                line = {"x1": _n(left - 9), "x2": _n(left - 9), "y1": "24", "y2": _n(self._y)}
                ET.SubElement(svg, "line", {**line, "class": "life"})
        svg.append(self._front)
        return ET.tostring(svg, encoding="unicode")

    def _cell(self, left: float, lines: Sequence[str], cell: str, width: int) -> None:
        if not cell:
            return
        shown = [*lines[:_LINES_MAX]]
        if len(lines) > _LINES_MAX:
            shown[-1] = cut(f"{shown[-1]} ...", max(width, 4))
        is_time = left == self._lefts[0]
        if not is_time:
            dot = {"cx": _n(left - 9), "cy": _n(self._y + 11), "r": "3", "class": "dot"}
            ET.SubElement(self._front, "circle", dot)
        for number, line in enumerate(shown):
            text = self._text(left, line, "dim" if is_time else "", below=number)
            if len(lines) > _LINES_MAX:
                ET.SubElement(text, "title").text = visible(cell)

    def _text(self, x: float, said: str, kind: str, *, below: int = 0) -> ET.Element:
        """A line of text in the row that is being drawn, `below` so many others."""
        y = self._y + 15 + below * _LINE
        element = ET.SubElement(self._front, "text", {"x": _n(x), "y": _n(y)})
        if kind:
            element.set("class", kind)
        element.text = visible(said)
        return element

    def _line(self, x1: float, x2: float, kind: str) -> None:
        place = {"x1": _n(x1), "x2": _n(x2), "y1": _n(self._y + 1), "y2": _n(self._y + 1)}
        ET.SubElement(self._back, "line", {**place, "class": kind})


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")

"""A trial as a Mermaid sequence diagram, which GitHub and most wikis draw from text.

Who speaks to whom is read off the records; the rows are those of the lane table, with the same
marks: deviations from the default order and the records that show a violation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from simharness import trace as t
from simharness.report.lanes import rows_of, shortened
from simharness.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simharness.choices import Course
    from simharness.report.rows import Row
    from simharness.report.words import Lane

__all__ = ["as_mermaid"]

_LETTERS: Final[dict[Lane, str]] = {"user": "U", "agent": "A", "model": "M", "tools": "T"}
_WIDTH: Final = 72  # characters of a line; a browser does not wrap them
_SPECIAL: Final = re.compile(r"[^\w .,!?()\[\]'+*/=-]")

_ARROWS: Final[dict[type[t.Record], str]] = {
    t.PromptCalled: "U->>A",
    t.CancelCalled: "U->>A",
    t.ActionTaken: "U->>A",
    t.RequestMade: "A->>M",
    t.StreamTold: "A->>M",
    t.ChunkArrived: "M-->>A",
    t.ChunkTaken: "M-->>A",
    t.SignTaken: "M-->>A",
    t.UsageTaken: "M-->>A",
    t.TerminalTaken: "M-->>A",
    t.Unscripted: "M-->>A",
    t.Shown: "A-->>U",
    t.RunSettled: "A-->>U",
    t.ToolStarted: "A->>T",
    t.ToolEnded: "T-->>A",
}
"""Who speaks to whom; every other record is a note on its own lane."""


def as_mermaid(trace: t.Trace, course: Course, evidence: Sequence[int] = ()) -> str:
    """The diagram as text, without a fence around it. Long trials are shortened."""
    lines = ["sequenceDiagram"]
    lines += [f"    participant {letter} as {lane}" for lane, letter in _LETTERS.items()]
    for row in shortened(rows_of(trace, course, evidence)):
        if isinstance(row, int):
            lines.append(f"    Note over U,T: ... {row} more row{'s' * (row > 1)}")
        else:
            lines += _row(row, trace)
    return "\n".join(lines)


def _row(row: Row, trace: t.Trace) -> list[str]:
    """The messages and notes of one row; what shows the violation is boxed in red."""
    first = next(iter(row.records), None)
    arrow = None if first is None else _ARROWS.get(type(trace.records[first]))
    lines: list[str] = []
    for lane, said in _joined(row.cells).items():
        letter = _LETTERS[lane]
        speaks = arrow is not None and letter in (arrow[0], arrow[-1]) and not lines
        place = arrow if speaks else f"Note over {letter}"
        star = "* " * (row.deviates and not lines)
        lines.append(f"    {place}: {star}{_text(said)}")
    if not row.evidence:
        return lines
    lines += [f"    Note over U,T: {_text(detail)}" for detail in row.details]
    return ["    rect rgb(255, 99, 71, 0.25)", *(f"    {line}" for line in lines), "    end"]


def _joined(cells: Mapping[Lane, str]) -> Mapping[Lane, str]:
    """What became of a chunk is said in its arrow."""
    if "model" in cells and cells.get("agent") in {"taken", "shown"}:
        return {"model": f"{cells['model']} {cells['agent']}"}
    return cells


def _text(said: str) -> str:
    """Text that means nothing to Mermaid: it has signs for the end of a message, HTML and more."""
    said = visible(said.replace("\n", " "))
    short = said if len(said) <= _WIDTH else f"{said[: _WIDTH - 3]}..."
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", short)

"""Diffs for people: what a failing trial did otherwise than the default order."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from simharness.report.html.panels import Line, clipped
from simharness.report.lanes import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.verdict import Verdict

__all__ = ["against", "message_lines"]

_KINDS = {"+": "add", "-": "del", "@": "dim", "?": "warn"}


def message_lines(message: str) -> list[Line]:
    """A message of several lines, those of a diff (- expected, + actual) marked."""
    first, *rest = clipped(message).split("\n")
    return [Line(first), *(Line(line, _KINDS.get(line.lstrip()[:1], "")) for line in rest)]


def against(default: Verdict | None, found: Verdict) -> list[Line]:
    """The interleaving of `found` against that of `default`; empty if there is none to compare."""
    if default is None or default.trace_hash == found.trace_hash:
        return []
    before, after = _plain(default), _plain(found)
    diff = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
    return [Line(clipped(line, 400), _KINDS.get(line[:1], "")) for line in diff]


def _plain(verdict: Verdict) -> Sequence[str]:
    if verdict.trace is None:
        return []
    rows = rows_of(verdict.trace, verdict.course)
    return [f"{lane}: {said}" for row in rows for lane, said in row.cells.items()]

"""Turns a trace into the rows of a lane table: one row per record, or per group of records.

Chunks that are delivered, taken and shown in one go are one row, and so are the agent's own small
records. A record that is evidence, and the first record after a deviation, always open a new row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness import trace as t
from simharness.report.words import Lane, message_words, quoted, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["Row", "make_rows"]

_MESSAGES_SHOWN = 12  # of a request that is evidence; the middle of a longer one is left out


@attrs.define
class Row:
    """One row: `cells` by lane, `records` the numbers it stands for, `details` lines below it."""

    time: float
    run: int
    cells: dict[Lane, str]
    records: list[int]
    deviates: bool = False
    evidence: bool = False
    details: tuple[str, ...] = ()

    @property
    def matters(self) -> bool:
        """Whether the row must not be left out of a long table."""
        return self.deviates or self.evidence or "user" in self.cells


def make_rows(
    trace: t.Trace, evidence: Collection[int] = (), deviated: Collection[int] = ()
) -> list[Row]:
    """The rows of `trace`.

    `evidence` are the numbers of the records to point at, `deviated` the record numbers before
    which the schedule left the default order.
    """
    evidence = _with_arrivals(trace, evidence)
    visible = [record for record in trace if record.n in evidence or not _dull(record)]
    marks = _marks([record.n for record in visible], deviated)
    rows: list[Row] = []
    run = 1
    for group in _groups(visible, {*evidence, *marks}):
        row = _row(group)
        row.evidence = group[0].n in evidence
        row.deviates = group[0].n in marks
        if isinstance(group[0], t.PromptCalled):
            run = row.run
        elif row.run not in {0, run}:
            row.cells = {lane: f"[run {row.run}] {text}" for lane, text in row.cells.items()}
        if row.evidence:
            row.details = _details(group)
        rows.append(row)
    return rows


def _with_arrivals(trace: t.Trace, evidence: Collection[int]) -> set[int]:
    """`evidence`, and of a chunk that was taken at once its arrival: both are one row."""
    records = trace.records
    return {*evidence} | {
        n - 1 for n in evidence if 0 < n < len(records) and _at_once(records[n - 1], records[n])
    }


def _at_once(first: t.Record, second: t.Record) -> bool:
    return (
        isinstance(first, t.ChunkArrived)
        and isinstance(second, t.ChunkTaken)
        and (first.request, first.chunk) == (second.request, second.chunk)
    )


def _marks(numbers: list[int], deviated: Collection[int]) -> set[int]:
    """For each deviation the first visible record behind it."""
    return {next((n for n in numbers if n >= at), numbers[-1]) for at in deviated if numbers}


def _groups(records: Iterable[t.Record], alone: Collection[int]) -> Iterable[list[t.Record]]:
    """Records that make one row; one in `alone` opens a row and stays by itself."""
    group: list[t.Record] = []
    for record in records:
        breaks = record.n in alone or (bool(group) and group[-1].n in alone)
        if group and not _at_once(group[-1], record) and (breaks or not _joins(group, record)):
            yield group
            group = []
        group.append(record)
    if group:
        yield group


def _dull(record: t.Record) -> bool:
    """Whether a record says nothing that its neighbours do not say."""
    if isinstance(record, t.StreamClosed):
        return record.by == "end"
    if isinstance(record, t.MessageUpdate):
        return not record.text
    return isinstance(record, t.LeftBehind) and not record.final


def _joins(group: list[t.Record], record: t.Record) -> bool:
    """Whether `record` belongs into the row that `group` will be."""
    if record.run != group[-1].run:
        return False
    if isinstance(group[0], t.ChunkArrived):
        return _flows(group, record)
    if isinstance(record, t.MessageUpdate):
        return isinstance(group[-1], t.Shown) and group[-1].text == record.text
    small = t.Reported | t.HookCalled
    return isinstance(record, small) and isinstance(group[-1], small)


def _flows(group: list[t.Record], record: t.Record) -> bool:
    """Whether a chunk record goes on where the group's chunks stand.

    Arrivals join only when every chunk before was taken at once: a burst stays visible.
    """
    arrived = [r for r in group if isinstance(r, t.ChunkArrived)]
    taken = [r for r in group if isinstance(r, t.ChunkTaken)]
    if isinstance(record, t.ChunkArrived):
        same = (record.request, record.kind, record.call_id) == (
            arrived[0].request,
            arrived[0].kind,
            arrived[0].call_id,
        )
        return same and len(taken) == len(arrived)
    if isinstance(record, t.ChunkTaken):
        return len(taken) < len(arrived) and arrived[len(taken)].chunk == record.chunk
    if isinstance(record, t.MessageStart):
        return True  # a message starts with the chunk, before or after it was taken
    return isinstance(record, t.Shown | t.MessageUpdate) and len(taken) == len(arrived)


def _row(group: list[t.Record]) -> Row:
    first = group[0]
    numbers = [record.n for record in group]
    if isinstance(first, t.ChunkArrived) and any(isinstance(r, t.ChunkTaken) for r in group):
        return Row(first.time, first.run, _flow_cells(group), numbers)
    cells: dict[Lane, str] = {}
    for record in group:
        if isinstance(record, t.MessageUpdate) and record is not first:
            continue  # it repeats what was shown
        lane, said = words(record)
        cells[lane] = f"{cells[lane]}, {said}" if lane in cells else said
    return Row(first.time, first.run, cells, numbers)


def _flow_cells(group: list[t.Record]) -> dict[Lane, str]:
    """The two cells of chunks that were taken: what came, and what became of it."""
    taken = [r for r in group if isinstance(r, t.ChunkTaken)]
    first, last = taken[0], taken[-1]
    text = "".join(r.text for r in taken)
    span = f"chunk {first.chunk}" if first is last else f"chunks {first.chunk}-{last.chunk}"
    kind = {"text": "", "args": f"args of {first.call_id or first.name} "}.get(
        first.kind, f"{first.kind} "
    )
    cells: dict[Lane, str] = {"model": f"{span} {kind}{quoted(text)}"}
    shown = "".join(r.text for r in group if isinstance(r, t.Shown))
    updated = "".join(r.text for r in group if isinstance(r, t.MessageUpdate))
    visible = shown or updated
    said = [words(r)[1] for r in group if isinstance(r, t.MessageStart)]
    if visible:
        said.append("shown" if visible == text else f"shows {quoted(visible)}")
    elif first.kind in {"text", "reasoning"}:
        said.append("taken")
    if said:
        cells["agent"] = ", ".join(said)
    return cells


def _details(group: list[t.Record]) -> tuple[str, ...]:
    """The messages of a request or a displayed history that is evidence."""
    lines: list[str] = []
    for record in group:
        if isinstance(record, t.RequestMade | t.HistoryRead):
            lines += [f"{i}. {message_words(m)}" for i, m in enumerate(record.messages, start=1)]
    if len(lines) > _MESSAGES_SHOWN:
        half = _MESSAGES_SHOWN // 2
        left_out = len(lines) - 2 * half
        lines[half:-half] = [f"... {left_out} more messages"]
    return tuple(lines)

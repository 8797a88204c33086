"""The panels below the lanes of a trial: scenario, streams, requests, history and rules."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import attrs

from simharness import trace as t
from simharness.campaign.ending import last_history
from simharness.plural import plural
from simharness.report.words import message_words, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["Line", "Panel", "clipped", "panels_of"]

_LINES_MAX: Final = 200
_CHARACTERS_MAX: Final = 4_000
_STREAM: Final = (
    t.ChunkArrived
    | t.ChunkTaken
    | t.TerminalTaken
    | t.StreamTold
    | t.StreamClosed
    | t.SignTaken
    | t.UsageTaken
    | t.Unscripted
)


@attrs.frozen
class Line:
    """A line of text; `kind` is a class of the style sheet, `hint` a tooltip."""

    text: str
    kind: str = ""
    hint: str = ""


@attrs.frozen
class Panel:
    """A titled list of lines."""

    title: str
    lines: tuple[Line, ...]


def panels_of(case: Case, verdict: Verdict, sentences: Mapping[str, str]) -> list[Panel]:
    """The panels of one trial. `sentences` says of every rule what it demands."""
    trace = verdict.trace
    source = [Line(text) for text in case.source.splitlines()]
    panels = [_panel("Scenario", source)]
    if trace is not None:
        panels += [
            _panel("Streams", _streams(trace)),
            _panel("Requests", _requests(trace)),
            _panel("Last history", _history(trace)),
        ]
    return [*panels, _panel("Rules", _rules(verdict, sentences))]


def clipped(text: str, limit: int = _CHARACTERS_MAX) -> str:
    """`text`, its end replaced by a count if it is longer than `limit`."""
    return (
        text if len(text) <= limit else f"{text[:limit]} ... {len(text) - limit:,} more characters"
    )


def _panel(title: str, lines: Iterable[Line]) -> Panel:
    shown = [Line(clipped(line.text), line.kind, line.hint) for line in lines]
    if len(shown) > _LINES_MAX:
        shown[_LINES_MAX:] = [Line(f"... {len(shown) - _LINES_MAX} more lines", "dim")]
    return Panel(title, tuple(shown))


def _streams(trace: t.Trace) -> Iterable[Line]:
    """What each model stream delivered, and which chunks of it nobody took."""
    streams: dict[tuple[int, int], list[t.Record]] = defaultdict(list)
    for record in trace:
        if isinstance(record, t.RequestMade):
            streams[record.run, record.request] = []
        elif isinstance(record, _STREAM):
            streams[record.run, record.request].append(record)
    for (run, request), records in streams.items():
        yield Line(f"run {run}, request {request}", "head")
        taken = {record.chunk for record in records if isinstance(record, t.ChunkTaken)}
        for record in records:
            if isinstance(record, t.ChunkArrived):
                lost = record.chunk not in taken
                said = words(record)[1].removesuffix(" arrives") + " (never taken)" * lost
                yield Line(said, "warn" if lost else "")
            elif not isinstance(record, t.ChunkTaken):
                yield Line(words(record)[1], "dim")


def _requests(trace: t.Trace) -> Iterable[Line]:
    """The messages of every request, as the fake model received them."""
    for record in trace.of(t.RequestMade):
        yield Line(f"run {record.run}, request {record.request}", "head")
        yield from _messages(record.messages)


def _history(trace: t.Trace) -> Iterable[Line]:
    """What the agent displayed last, else what it sent last."""
    read = trace.of(t.HistoryRead)
    yield Line("as the agent displays it" if read else "as it was sent last", "head")
    yield from _messages(read[-1].messages if read else last_history(trace))


def _messages(messages: Sequence[t.Message]) -> Iterable[Line]:
    if not messages:
        yield Line("no messages", "dim")
    for number, message in enumerate(messages, start=1):
        yield Line(f"{number}. {message_words(message)}")


def _rules(verdict: Verdict, sentences: Mapping[str, str]) -> Iterable[Line]:
    """What this trial broke, then what it kept, then a count of the rest."""
    broken = list(dict.fromkeys(violation.rule for violation in verdict.violations))
    kept = sorted(verdict.occasions - set(broken))
    yield from (Line(f"✗ {rule}", "bad", sentences.get(rule, "")) for rule in broken)
    yield from (Line(f"✓ {rule}", "good", sentences.get(rule, "")) for rule in kept)
    rest = len(sentences.keys() - verdict.occasions - set(broken))
    yield Line(f"{plural(rest, 'rule')} had nothing to judge in this trial", "dim")

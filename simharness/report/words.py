"""Says each record in a few words, and in whose lane they belong.

One function per record that needs care; every other reported record says its name and its first
field. What several records say together is the business of `rows.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import attrs

from simharness import storing, trace as t
from simharness.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LANES", "Lane", "message_words", "quoted", "words"]

Lane = Literal["user", "model", "agent", "tools"]
LANES: Final[tuple[Lane, ...]] = ("user", "model", "agent", "tools")


def quoted(text: str, limit: int = 40) -> str:
    """`text` on one line in double quotes, cut in its middle if longer than `limit`."""
    flat = _flat(text.replace("\\", "\\\\").replace("\r", "\\r").replace("\t", "\\t"))
    if len(flat) > limit:
        half = (limit - 3) // 2
        flat = f"{flat[:half]}...{flat[-half:]}"
    return f'"{flat}"'


def _flat(text: str) -> str:
    """`text` on one line, with nothing in it that a viewer would obey."""
    return visible(text.replace("\n", "\\n"))


def message_words(message: t.Message) -> str:
    """A message in one line: role, marks, text, calls."""
    parts: list[str] = [message.role]
    if message.call_id:
        parts.append(f"result of {message.call_id}")
    if message.is_error:
        parts.append("(error)")
    if message.interrupted:
        parts.append("(interrupted)")
    for block in message.blocks:
        if isinstance(block, t.Call):
            parts.append(f"call {block.id} {block.name}({block.args})")
        elif isinstance(block, t.Text):
            parts.append(quoted(block.text, 60))
        else:
            parts.append(f"{type(block).__name__.lower()} {quoted(block.text, 60)}")
    return _flat(" ".join(parts))


def _brief(message: t.Message) -> str:
    """A message within a list: the role and the call ids it holds or answers."""
    ids = [call.id for call in message.calls] or [message.call_id] * bool(message.call_id)
    return f"{message.role}({' '.join(ids)})" if ids else message.role


def _request(record: t.RequestMade) -> str:
    return f"request {record.request}: {', '.join(map(_brief, record.messages)) or 'no messages'}"


def _cancel(record: t.CancelCalled) -> str:
    how = record.way.lower().replace("_", "-")
    inside = ", from inside" if record.inside else ""
    reason = f" {record.reason}" if record.reason not in {"", "user"} else ""
    return f"cancel{reason} ({how}{inside})"


def _terminal(record: t.TerminalTaken) -> str:
    told = ", being told" if record.answering else ""
    detail = f" {record.detail}" if record.detail else ""
    return f"ends: {record.kind}{detail}{told}"


def _settled(record: t.RunSettled) -> str:
    parts = [f"run {record.run} {record.how}"]
    if record.outcome is not None:
        parts.append(f"as {record.outcome}")
    if record.error:
        parts.append(f"({record.error})")
    return " ".join(parts)


def _forked(record: storing.Forked) -> str:
    turn = "as it is" if record.turn is None else f"behind turn {record.turn}"
    return f"goes on in a copy of the session, {turn}"


def _loaded(record: storing.SessionLoaded) -> str:
    if record.error:
        return f"loading raised {record.error}"
    return f"loaded: {', '.join(map(_brief, record.messages)) or 'nothing'}"


def _tool_ended(record: t.ToolEnded) -> str:
    return f"{record.call_id} {record.how}" + (f" {quoted(record.result)}" if record.result else "")


def _agent_end(record: t.AgentEnd) -> str:
    return " ".join(["AgentEnd", *filter(None, (record.outcome, record.cause))])


def _left(record: t.LeftBehind) -> str:
    return f"left behind{' for good' if record.final else ''}: {record.kind} {record.what}"


def _result(record: t.ToolExecutionEnd) -> str:
    return f"ToolExecutionEnd {record.call_id}{' error' if record.is_error else ''}"


def _chunk(record: t.ChunkArrived | t.ChunkTaken) -> str:
    what = f"args of {record.call_id or record.name} " if record.kind == "args" else ""
    kind = "" if record.kind in {"text", "args"} else f"{record.kind} "
    return f"chunk {record.chunk} {kind}{what}{quoted(record.text)}"


_WORDS: Final[dict[type[t.Record], tuple[Lane, Callable[..., str]]]] = {
    t.PromptCalled: ("user", lambda r: f"prompt {quoted(r.text)}"),
    t.CancelCalled: ("user", _cancel),
    t.CancelEffective: ("user", lambda _: "(cancel is effective)"),
    t.ActionTaken: ("user", lambda r: r.action),
    t.ActionDropped: ("user", lambda r: f"not reached: {r.action}"),
    t.RequestMade: ("model", _request),
    t.Unscripted: ("model", lambda _: 'answers "(unscripted)"'),
    t.ChunkArrived: ("model", lambda r: f"{_chunk(r)} arrives"),
    t.ChunkTaken: ("model", lambda r: f"{_chunk(r)} taken"),
    t.SignTaken: ("model", lambda _: "a sign of life"),
    t.UsageTaken: ("model", lambda r: f"usage {r.input}+{r.output}"),
    t.TerminalTaken: ("model", _terminal),
    t.StreamTold: ("model", lambda r: f"stream told by {r.how}"),
    t.StreamClosed: ("model", lambda r: f"stream closed by {r.by}"),
    t.Shown: ("agent", lambda r: f"shows {quoted(r.text)}"),
    t.HookCalled: ("agent", lambda r: f"hook {r.name}" + (f" {r.number}" if r.number else "")),
    t.HistoryRead: ("agent", lambda r: f"history: {', '.join(map(_brief, r.messages)) or 'empty'}"),
    t.RunSettled: ("agent", _settled),
    storing.StoreWrite: ("agent", lambda r: f"store write {r.number} {r.how}: {quoted(r.text)}"),
    storing.StoreFlushed: ("agent", lambda r: f"store flushed: {r.size} characters"),
    storing.Killed: ("user", lambda _: "the process is gone"),
    storing.Forked: ("user", _forked),
    storing.SessionLoaded: ("agent", _loaded),
    storing.SessionRead: (
        "agent",
        lambda r: f"store: {', '.join(map(_brief, r.messages)) or 'empty'}",
    ),
    t.LoopBlocked: ("agent", lambda r: f"blocks the loop for {r.seconds:g} s"),
    t.LoopError: ("agent", lambda r: f"error in the loop: {r.error or r.message}"),
    t.LeftBehind: ("agent", _left),
    t.LimitHit: ("agent", lambda r: f"{r.limit}: {r.detail}"),
    t.MessageStart: ("agent", lambda r: f"MessageStart {r.message.role}"),
    t.MessageUpdate: ("agent", lambda r: f"MessageUpdate {quoted(r.text)}"),
    t.MessageEnd: (
        "agent",
        lambda r: f"MessageEnd {_brief(r.message)}" + " discarded" * r.discarded,
    ),
    t.ToolExecutionEnd: ("agent", _result),
    t.AgentEnd: ("agent", _agent_end),
    t.ToolStarted: ("tools", lambda r: f"{r.call_id} {r.name} starts"),
    t.ToolEffect: ("tools", lambda r: f"{r.call_id} effect {r.number}"),
    t.ToolEnded: ("tools", _tool_ended),
}


def words(record: t.Record) -> tuple[Lane, str]:
    """The lane of `record` and what it says there, on one line."""
    known = _WORDS.get(type(record))
    if known is not None:
        lane, say = known
        return lane, _flat(say(record))
    name = type(record).__name__
    for field in attrs.fields(type(record)):
        if field.name not in {"n", "time", "run", "derived"}:
            return "agent", _flat(f"{name} {getattr(record, field.name)}")
    return "agent", name

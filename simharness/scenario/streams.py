"""Answers of the model: what stands under `model:`, one stream for each request.

Puts steps together, adds the end that a stream does not name, and gives every written promise a key
that people can read. The steps themselves are read by `steps`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.scenario.model import (
    ArgsStep,
    CallStep,
    EndKind,
    EndStep,
    OpaqueStep,
    Reaction,
    ReasoningStep,
    Report,
    Step,
    Stream,
    TextStep,
    WireFaults,
)
from simharness.scenario.nodes import ListNode, MapNode, Node, ScalarNode
from simharness.scenario.steps import read_step

if TYPE_CHECKING:
    from simharness.scenario.fields import Reader

__all__ = ["chunk_count", "read_model"]

_ANSWER_KEYS = ("stream", "on_cancel", "start", "burst", "every", "wire", "attempts")
_WIRE_KEYS = ("split", "done", "truncate")
_REACTION_KEYS = (
    "report",
    "reason",
    "latency",
    "ends_after",
    "keeps_sending",
    "late",
    "close",
)
_FINAL = frozenset({EndKind.CLOSE, EndKind.RAISE, EndKind.HANG})


def read_model(reader: Reader, node: Node, path: str) -> tuple[Stream, ...]:
    """Read a list of answers. `path` names the list in the keys of its promises."""
    return _answers(reader, node, path)


def chunk_count(stream: Stream) -> int:
    """How many numbered chunks a stream has."""
    return sum(_chunks(step) for step in stream.steps)


def _chunks(step: Step) -> int:
    if isinstance(step, CallStep):
        return len(step.pieces)
    return int(isinstance(step, TextStep | ReasoningStep | OpaqueStep | ArgsStep))


def _answers(reader: Reader, node: Node, path: str) -> tuple[Stream, ...]:
    streams: list[Stream] = []
    for number, item in enumerate(reader.items(node, "a list of answers")):
        streams.extend(_answer(reader, item, f"{path}[{number}]"))
    return tuple(streams)


def _answer(reader: Reader, node: Node, path: str) -> tuple[Stream, ...]:
    if not isinstance(node, MapNode):
        return (_stream(reader, node, path),)
    keys = reader.keys(node, "an answer", _ANSWER_KEYS)
    attempts = keys.get("attempts")
    if attempts is not None:
        if len(node.pairs) > 1:
            other = next(key for key, _ in node.pairs if key.text != "attempts")
            reader.wrong(other, f'"{other.text}" belongs inside an attempt, not beside "attempts"')
        return _answers(reader, attempts, f"{path}.attempts")
    steps = keys.get("stream")
    if steps is None:
        keys.required("stream", 'an answer needs a "stream" (or "attempts")')
        return (Stream((EndStep(EndKind.FINISH, "stop"),), place=node.place),)
    reaction = keys.get("on_cancel")
    return (
        attrs.evolve(
            _stream(reader, steps, path),
            reaction=Reaction() if reaction is None else _reaction(reader, reaction, path),
            starts=keys.flag("start", default=True),
            burst=keys.whole("burst", 1, least=1),
            every_s=keys.seconds("every"),
            wire=_wire(reader, keys.get("wire")),
        ),
    )


def _wire(reader: Reader, node: Node | None) -> WireFaults:
    if node is None:
        return WireFaults()
    keys = reader.keys(node, "wire faults", _WIRE_KEYS)
    return WireFaults(
        split=keys.whole("split", 0, least=1),
        done=keys.flag("done", default=True),
        truncate=keys.flag("truncate", default=False),
    )


def _stream(reader: Reader, node: Node, path: str) -> Stream:
    """Read a list of steps; a single scalar is a list of one."""
    if isinstance(node, MapNode):
        reader.wrong(node, "a stream is a list of steps, not a mapping")
    nodes = node.items if isinstance(node, ListNode) else ()
    if isinstance(node, ScalarNode):
        nodes = (node,)
    elif isinstance(node, ListNode) and not nodes:
        reader.wrong(node, "an empty stream says nothing; write [finish], [close] or [hang]")
    steps: list[Step] = []
    for item in nodes:
        if steps and _is_final(steps[-1]):
            reader.wrong(item, f'nothing can come after "{_last_kind(steps)}"')
            break
        # a step that was not understood still counts, so that chunk anchors make no further noise
        steps.append(read_step(reader, item) or TextStep(""))
    return Stream(_with_keys(_with_end(steps), f"{path}.stream"), place=node.place)


def _is_final(step: Step) -> bool:
    return isinstance(step, EndStep) and step.kind in _FINAL


def _last_kind(steps: list[Step]) -> str:
    last = steps[-1]
    return str(last.kind) if isinstance(last, EndStep) else ""


def _with_end(steps: list[Step]) -> list[Step]:
    """Add the end that is not written and the reason a bare `finish` leaves open.

    After a written terminal and more chunks a stream just closes: nobody asked for a second one.
    """
    reason = "tool_calls" if any(isinstance(step, CallStep) for step in steps) else "stop"
    done = [
        attrs.evolve(step, reason=reason)
        if isinstance(step, EndStep) and step.kind is EndKind.FINISH and not step.reason
        else step
        for step in steps
    ]
    if done and isinstance(done[-1], EndStep):
        return done
    if any(isinstance(step, EndStep) for step in done):
        return [*done, EndStep(EndKind.CLOSE)]
    return [*done, EndStep(EndKind.FINISH, reason)]


def _with_keys(steps: list[Step], path: str) -> tuple[Step, ...]:
    """Give the first end its key, if it is written.

    A second terminal is no promise: an agent that stops reading at the first never meets it.
    """
    ends = [number for number, step in enumerate(steps) if isinstance(step, EndStep)]
    keyed = list(steps)
    for number in ends[:1]:
        end = steps[number]
        if isinstance(end, EndStep) and end.written:
            keyed[number] = attrs.evolve(end, key=f"{path}: {_end_words(end)}")
    return tuple(keyed)


def _end_words(step: EndStep) -> str:
    if step.kind is EndKind.FINISH:
        return f"finish {step.reason}"
    return str(step.kind)


# --- reactions --------------------------------------------------------------------------------


def _reaction(reader: Reader, node: Node, path: str) -> Reaction:
    """Read `on_cancel:`, a bare word or the full form."""
    if not isinstance(node, MapNode):
        report = _report(reader, node)
        return Reaction(report, written=True, key=f"{path}.on_cancel: {report}")
    keys = reader.keys(node, '"on_cancel"', _REACTION_KEYS)
    shown = keys.get("report")
    report = Report.ABORTED if shown is None else _report(reader, shown)
    close = keys.get("close")
    closing = reader.keys(close, '"close"', ("takes", "raises")) if close is not None else None
    return Reaction(
        report,
        reason=keys.text("reason", "user"),
        latency_s=keys.seconds("latency"),
        ends_after_s=keys.seconds("ends_after"),
        keeps_sending=keys.whole("keeps_sending"),
        late=_late(reader, keys.get("late")),
        close_takes_s=closing.seconds("takes") if closing else 0.0,
        close_raises=closing.flag("raises") if closing else False,
        written=True,
        key=f"{path}.on_cancel: {report}",
    )


def _report(reader: Reader, node: Node) -> Report:
    word = reader.word(node, "reaction to a cancel", Report)
    return Report(word) if word else Report.ABORTED


def _late(reader: Reader, node: Node | None) -> tuple[Step, ...]:
    steps: list[Step] = []
    for item in () if node is None else reader.items(node, '"late"'):
        step = read_step(reader, item)
        if isinstance(step, EndStep):
            reader.wrong(item, 'the end of a told stream is its "report", not a late step')
        elif step is not None:
            steps.append(step)
    return tuple(steps)

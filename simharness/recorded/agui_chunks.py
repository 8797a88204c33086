"""Expands AG-UI chunk events into the starts, contents and ends that they stand for.

Each lane (the run, and every subagent) has at most one open chunk stream. Most events close the
stream of their lane, a few stand aside, and the end of a run closes all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import attrs

from simharness.recorded.memory import Opened
from simharness.recorded.reading import quoted

if TYPE_CHECKING:
    from simharness.recorded.reading import Spot
    from simharness.recorded.rule import Tally

__all__ = ["CHUNKS", "Chunks"]

_ASIDE: Final = frozenset(
    {
        "RAW",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "REASONING_ENCRYPTED_VALUE",
        "SUBAGENT_STARTED",
    }
)
_ALL: Final = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"})

CHUNKS: Final = {
    "TEXT_MESSAGE_CHUNK": ("TEXT_MESSAGE", "messageId", "CONTENT"),
    "TOOL_CALL_CHUNK": ("TOOL_CALL", "toolCallId", "ARGS"),
    "REASONING_MESSAGE_CHUNK": ("REASONING_MESSAGE", "messageId", "CONTENT"),
}
"""Chunk events: what they are pieces of, the field that names it, the word for a content."""

_FIXED: Final = {
    "TEXT_MESSAGE_CHUNK": ("role",),
    "TOOL_CALL_CHUNK": ("toolCallName", "parentMessageId"),
    "REASONING_MESSAGE_CHUNK": (),
}
"""What later chunks may repeat but not change."""

Event = dict[str, Any]


@attrs.define
class _Stream:
    """An open chunk stream: the events it opened with."""

    kind: str
    name: str
    owner: str | None
    fixed: dict[str, Any]

    def event(self, word: str, **fields: object) -> Event:
        """An event that a chunk stands for."""
        noun, key, _ = CHUNKS[self.kind]
        owner = {} if self.owner is None else {"subagentRunId": self.owner}
        return {"type": f"{noun}_{word}", key: self.name, **owner, **fields}


class Chunks:
    """The chunk streams of one run."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._lanes: Opened[_Stream] = Opened()

    def closed_by(self, event: Event) -> Iterator[Event]:
        """Yield the ends that `event`, which is no chunk, brings about before itself."""
        kind = event["type"]
        if not self._lanes or kind in _ASIDE:
            return
        owner = event.get("subagentRunId")
        own = [owner if isinstance(owner, str) else None]
        for lane in list(self._lanes) if kind in _ALL else own:
            yield from self._close(lane)

    def expanded(self, event: Event, spot: Spot) -> Iterator[Event]:
        """Yield what the chunk `event` stands for; nothing if it says too little."""
        kind = event["type"]
        _, key, content = CHUNKS[kind]
        name = event.get(key)
        lane = self._lane(kind, name, event.get("subagentRunId"))
        stream = self._lanes.get(lane)
        if stream is None or stream.kind != kind or (name is not None and name != stream.name):
            yield from self._close(lane)
            stream = self._opened(event, lane, spot)
            if stream is None:
                return
            yield stream.event("START", **stream.fixed)
        else:
            self._repeated(stream, event, spot)
        if event.get("delta") is not None:
            yield stream.event(content, delta=event["delta"])

    def _lane(self, kind: str, name: object, owner: Any) -> Any:
        """The lane of a chunk: that of the stream it names, else its own."""
        if owner is None and name is not None:
            for stream in self._lanes.values():
                if stream.kind == kind and stream.name == name:
                    return stream.owner
        return owner

    def _close(self, lane: object) -> Iterator[Event]:
        stream = self._lanes.pop(lane)
        if stream is not None:
            yield stream.event("END")

    def _opened(self, event: Event, lane: Any, spot: Spot) -> _Stream | None:
        kind = event["type"]
        noun, key, _ = CHUNKS[kind]
        needed = [key] + (["toolCallName"] if noun == "TOOL_CALL" else [])
        missing = [field for field in needed if event.get(field) is None]
        text = f"The first {kind} has no {' and no '.join(missing)}."
        if not self._tally.demand("agui-chunk", not missing, text, spot):
            return None
        fixed = {field: event[field] for field in _FIXED[kind] if event.get(field) is not None}
        stream = _Stream(kind, event[key], lane, fixed)
        self._lanes.add(lane, stream)
        return stream

    def _repeated(self, stream: _Stream, event: Event, spot: Spot) -> None:
        for field in _FIXED[stream.kind]:
            said, first = event.get(field), stream.fixed.get(field)
            if field == "role" and first is None:
                first = "assistant"  # an absent role means this one
            if said is not None:
                text = (
                    f"A {stream.kind} of {quoted(stream.name)} says {field} {quoted(said)}; its "
                    f"first one said {quoted(first) if first is not None else 'none'}."
                )
                self._tally.demand("agui-chunk", said == first, text, spot)

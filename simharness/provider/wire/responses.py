"""OpenAI responses.

Written from the public API reference: a response is a list of output items; an item is added,
filled by deltas and done; sequence numbers increase; the last event carries the whole response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simharness.agent import (
    BlockEnd,
    BlockStart,
    CallDelta,
    Chunk,
    Failed,
    Finish,
    KeepAlive,
    Malformed,
    OpaqueDelta,
    ReasoningDelta,
    Request,
    StreamStart,
    TextDelta,
    UsageReport,
)
from simharness.provider.wire.dialect import Dialect, openai_error, text_of
from simharness.provider.wire.sse import COMMENT, frame
from simharness.trace import Block, Call, Message, Opaque, Reasoning, Text

__all__ = ["RESPONSES"]

_INCOMPLETE = {
    "length": "max_output_tokens",
    "content_filter": "content_filter",
    "incomplete": "max_messages",
}
_FINISHES = frozenset({"stop", "tool_calls", "refusal", *_INCOMPLETE})
_ID = "resp_1"


class ResponsesEncoder:
    """One answer as a response. A text or reasoning item is open until other content comes."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._model = str(body.get("model", "scripted"))
        self._number = -1
        self._items: list[dict[str, Any]] = []
        self._places: dict[int, int] = {}  # output index by call index
        self._open: int | None = None  # the text or reasoning item that is being written
        self._usage: UsageReport | None = None
        self._status = "in_progress"
        self._reason: str | None = None

    def chunk(self, chunk: Chunk) -> bytes:
        """The events of a chunk."""
        return b"".join(self._events(chunk))

    def _events(self, chunk: Chunk) -> Iterator[bytes]:
        match chunk:
            case StreamStart():
                yield self._event("response.created", response=self._response())
            case TextDelta(text):
                yield from self._write("message", text)
            case ReasoningDelta(text):
                yield from self._write("reasoning", text)
            case OpaqueDelta(text):
                yield self._event("response.x_unknown", text=text)
            case CallDelta():
                yield from self._call(chunk)
            case UsageReport():
                self._usage = chunk
            case Finish(reason):
                yield from self._finished(reason)
            case Failed(error):
                yield self._event("error", code=error.kind, message=str(error), param=None)
            case KeepAlive():
                yield COMMENT
            case Malformed(text):
                yield f"event: response.output_text.delta\ndata: {text}\n\n".encode()
            case BlockStart() | BlockEnd():
                pass
            case _:
                raise AssertionError(f"the wire has no word for {chunk!r}")

    def end(self, *, finished: bool) -> bytes:  # noqa: ARG002 - the last event is the end
        """Nothing: the last event says it."""
        return b""

    def whole(self) -> object:
        """The response."""
        return self._response()

    # --- items ----------------------------------------------------------------------------------

    def _write(self, kind: str, text: str) -> Iterator[bytes]:
        if self._open is None or self._items[self._open]["type"] != kind:
            yield from self._close()
            yield from self._begin(kind)
        assert self._open is not None, "it has just been opened"
        item = self._items[self._open]
        part = item["content"][0]
        part["text"] += text
        name, extra = _words(kind)
        yield self._event(
            f"response.{name}.delta", **self._at(self._open), content_index=0, delta=text, **extra
        )

    def _begin(self, kind: str) -> Iterator[bytes]:
        place = len(self._items)
        self._open = place
        item: dict[str, Any] = {"id": f"item_{place}", "type": kind, "status": "in_progress"}
        if kind == "message":
            item["role"] = "assistant"
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        else:
            item["summary"] = []
            part = {"type": "reasoning_text", "text": ""}
        self._items.append(item | {"content": [part]})
        yield self._event(
            "response.output_item.added", output_index=place, item=item | {"content": []}
        )
        yield self._event(
            "response.content_part.added", **self._at(place), content_index=0, part=dict(part)
        )

    def _close(self) -> Iterator[bytes]:
        """End the open text or reasoning item."""
        if self._open is None:
            return
        place, self._open = self._open, None
        item = self._items[place]
        part = item["content"][0]
        name, extra = _words(item["type"])
        at = self._at(place)
        yield self._event(
            f"response.{name}.done", **at, content_index=0, text=part["text"], **extra
        )
        yield self._event("response.content_part.done", **at, content_index=0, part=part)
        yield self._done(place)

    def _call(self, piece: CallDelta) -> Iterator[bytes]:
        yield from self._close()
        if piece.index not in self._places:
            place = self._places[piece.index] = len(self._items)
            item = {
                "id": f"item_{place}",
                "type": "function_call",
                "status": "in_progress",
                "call_id": piece.id,
                "name": piece.name,
                "arguments": "",
            }
            self._items.append(item)
            yield self._event("response.output_item.added", output_index=place, item=dict(item))
        place = self._places[piece.index]
        self._items[place]["arguments"] += piece.args
        yield self._event(
            "response.function_call_arguments.delta", **self._at(place), delta=piece.args
        )

    def _done(self, place: int) -> bytes:
        self._items[place]["status"] = "completed"
        return self._event("response.output_item.done", output_index=place, item=self._items[place])

    def _at(self, place: int) -> dict[str, Any]:
        return {"item_id": f"item_{place}", "output_index": place}

    # --- the response ---------------------------------------------------------------------------

    def _finished(self, reason: str) -> Iterator[bytes]:
        yield from self._close()
        for place in self._places.values():
            item = self._items[place]
            yield self._event(
                "response.function_call_arguments.done",
                **self._at(place),
                name=item["name"],
                arguments=item["arguments"],
            )
            yield self._done(place)
        self._reason = _INCOMPLETE.get(reason)
        self._status = "incomplete" if self._reason else "completed"
        if reason == "refusal":
            yield from self._refusal()
        yield self._event(f"response.{self._status}", response=self._response())

    def _refusal(self) -> Iterator[bytes]:
        """A refusal is a part of a message item of its own."""
        place = len(self._items)
        part = {"type": "refusal", "refusal": "refused"}
        item: dict[str, Any] = {"id": f"item_{place}", "type": "message", "role": "assistant"}
        self._items.append(item | {"status": "completed", "content": [part]})
        added = item | {"status": "in_progress", "content": []}
        yield self._event("response.output_item.added", output_index=place, item=added)
        yield self._done(place)

    def _response(self) -> dict[str, Any]:
        usage = None
        if self._usage is not None:
            usage = {
                "input_tokens": self._usage.input,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": self._usage.output,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": self._usage.input + self._usage.output,
            }
        return {
            "id": _ID,
            "object": "response",
            "created_at": 0,
            "model": self._model,
            "status": self._status,
            "output": list(self._items) if self._status != "in_progress" else [],
            "error": None,
            "incomplete_details": {"reason": self._reason} if self._reason else None,
            "instructions": None,
            "metadata": {},
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage,
        }

    def _event(self, kind: str, **fields: object) -> bytes:
        self._number += 1
        return frame({"type": kind, "sequence_number": self._number, **fields}, kind)


def _read(body: Mapping[str, Any]) -> Request:
    """The messages of a request. Items of one answer, which come in a row, are one message."""
    instructions = str(body.get("instructions") or "")
    messages = [Message("system", (Text(instructions),))] if instructions else []
    sent = body.get("input", ())
    if isinstance(sent, str):
        sent = [{"role": "user", "content": sent}]
    for item in sent:
        _join(messages, item)
    tools = tuple(str(tool.get("name", "")) for tool in body.get("tools") or ())
    return Request(tuple(messages), tools, bool(body.get("stream", False)))


def _join(messages: list[Message], item: Mapping[str, Any]) -> None:
    """Add an item to the message it belongs to, or as one of its own."""
    blocks = _blocks(item)
    if blocks is None:
        messages.append(_message(item))
    elif messages and messages[-1].role == "assistant":
        messages[-1] = Message("assistant", messages[-1].blocks + blocks)
    else:
        messages.append(Message("assistant", blocks))


def _blocks(item: Mapping[str, Any]) -> tuple[Block, ...] | None:
    """The blocks of an item that the model made; None for anybody else's."""
    kind = item.get("type", "message")
    if kind == "function_call":
        call_id, name = str(item.get("call_id", "")), str(item.get("name", ""))
        return (Call(call_id, name, str(item.get("arguments", ""))),)
    if kind == "reasoning":
        text = text_of(item.get("content"), ("reasoning_text",))
        return (Reasoning(text),) if text else ()
    if kind == "message" and item.get("role") == "assistant":
        text = text_of(item.get("content"), ("output_text", "text"))
        return (Text(text),) if text else ()
    return None if kind in {"message", "function_call_output"} else (Opaque(str(kind)),)


def _message(item: Mapping[str, Any]) -> Message:
    if item.get("type") == "function_call_output":
        text = text_of(item.get("output"), ("output_text", "input_text", "text"))
        return Message("tool", (Text(text),), call_id=str(item.get("call_id", "")))
    said = (Text(text_of(item.get("content"), ("input_text", "text"))),)
    return Message("user", said) if item.get("role") == "user" else Message("system", said)


RESPONSES = Dialect(
    "openai-responses", "/responses", _FINISHES, _read, ResponsesEncoder, openai_error
)


def _words(kind: str) -> tuple[str, dict[str, Any]]:
    """What the pieces of an item of text are called, and what else they carry."""
    return ("output_text", {"logprobs": []}) if kind == "message" else ("reasoning_text", {})

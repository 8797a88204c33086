"""Anthropic messages.

Written from the public API reference: blocks numbered from 0 with one start and one stop each, a
`message_delta` with the stop reason and cumulative usage, `message_stop` last.
"""

from __future__ import annotations

import json
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
    ProviderError,
    ReasoningDelta,
    Request,
    StreamStart,
    TextDelta,
    UsageReport,
)
from simharness.provider.wire.dialect import Dialect, text_of
from simharness.provider.wire.sse import frame
from simharness.trace import Block, Call, Message, Opaque, Reasoning, Text

__all__ = ["MESSAGES"]

_STOP = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
_STOP |= {"refusal": "refusal"}  # and pause_turn, by which a server goes on with tools of its own
_FIELDS = {"text": "text", "thinking": "thinking", "tool_use": "partial_json"}
_DELTAS = {"text": "text_delta", "thinking": "thinking_delta", "tool_use": "input_json_delta"}


class MessagesEncoder:
    """One answer as a message of blocks. A block is open until another kind of content comes."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._model = str(body.get("model", "scripted"))
        self._blocks: list[dict[str, Any]] = []
        self._json: dict[int, str] = {}  # argument text by block
        self._places: dict[int, int] = {}  # block by call index
        self._open: int | None = None
        self._usage = UsageReport(0, 0)
        self._stop: str | None = None

    def chunk(self, chunk: Chunk) -> bytes:
        """The events of a chunk."""
        return b"".join(self._events(chunk))

    def _events(self, chunk: Chunk) -> Iterator[bytes]:
        match chunk:
            case StreamStart():
                yield _event("message_start", message=self._message())
            case TextDelta(text):
                yield from self._add("text", text)
            case ReasoningDelta(text):
                yield from self._add("thinking", text)
            case OpaqueDelta(text):
                yield _event("x_unknown", text=text)
            case CallDelta():
                yield from self._call(chunk)
            case UsageReport():
                self._usage = chunk
            case Finish(reason):
                yield from self._finished(reason)
            case Failed(error):
                yield frame(_error(error), "error")
            case KeepAlive():
                yield _event("ping")
            case Malformed(text):
                yield f"event: content_block_delta\ndata: {text}\n\n".encode()
            case BlockStart() | BlockEnd():
                pass
            case _:
                raise AssertionError(f"the wire has no word for {chunk!r}")

    def end(self, *, finished: bool) -> bytes:
        """A message that finished is stopped."""
        return _event("message_stop") if finished else b""

    def whole(self) -> object:
        """The message, with its calls' arguments as JSON."""
        for place, text in self._json.items():
            self._blocks[place]["input"] = _input(text)
        return self._message()

    # --- blocks ---------------------------------------------------------------------------------

    def _add(self, kind: str, text: str) -> Iterator[bytes]:
        if self._open is None or self._blocks[self._open]["type"] != kind:
            empty = {"type": kind, _FIELDS[kind]: ""}
            yield from self._begin(empty | ({"signature": ""} if kind == "thinking" else {}))
        yield from self._delta(kind, text)

    def _call(self, piece: CallDelta) -> Iterator[bytes]:
        if piece.index not in self._places:
            block = {"type": "tool_use", "id": piece.id, "name": piece.name, "input": {}}
            yield from self._begin(block)
            assert self._open is not None, "it has just been opened"
            self._places[piece.index] = self._open
            self._json[self._open] = ""
        if self._open != self._places[piece.index]:
            raise AssertionError("calls whose pieces are interleaved cannot be said in blocks")
        yield from self._delta("tool_use", piece.args)

    def _begin(self, block: dict[str, Any]) -> Iterator[bytes]:
        yield from self._close()
        self._blocks.append(block)
        self._open = len(self._blocks) - 1
        # a copy: what is sent now must not change with what comes later
        yield _event("content_block_start", index=self._open, content_block=dict(block))

    def _delta(self, kind: str, text: str) -> Iterator[bytes]:
        assert self._open is not None, "a delta belongs to an open block"
        if kind == "tool_use":
            self._json[self._open] += text
        else:
            self._blocks[self._open][_FIELDS[kind]] += text
        delta = {"type": _DELTAS[kind], _FIELDS[kind]: text}
        yield _event("content_block_delta", index=self._open, delta=delta)

    def _close(self) -> Iterator[bytes]:
        if self._open is not None:
            yield _event("content_block_stop", index=self._open)
            self._open = None

    # --- the message ----------------------------------------------------------------------------

    def _finished(self, reason: str) -> Iterator[bytes]:
        yield from self._close()
        self._stop = _STOP[reason]
        delta = {"stop_reason": self._stop, "stop_sequence": None}
        usage = {"input_tokens": self._usage.input, "output_tokens": self._usage.output}
        yield _event("message_delta", delta=delta, usage=usage)

    def _message(self) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": list(self._blocks),
            "stop_reason": self._stop,
            "stop_sequence": None,
            "usage": {"input_tokens": self._usage.input, "output_tokens": self._usage.output},
        }


def _input(text: str) -> object:
    """The arguments of a call as an object: of a text that was cut, the entries that are whole."""
    ends = [place for place, letter in enumerate(text) if letter == ","]
    for said in (text or "{}", *(text[:end] + "}" for end in reversed(ends))):
        try:
            return json.loads(said)
        except ValueError:
            continue
    return {}


def _event(kind: str, **fields: object) -> bytes:
    return frame({"type": kind, **fields}, kind)


def _error(error: ProviderError) -> object:
    kinds = {"rate_limit": "rate_limit_error", "overloaded": "overloaded_error"}
    kind = kinds.get(error.kind, "api_error")
    return {"type": "error", "error": {"type": kind, "message": str(error)}}


def _read(body: Mapping[str, Any]) -> Request:
    """The messages of a request; each tool result is a message of its own, where it stood."""
    system = text_of(body.get("system"))
    messages = [Message("system", (Text(system),))] if system else []
    for sent in body.get("messages", ()):
        messages += _said(sent)
    tools = tuple(str(tool.get("name", "")) for tool in body.get("tools") or ())
    return Request(tuple(messages), tools, bool(body.get("stream", False)))


def _said(sent: Mapping[str, Any]) -> list[Message]:
    content = sent.get("content", "")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if sent.get("role") == "assistant":
        return [Message("assistant", tuple(_block(part) for part in parts))]
    found: list[Message] = []
    for part in parts:
        if part.get("type") == "tool_result":
            found.append(_result(part))
        elif found and found[-1].role == "user":
            text = found[-1].text + str(part.get("text", ""))
            found[-1] = Message("user", (Text(text),))
        else:
            found.append(Message("user", (Text(str(part.get("text", ""))),)))
    return found


def _result(part: Mapping[str, Any]) -> Message:
    text = text_of(part.get("content"))
    is_error = bool(part.get("is_error", False))
    call_id = str(part.get("tool_use_id", ""))
    return Message("tool", (Text(text),), call_id=call_id, is_error=is_error)


def _block(part: Mapping[str, Any]) -> Block:
    match part.get("type"):
        case "text":
            return Text(str(part.get("text", "")))
        case "thinking":
            return Reasoning(str(part.get("thinking", "")))
        case "tool_use":
            args = json.dumps(part.get("input"), ensure_ascii=False)
            return Call(str(part.get("id", "")), str(part.get("name", "")), args)
    return Opaque(json.dumps(part, ensure_ascii=False))


MESSAGES = Dialect("anthropic", "/v1/messages", frozenset(_STOP), _read, MessagesEncoder, _error)

"""OpenAI chat completions, as most OpenAI-compatible servers speak it.

Written from the public API reference: chunks keyed by choice and call index, id and name in the
first piece of a call, one finish reason, usage in a chunk without choices, `[DONE]` last.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from simharness.provider.wire.sse import COMMENT, DONE, frame
from simharness.trace import Block, Call, Message, Reasoning, Text

__all__ = ["CHAT"]

_FINISH = {"stop": "stop", "tool_calls": "tool_calls", "length": "length"}
_FINISH |= {"content_filter": "content_filter", "refusal": "stop"}


class ChatEncoder:
    """One answer in chunks of `chat.completion.chunk`."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._model = str(body.get("model", "scripted"))
        self._usage_asked = bool((body.get("stream_options") or {}).get("include_usage"))
        self._text = ""
        self._reasoning = ""
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish = "stop"
        self._usage: dict[str, int] | None = None
        self._refused = False

    def chunk(self, chunk: Chunk) -> bytes:
        """The frames of a chunk."""
        match chunk:
            case StreamStart():
                return self._delta({"role": "assistant", "content": ""})
            case TextDelta(text):
                self._text += text
                return self._delta({"content": text})
            case ReasoningDelta(text):
                self._reasoning += text
                return self._delta({"reasoning_content": text})
            case OpaqueDelta(text):
                return self._delta({"x_unknown": text})
            case CallDelta():
                return self._delta({"tool_calls": [self._call(chunk)]})
            case UsageReport():
                return self._report(chunk)
            case Finish(reason):
                return self._finished(reason)
            case Failed(error):
                return frame(openai_error(error))
            case KeepAlive():
                return COMMENT
            case Malformed(text):
                return f"data: {text}\n\n".encode()
            case BlockStart() | BlockEnd():
                return b""
        raise AssertionError(f"the wire has no word for {chunk!r}")

    def end(self, *, finished: bool) -> bytes:
        """A server that finished says so."""
        return DONE if finished else b""

    def whole(self) -> object:
        """A `chat.completion`."""
        message: dict[str, Any] = {"role": "assistant", "content": self._text or None}
        if self._reasoning:
            message["reasoning_content"] = self._reasoning
        if self._calls:
            message["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
        if self._refused:
            message["refusal"] = "refused"
        choice = {"index": 0, "message": message, "finish_reason": self._finish}
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": self._usage or _usage(UsageReport(0, 0)),
        }

    def _finished(self, reason: str) -> bytes:
        self._finish = _FINISH[reason]
        self._refused = reason == "refusal"
        refusal = self._delta({"refusal": "refused"}) if self._refused else b""
        return refusal + self._delta({}, finish=self._finish)

    def _report(self, usage: UsageReport) -> bytes:
        self._usage = _usage(usage)
        if not self._usage_asked:
            return b""
        return frame({**self._head(), "choices": [], "usage": self._usage})

    def _call(self, piece: CallDelta) -> dict[str, Any]:
        """A piece of a call; the whole call is kept beside."""
        known = self._calls.setdefault(
            piece.index,
            {"id": piece.id, "type": "function", "function": {"name": piece.name, "arguments": ""}},
        )
        known["function"]["arguments"] += piece.args
        function = {"arguments": piece.args}
        if not (piece.id or piece.name):
            return {"index": piece.index, "function": function}
        return {
            "index": piece.index,
            "id": piece.id,
            "type": "function",
            "function": {"name": piece.name, **function},
        }

    def _delta(self, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return frame({**self._head(), "choices": [choice]})

    def _head(self, kind: str = "chat.completion.chunk") -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 0, "model": self._model}


def _usage(usage: UsageReport) -> dict[str, int]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
    }


def _read(body: Mapping[str, Any]) -> Request:
    """The messages of a request, as faithfully as they were sent."""
    messages = tuple(_message(sent) for sent in body.get("messages", ()))
    tools = tuple(str(tool.get("function", {}).get("name", "")) for tool in body.get("tools") or ())
    return Request(messages, tools, bool(body.get("stream", False)))


def _message(sent: Mapping[str, Any]) -> Message:
    role = str(sent.get("role", ""))
    text = text_of(sent.get("content"))
    if role == "tool":
        return Message("tool", (Text(text),), call_id=str(sent.get("tool_call_id", "")))
    if role == "assistant":
        return Message("assistant", _blocks(sent, text))
    return Message("user" if role == "user" else "system", (Text(text),))


def _blocks(sent: Mapping[str, Any], text: str) -> tuple[Block, ...]:
    reasoning = str(sent.get("reasoning_content") or "")
    blocks: list[Block] = [Reasoning(reasoning)] if reasoning else []
    if text:
        blocks.append(Text(text))
    for call in sent.get("tool_calls") or ():
        function = call.get("function", {})
        args = str(function.get("arguments", ""))
        blocks.append(Call(str(call.get("id", "")), str(function.get("name", "")), args))
    return tuple(blocks)


CHAT = Dialect(
    "openai-chat", "/chat/completions", frozenset(_FINISH), _read, ChatEncoder, openai_error
)

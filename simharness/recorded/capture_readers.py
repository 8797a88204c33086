"""Reads the streams of the three providers into a `Take`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from simharness.recorded.capture import Take

__all__ = ["READERS", "Reader", "format_of"]

Event = dict[str, Any]
Reader = Callable[[Take, Event, str], None]

_KINDS: Final = {
    "rate_limit": "rate_limit",
    "overloaded": "overloaded",
    "auth": "auth",
    "invalid_request": "bad_request",
    "bad_request": "bad_request",
    "timeout": "timeout",
}
_CHAT_REASONS: Final = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}
_STOP_REASONS: Final = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
    "pause_turn": "incomplete",
}
_INCOMPLETE: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}


def _kind(error: Event) -> str:
    """The kind of error that a provider's own words come nearest to."""
    said = f"{error.get('type')} {error.get('code')}"
    return next((kind for word, kind in _KINDS.items() if word in said), "server")


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> Event:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> Iterator[Event]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else iter(())


def _place(event: Event, name: str) -> int:
    found = event.get(name)
    return found if type(found) is int and 0 <= found < 1000 else 0


# --- OpenAI chat completions ----------------------------------------------------------------------


def _chat(take: Take, event: Event, _: str) -> None:
    if event.get("error"):
        error = _object(event["error"])
        take.error(error.get("message"), _kind(error))
        return
    usage = _object(event.get("usage"))
    if usage and take.streams:
        take.late_usage(usage.get("prompt_tokens"), usage.get("completion_tokens"))
    for choice in _objects(event.get("choices")):
        if _place(choice, "index"):
            take.skip("another choice than the first")
            continue
        delta = _object(choice.get("delta"))
        take.reasoning(delta.get("reasoning_content") or delta.get("reasoning"))
        take.text(delta.get("content"))
        for piece in _objects(delta.get("tool_calls")):
            _chat_call(take, piece)
        if delta.get("refusal"):
            take.skip("the words of a refusal")
        reason = choice.get("finish_reason")
        if isinstance(reason, str):
            take.finish(_CHAT_REASONS.get(reason, "stop"))


def _chat_call(take: Take, piece: Event) -> None:
    index, function = _place(piece, "index"), _object(piece.get("function"))
    if index in take.stream.calls:
        take.args(index, function.get("arguments"))
    else:
        take.call(index, piece.get("id"), function.get("name"), function.get("arguments"))


# --- OpenAI responses -----------------------------------------------------------------------------


def _responses(take: Take, event: Event, name: str) -> None:
    kind = _word(event.get("type", name))
    if kind == "response.created":
        take.begin()
    elif kind in {"response.output_text.delta", "response.refusal.delta"}:
        take.text(event.get("delta"))
    elif kind in {"response.reasoning_text.delta", "response.reasoning_summary_text.delta"}:
        take.reasoning(event.get("delta"))
    elif kind == "response.output_item.added":
        item = _object(event.get("item"))
        if item.get("type") == "function_call":
            take.call(_place(event, "output_index"), item.get("call_id"), item.get("name"))
        elif _word(item.get("type")) not in {"message", "reasoning"}:
            take.opaque(_word(item.get("type"))[:40] or "unknown")
    elif kind == "response.function_call_arguments.delta":
        take.args(_place(event, "output_index"), event.get("delta"))
    elif kind == "error":
        take.error(event.get("message"), _kind(event))
    elif kind in {"response.completed", "response.incomplete", "response.failed"}:
        _responded(take, _object(event.get("response")), kind)


def _responded(take: Take, response: Event, kind: str) -> None:
    usage = _object(response.get("usage"))
    take.usage(usage.get("input_tokens"), usage.get("output_tokens"))
    if kind == "response.failed":
        error = _object(response.get("error"))
        take.error(error.get("message"), _kind(error))
    elif kind == "response.incomplete":
        reason = str(_object(response.get("incomplete_details")).get("reason"))
        take.finish(_INCOMPLETE.get(reason, "incomplete"))
    else:
        take.finish("tool_calls" if take.stream.calls else "stop")


# --- Anthropic messages ---------------------------------------------------------------------------


def _anthropic(take: Take, event: Event, name: str) -> None:
    kind = _word(event.get("type", name))
    if kind == "message_start":
        take.begin()
        usage = _object(_object(event.get("message")).get("usage"))
        take.usage(usage.get("input_tokens"), usage.get("output_tokens"))
    elif kind == "content_block_start":
        block = _object(event.get("content_block"))
        if block.get("type") == "tool_use":
            take.call(_place(event, "index"), block.get("id"), block.get("name"))
        elif _word(block.get("type")) not in {"text", "thinking"}:
            take.opaque(_word(block.get("type"))[:40] or "unknown")
    elif kind == "content_block_delta":
        _anthropic_delta(take, _object(event.get("delta")), _place(event, "index"))
    elif kind == "message_delta":
        usage = _object(event.get("usage"))
        take.usage(usage.get("input_tokens"), usage.get("output_tokens"))
        reason = _object(event.get("delta")).get("stop_reason")
        if isinstance(reason, str) and take.streams and not take.streams[-1].ended:
            take.finish(_STOP_REASONS.get(reason, "stop"))
    elif kind == "ping" and take.streams and not take.streams[-1].ended:
        take.keepalive()
    elif kind == "error":
        error = _object(event.get("error"))
        take.error(error.get("message"), _kind(error))


def _anthropic_delta(take: Take, delta: Event, index: int) -> None:
    kind = delta.get("type")
    if kind == "text_delta":
        take.text(delta.get("text"))
    elif kind == "thinking_delta":
        take.reasoning(delta.get("thinking"))
    elif kind == "input_json_delta" and index in take.stream.calls:
        take.args(index, delta.get("partial_json"))


READERS: Final[dict[str, Reader]] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
}
"""The readers by the name of their format."""


def format_of(event: Event, name: str) -> str | None:
    """The format that an event of a capture belongs to, if it is one of a provider."""
    kind = event.get("type", name)
    if "choices" in event:
        return "openai-chat"
    if isinstance(kind, str) and kind.startswith("response."):
        return "openai-responses"
    known = kind in ("message_start", "ping") or str(kind).startswith("content_block_")
    return "anthropic" if known else None

"""The rules of a stream of OpenAI chat completions."""

from __future__ import annotations

from typing import Final

from simharness.recorded.examples import trace
from simharness.recorded.rule import FormatRule

__all__ = ["RULES"]

_API: Final = "API reference"


def _chunk(
    delta: dict[str, object], reason: str | None = None, **more: object
) -> dict[str, object]:
    choice: dict[str, object] = {"index": 0, "delta": delta, "finish_reason": reason}
    head: dict[str, object] = {"id": "x", "object": "chat.completion.chunk"}
    return head | {"choices": [choice], **more}


def _call(**fields: object) -> dict[str, object]:
    return _chunk({"tool_calls": [{"index": 0, **fields}]})


_ROLE: Final = _chunk({"role": "assistant", "content": ""})
_TEXT: Final = _chunk({"content": "Hi"})
_STOP: Final = _chunk({}, "stop")
_CALLS: Final = _chunk({}, "tool_calls")
_USAGE: Final[dict[str, object]] = {
    "id": "x",
    "object": "chat.completion.chunk",
    "choices": [],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
}
_OPENER: Final = _call(id="c", type="function", function={"name": "search", "arguments": "{"})
_PIECE: Final = _call(function={"arguments": "}"})
_DONE: Final = "[DONE]"
_WHOLE: Final = trace(_ROLE, _TEXT, _STOP, _USAGE, _DONE)

RULES: Final = (
    FormatRule(
        id="openai-chat-chunk-shape",
        sentence="Every chunk has a list of choices, each with an index and a delta.",
        why="A client reads them without asking.",
        source=_API,
        good=_WHOLE,
        bad=trace({"id": "x", "choices": [{"delta": {}}]}, _DONE),
    ),
    FormatRule(
        id="openai-chat-one-id",
        sentence="All chunks of a stream have the same id.",
        why="Two ids are two answers that something has mixed.",
        source=_API,
        good=_WHOLE,
        bad=trace(_ROLE, _TEXT | {"id": "y"}, _STOP, _DONE),
    ),
    FormatRule(
        id="openai-chat-role-first",
        sentence="The first delta of a choice says the role; later ones do not change it.",
        why="A client makes the message with it.",
        source=_API,
        good=_WHOLE,
        bad=trace(_TEXT, _STOP, _DONE),
    ),
    FormatRule(
        id="openai-chat-tool-call-pieces",
        sentence=(
            "The first piece of a call has its id and name; later ones are told by their index and "
            "do not change the id."
        ),
        why="Pieces of several calls may alternate; only the index says whose they are.",
        source=_API,
        good=trace(_ROLE, _OPENER, _PIECE, _CALLS, _DONE),
        bad=trace(_ROLE, _PIECE, _CALLS, _DONE),
    ),
    FormatRule(
        id="openai-chat-args-json",
        sentence="The argument pieces of each call, joined, are JSON when the choice is finished.",
        why="A call whose arguments do not parse cannot be run. A choice that was cut by `length` "
        "or a filter may hold half a call.",
        source="simharness",
        good=trace(_ROLE, _OPENER, _PIECE, _CALLS, _DONE),
        bad=trace(_ROLE, _OPENER, _CALLS, _DONE),
    ),
    FormatRule(
        id="openai-chat-finish-matches",
        sentence="A choice that finishes with tool_calls has calls; one with calls does not stop.",
        why="A loop runs tools because of the reason: `stop` with a call leaves it unanswered, "
        "`tool_calls` without one makes an empty round.",
        source="simharness",
        good=trace(_ROLE, _OPENER, _PIECE, _CALLS, _DONE),
        bad=trace(_ROLE, _TEXT, _CALLS, _DONE),
    ),
    FormatRule(
        id="openai-chat-one-finish",
        sentence="Each choice has exactly one finish_reason, and no delta after it.",
        why="Nothing on the wire marks a body that ends early, so a reader has to have seen the "
        "reason. After a chunk with `error` none is owed.",
        source=_API,
        good=_WHOLE,
        bad=trace(_ROLE, _TEXT, _DONE),
    ),
    FormatRule(
        id="openai-chat-usage-last",
        sentence="The chunk without choices that tells usage comes after all finish reasons, once.",
        why="A client may stop at the reason, and must not add usage twice.",
        source=_API,
        good=_WHOLE,
        bad=trace(_ROLE, _USAGE, _TEXT, _STOP, _DONE),
    ),
    FormatRule(
        id="openai-chat-done-last",
        sentence="[DONE] ends the stream, once; nothing of the same answer follows.",
        why="A client stops reading at it. After an error it may be missing.",
        source=_API,
        good=_WHOLE,
        bad=trace(_ROLE, _TEXT, _STOP),
    ),
)

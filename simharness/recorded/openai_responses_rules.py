"""The rules of a stream of OpenAI responses."""

from __future__ import annotations

from typing import Final

from simharness.recorded.examples import trace
from simharness.recorded.rule import FormatRule

__all__ = ["RULES"]

_SDK: Final = "enforced by the SDK"
_API: Final = "API reference"


def _event(number: int, kind: str, **fields: object) -> dict[str, object]:
    return {"type": f"response.{kind}", "sequence_number": number, **fields}


def _response(status: str) -> dict[str, object]:
    return {"id": "r", "object": "response", "status": status, "output": []}


_AT: Final[dict[str, object]] = {"item_id": "i", "output_index": 0}
_ITEM: Final[dict[str, object]] = {"id": "i", "type": "message", "role": "assistant"}
_CREATED: Final = _event(0, "created", response=_response("in_progress"))
_ADDED: Final = _event(1, "output_item.added", output_index=0, item=_ITEM)
_DELTA: Final = _event(2, "output_text.delta", **_AT, content_index=0, delta="Hi")
_TEXT: Final = _event(3, "output_text.done", **_AT, content_index=0, text="Hi")
_DONE: Final = _event(4, "output_item.done", output_index=0, item=_ITEM)
_END: Final = _event(5, "completed", response=_response("completed"))
_WHOLE: Final = trace(_CREATED, _ADDED, _DELTA, _TEXT, _DONE, _END)

RULES: Final = (
    FormatRule(
        id="openai-responses-event-shape",
        sentence="Every event has the fields that its type needs, of the right kind.",
        why="A client reads them without asking. Types nobody knows are passed over and noted.",
        source=_API,
        good=_WHOLE,
        bad=trace(_CREATED, _event(1, "output_item.added", item=_ITEM), _END),
    ),
    FormatRule(
        id="openai-responses-created-first",
        sentence="A stream begins with response.created, once.",
        why="It makes the response to which all else is added.",
        source=_SDK,
        good=_WHOLE,
        bad=trace(_ADDED, _DONE, _END),
    ),
    FormatRule(
        id="openai-responses-one-id",
        sentence="The id of the response never changes.",
        why="Two ids are two answers that something has mixed.",
        source=_SDK,
        good=_WHOLE,
        bad=trace(_CREATED, _event(1, "completed", response=_response("completed") | {"id": "q"})),
    ),
    FormatRule(
        id="openai-responses-sequence",
        sentence="sequence_number strictly increases.",
        why="A client that comes back after a break asks for what lies behind the last number.",
        source=_API,
        good=_WHOLE,
        bad=trace(_CREATED, _ADDED, _DELTA, _DELTA, _TEXT, _DONE, _END),
    ),
    FormatRule(
        id="openai-responses-items",
        sentence=(
            "Each output_index is added once; what belongs to an item comes between its added and "
            "its done."
        ),
        why="The index is the place in the output.",
        source=_SDK,
        good=_WHOLE,
        bad=trace(_CREATED, _DELTA, _END),
    ),
    FormatRule(
        id="openai-responses-item-identity",
        sentence="An item has the same id and type when it is added, filled and done.",
        why="A client keeps items by their id.",
        source=_SDK,
        good=_WHOLE,
        bad=trace(
            _CREATED,
            _ADDED,
            _event(2, "output_item.done", output_index=0, item=_ITEM | {"id": "j"}),
            _END,
        ),
    ),
    FormatRule(
        id="openai-responses-text-conserved",
        sentence="The text, or the arguments, of a done event are the deltas, joined.",
        why="Clients show the deltas and keep the whole. If the two differ, somebody is wrong.",
        source="simharness",
        good=_WHOLE,
        bad=trace(_CREATED, _ADDED, _DELTA, _TEXT | {"text": "Ho"}, _DONE, _END),
    ),
    FormatRule(
        id="openai-responses-args-json",
        sentence="The arguments of every function call of a completed response are JSON.",
        why="A call whose arguments do not parse cannot be run. An incomplete response may end in "
        "the middle of one.",
        source="simharness",
        good=trace(
            _CREATED,
            _event(1, "output_item.added", output_index=0, item=_ITEM | {"type": "function_call"}),
            _event(2, "function_call_arguments.delta", **_AT, delta="{}"),
            _event(3, "function_call_arguments.done", **_AT, arguments="{}"),
            _event(4, "output_item.done", output_index=0, item=_ITEM | {"type": "function_call"}),
            _END,
        ),
        bad=trace(
            _CREATED,
            _event(1, "output_item.added", output_index=0, item=_ITEM | {"type": "function_call"}),
            _event(2, "function_call_arguments.delta", **_AT, delta="{"),
            _event(3, "function_call_arguments.done", **_AT, arguments="{"),
            _event(4, "output_item.done", output_index=0, item=_ITEM | {"type": "function_call"}),
            _END,
        ),
    ),
    FormatRule(
        id="openai-responses-items-done",
        sentence="response.completed comes when every item is done.",
        why="An item that is not done is half an answer, or a call that nobody runs.",
        source=_SDK,
        good=_WHOLE,
        bad=trace(_CREATED, _ADDED, _END),
    ),
    FormatRule(
        id="openai-responses-ends",
        sentence=(
            "A stream ends with exactly one of completed, failed, incomplete or error; nothing "
            "follows but another stream."
        ),
        why="Without it nobody knows whether the answer is whole; the SDK raises.",
        source=_SDK,
        good=_WHOLE,
        bad=trace(_CREATED, _ADDED, _DONE),
    ),
)

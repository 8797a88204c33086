"""The rules of a stream of Anthropic messages."""

from __future__ import annotations

from typing import Final

from simharness.recorded.examples import said, trace
from simharness.recorded.rule import FormatRule

__all__ = ["RULES"]

_DOCS: Final = "API reference"
_USAGE: Final = {"input_tokens": 3, "output_tokens": 1}
_MESSAGE: Final = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
_START: Final = said("message_start", message={**_MESSAGE, "usage": _USAGE})
_OPEN: Final = said("content_block_start", index=0, content_block={"type": "text", "text": ""})
_TOOL: Final = said(
    "content_block_start",
    index=0,
    content_block={"type": "tool_use", "id": "c", "name": "search", "input": {}},
)
_MORE: Final = said("content_block_delta", index=0, delta={"type": "text_delta", "text": "Hi"})
_ARGS: Final = said(
    "content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": "{}"}
)
_SHUT: Final = said("content_block_stop", index=0)
_STOP: Final = said("message_stop")


def _delta(reason: str, output: int = 2) -> str:
    return said("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": output})


_END: Final = _delta("end_turn")
_WHOLE: Final = trace(_START, _OPEN, _MORE, _SHUT, _END, _STOP)

RULES: Final = (
    FormatRule(
        id="anthropic-event-shape",
        sentence="Every event has the fields that its type needs, of the right kind.",
        why="A client reads them without asking. Types nobody knows are passed over, as the API "
        "asks, and noted.",
        source=_DOCS,
        good=_WHOLE,
        bad=trace(_START, said("content_block_delta", index="0", delta={}), _STOP),
    ),
    FormatRule(
        id="anthropic-start-first",
        sentence="A stream begins with message_start, once; only pings and errors may come before.",
        why="The start makes the message to which all else is added.",
        source="raised by the SDK",
        good=trace(said("ping"), _WHOLE),
        bad=trace(_OPEN, _SHUT, _END, _STOP),
    ),
    FormatRule(
        id="anthropic-blocks",
        sentence=(
            "Blocks are numbered from 0 without a gap; each has one start, one stop, and deltas "
            "only in between."
        ),
        why="The number is the place in the message.",
        source=_DOCS,
        good=_WHOLE,
        bad=trace(_START, _OPEN, _SHUT, _MORE, _END, _STOP),
    ),
    FormatRule(
        id="anthropic-delta-kind",
        sentence="A delta is of a kind that its block can take.",
        why="Text that goes to a tool call is lost, or breaks its arguments.",
        source=_DOCS,
        good=trace(_START, _TOOL, _ARGS, _SHUT, _delta("tool_use"), _STOP),
        bad=trace(_START, _TOOL, _MORE, _SHUT, _delta("tool_use"), _STOP),
    ),
    FormatRule(
        id="anthropic-args-json",
        sentence="The argument pieces of a tool call, joined, are JSON when its block stops.",
        why="A call whose arguments do not parse cannot be run. In a stream that max_tokens cut "
        "the last call may be incomplete.",
        source="raised by the SDK",
        good=trace(_START, _TOOL, _ARGS, _SHUT, _delta("tool_use"), _STOP),
        bad=trace(
            _START,
            _TOOL,
            said(
                "content_block_delta",
                index=0,
                delta={"type": "input_json_delta", "partial_json": '{"q'},
            ),
            _SHUT,
            _delta("tool_use"),
            _STOP,
        ),
    ),
    FormatRule(
        id="anthropic-delta-after-blocks",
        sentence="message_delta comes when all blocks are stopped; no block starts after it.",
        why="It says why the message is over.",
        source=_DOCS,
        good=_WHOLE,
        bad=trace(_START, _OPEN, _END, _SHUT, _STOP),
    ),
    FormatRule(
        id="anthropic-usage-cumulative",
        sentence="The output tokens of message_delta never become fewer.",
        why="Usage is cumulative: whoever adds up what is told several times counts twice, and a "
        "producer that tells increments is counted short.",
        source=_DOCS,
        good=trace(_START, _OPEN, _SHUT, _delta("end_turn", 5), _delta("end_turn", 7), _STOP),
        bad=trace(_START, _OPEN, _SHUT, _delta("end_turn", 5), _delta("end_turn", 2), _STOP),
    ),
    FormatRule(
        id="anthropic-stop-reason",
        sentence="The stop reason is tool_use if, and only if, there is a tool_use block.",
        why="A loop runs tools because of the reason; calls without it hang, the reason without a "
        "call makes an empty round. A message that ran out of tokens, was refused or paused may "
        "hold a call all the same.",
        source=_DOCS,
        good=trace(_START, _TOOL, _ARGS, _SHUT, _delta("tool_use"), _STOP),
        bad=trace(_START, _TOOL, _ARGS, _SHUT, _END, _STOP),
    ),
    FormatRule(
        id="anthropic-ends",
        sentence=(
            "A stream ends with a message_delta that has a stop reason and then message_stop, or "
            "with an error; nothing follows but another stream."
        ),
        why="Nothing on the wire marks a body that ends early, so a reader has to have seen the "
        "stop.",
        source=_DOCS,
        good=_WHOLE,
        bad=trace(_START, _OPEN, _MORE),
    ),
)

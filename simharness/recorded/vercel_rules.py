"""The rules of a Vercel AI SDK UI message stream."""

from __future__ import annotations

from typing import Final

from simharness.recorded.examples import said, trace
from simharness.recorded.rule import FormatRule

__all__ = ["RULES"]

_READER: Final = "the SDK's reader"
_WRITER: Final = "the SDK's writer"
_START: Final = said("start", messageId="m")
_STEP: Final = said("start-step")
_OPEN: Final = said("text-start", id="1")
_MORE: Final = said("text-delta", id="1", delta="Hi")
_SHUT: Final = said("text-end", id="1")
_THINK: Final = said("reasoning-start", id="2")
_THOUGHT: Final = said("reasoning-end", id="2")
_CALL: Final = said("tool-input-start", toolCallId="c", toolName="search")
_ARGS: Final = said("tool-input-delta", toolCallId="c", inputTextDelta="{}")
_CALLED: Final = said("tool-input-available", toolCallId="c", toolName="search", input={})
_RESULT: Final = said("tool-output-available", toolCallId="c", output="3 hits")
_STEPPED: Final = said("finish-step")
_FINISH: Final = said("finish", finishReason="stop")
_ABORT: Final = said("abort")
_CANCEL: Final = '{"simharness": "cancel"}'
_WHOLE: Final = trace(_START, _STEP, _OPEN, _MORE, _SHUT, _STEPPED, _FINISH, "[DONE]")

RULES: Final = (
    FormatRule(
        id="vercel-part-shape",
        sentence="Every part has the fields that its type needs, of the right kind.",
        why="A reader validates each part and ends the stream at one that is not sound. Types "
        "nobody knows are noted.",
        source=_READER,
        good=_WHOLE,
        bad=trace(_START, _OPEN, said("text-delta", id="1", delta=1), _SHUT, _FINISH),
    ),
    FormatRule(
        id="vercel-text",
        sentence="A text part is started once, has deltas only while it is open, and ends once.",
        why="A delta without a start belongs to no part; the reader raises.",
        source=_READER,
        good=_WHOLE,
        bad=trace(_START, _MORE, _FINISH),
    ),
    FormatRule(
        id="vercel-reasoning",
        sentence="A reasoning part is started once, has deltas only while open, and ends once.",
        why="As for text.",
        source=_READER,
        good=trace(_START, _THINK, _THOUGHT, _FINISH),
        bad=trace(_START, _THOUGHT, _FINISH),
    ),
    FormatRule(
        id="vercel-step-closes-parts",
        sentence="No text or reasoning part goes on behind the finish-step of its step.",
        why="finish-step forgets what is open, so what comes later belongs to no part.",
        source=_READER,
        good=_WHOLE,
        bad=trace(_START, _STEP, _OPEN, _STEPPED, _MORE, _FINISH),
    ),
    FormatRule(
        id="vercel-tool-input",
        sentence="tool-input-delta comes only after tool-input-start of its call.",
        why="The reader keeps the partial input by that id.",
        source=_READER,
        good=trace(_START, _CALL, _ARGS, _CALLED, _RESULT, _FINISH),
        bad=trace(_START, _ARGS, _CALLED, _RESULT, _FINISH),
    ),
    FormatRule(
        id="vercel-tool-output",
        sentence="An output, error, denial or approval request is about a call that was made.",
        why="The reader looks for the call and raises. A stream that goes on with an earlier "
        "message may begin with outputs of calls that this trace does not hold; those are noted.",
        source=_READER,
        good=trace(_START, _STEP, _CALLED, _RESULT, _STEPPED, _FINISH),
        bad=trace(_START, _STEP, _RESULT, _STEPPED, _FINISH),
    ),
    FormatRule(
        id="vercel-ends",
        sentence="A stream ends with finish or abort, or closes after an error.",
        why="A body that merely stops is no answer; nothing else on the wire tells the two apart.",
        source=_WRITER,
        good=trace(_START, said("error", errorText="down")),
        bad=trace(_START, _STEP, _OPEN, _MORE),
    ),
    FormatRule(
        id="vercel-after-end",
        sentence="After finish or abort comes nothing but [DONE], or the start of another stream.",
        why="On an abort the stream gets one abort part and closes: a finish behind it makes the "
        "stop look like an answer.",
        source=_WRITER,
        good=trace(_START, _STEP, _OPEN, _ABORT),
        bad=trace(_START, _STEP, _OPEN, _ABORT, _FINISH),
    ),
    FormatRule(
        id="vercel-cancel-aborts",
        sentence="A stream whose user cancelled ends with abort.",
        why="finish means a whole answer, and an error an alarm. The format has no part for the "
        "request, so this is judged only where the recorder has left a mark.",
        source=_WRITER,
        good=trace(_START, _STEP, _OPEN, _CANCEL, _ABORT),
        bad=trace(_START, _STEP, _OPEN, _CANCEL, _MORE, _SHUT, _STEPPED, _FINISH),
    ),
)

"""The rules of AG-UI 1.0 and 1.1: the order that its public client enforces, what the
specification asks of a producer that stops a run, and what simharness adds."""

from __future__ import annotations

from typing import Final

from simharness.recorded.examples import said, trace
from simharness.recorded.rule import FormatRule

__all__ = ["RULES"]

_CLIENT: Final = "enforced by the public client"
_SPEC: Final = "specification, Runs and Steps"
_OURS: Final = "simharness"
_RUN: Final = said("RUN_STARTED", threadId="t", runId="r")
_END: Final = said("RUN_FINISHED", threadId="t", runId="r")
_CANCELLED: Final = said("RUN_FINISHED", threadId="t", runId="r", outcome={"type": "cancelled"})
_CANCEL: Final = '{"simharness": "cancel"}'
_FAILED: Final = said("RUN_ERROR", message="down")
_OPEN: Final = said("TEXT_MESSAGE_START", messageId="m", role="assistant")
_MORE: Final = said("TEXT_MESSAGE_CONTENT", messageId="m", delta="Hi")
_SHUT: Final = said("TEXT_MESSAGE_END", messageId="m")
_CALL: Final = said("TOOL_CALL_START", toolCallId="c", toolCallName="search")
_ARGS: Final = said("TOOL_CALL_ARGS", toolCallId="c", delta="{}")
_CALLED: Final = said("TOOL_CALL_END", toolCallId="c")
_RESULT: Final = said("TOOL_CALL_RESULT", messageId="m2", toolCallId="c", content="3 hits")
_CHILD: Final = said("SUBAGENT_STARTED", subagentRunId="s", name="scout")
_CHILD_END: Final = said("SUBAGENT_FINISHED", subagentRunId="s")


def _finished(**fields: object) -> str:
    return said("RUN_FINISHED", threadId="t", runId="r", **fields)


_ORDER: Final = (
    FormatRule(
        id="agui-event-shape",
        sentence="Every event has the fields that its type needs, of the right kind.",
        why="A client validates each event before it looks at the order, and one that does not "
        "validate ends the run. Types nobody knows are dropped instead, and noted here.",
        source=_CLIENT,
        good=trace(_RUN, _OPEN, _MORE, _SHUT, _END),
        bad=trace(_RUN, _OPEN, said("TEXT_MESSAGE_CONTENT", messageId="m", delta=42), _SHUT, _END),
    ),
    FormatRule(
        id="agui-first-event",
        sentence="The first event is RUN_STARTED, or RUN_ERROR for a run that never began.",
        why="A client has nowhere to put what comes before a run.",
        source=_CLIENT,
        good=trace(_FAILED),
        bad=trace(_OPEN, _SHUT, _END),
    ),
    FormatRule(
        id="agui-after-terminal",
        sentence=(
            "After RUN_ERROR only RUN_STARTED may come; after RUN_FINISHED also a late RUN_ERROR."
        ),
        why="Whoever saw the end has stopped listening, or counts what comes to the next run.",
        source=_CLIENT,
        good=trace(_RUN, _END, _FAILED, _RUN, _END),
        bad=trace(_RUN, _END, _OPEN),
    ),
    FormatRule(
        id="agui-one-run",
        sentence="RUN_STARTED comes only when no run is open.",
        why="One stream carries one run at a time; a second one inside it resets everything open.",
        source=_CLIENT,
        good=trace(_RUN, _END, _RUN, _END),
        bad=trace(_RUN, _RUN, _END),
    ),
    FormatRule(
        id="agui-run-identity",
        sentence="RUN_FINISHED names the run and the thread that RUN_STARTED has named.",
        why="A client that follows several runs closes the one that is named.",
        source="specification, draft",
        good=trace(_RUN, _END),
        bad=trace(_RUN, said("RUN_FINISHED", threadId="t", runId="another")),
    ),
    FormatRule(
        id="agui-run-ends",
        sentence="Every run that was started ends with RUN_FINISHED or RUN_ERROR.",
        why="A stream that merely stops is truncated: it is no success, and nobody may invent the "
        "end. If the recorder itself stopped reading, a mark `left` says so and nothing is held "
        "against the agent.",
        source="specification, draft; clients of 1.1 let it pass",
        good=trace(_RUN, _END),
        bad=trace(_RUN, _OPEN, _SHUT),
    ),
)

_BRACKETS: Final = (
    FormatRule(
        id="agui-text-message",
        sentence=(
            "A text message is started once, has content only while it is open, and ends once; "
            "its id may be used again when it is closed."
        ),
        why="Content without a start has no message to be appended to.",
        source=_CLIENT,
        good=trace(_RUN, _OPEN, _MORE, _SHUT, _OPEN, _SHUT, _END),
        bad=trace(_RUN, _MORE, _END),
    ),
    FormatRule(
        id="agui-tool-call",
        sentence="A tool call is started once, has arguments only while it is open, and ends once.",
        why="Arguments without a start belong to no call.",
        source=_CLIENT,
        good=trace(_RUN, _CALL, _ARGS, _CALLED, _END),
        bad=trace(_RUN, _CALL, _CALL, _CALLED, _END),
    ),
    FormatRule(
        id="agui-tool-result",
        sentence="A TOOL_CALL_RESULT answers a call that was made before, and that once.",
        why="A result without its call, or two results of one call, make the next model request "
        "invalid. The public clients do not look at this.",
        source=_OURS,
        good=trace(_RUN, _CALL, _CALLED, _RESULT, _END),
        bad=trace(_RUN, _RESULT, _END),
    ),
    FormatRule(
        id="agui-step",
        sentence="STEP_FINISHED closes a step that its owner has started and not yet finished.",
        why="Steps are told apart by name, so one that is open cannot be started again.",
        source=_CLIENT,
        good=trace(
            _RUN,
            said("STEP_STARTED", stepName="plan"),
            said("STEP_FINISHED", stepName="plan"),
            _END,
        ),
        bad=trace(_RUN, said("STEP_FINISHED", stepName="plan"), _END),
    ),
    FormatRule(
        id="agui-reasoning",
        sentence=(
            "A reasoning span and a reasoning message are two pairs of brackets, each opened once, "
            "filled while open and closed once."
        ),
        why="A span may hold several messages, and a message needs no span; closing one closes "
        "nothing of the other.",
        source=_CLIENT,
        good=trace(
            _RUN,
            said("REASONING_START", messageId="x"),
            said("REASONING_MESSAGE_START", messageId="x", role="reasoning"),
            said("REASONING_MESSAGE_END", messageId="x"),
            said("REASONING_END", messageId="x"),
            _END,
        ),
        bad=trace(
            _RUN,
            said("REASONING_START", messageId="x"),
            said("REASONING_MESSAGE_CONTENT", messageId="x", delta="hm"),
            said("REASONING_END", messageId="x"),
            _END,
        ),
    ),
    FormatRule(
        id="agui-chunk",
        sentence=(
            "The first chunk of a message or call names it (and its tool), and later ones do not "
            "contradict it."
        ),
        why="Chunks stand for a start, contents and an end. Any other event but RAW, activities, "
        "encrypted values and the start of a subagent closes the chunk stream of its lane, so "
        "the next chunk has to name itself again.",
        source=_CLIENT,
        good=trace(
            _RUN,
            said("TOOL_CALL_CHUNK", toolCallId="c", toolCallName="search", delta="{"),
            said("TOOL_CALL_CHUNK", delta="}"),
            _END,
        ),
        bad=trace(_RUN, said("TEXT_MESSAGE_CHUNK", delta="half"), _END),
    ),
    FormatRule(
        id="agui-closed-at-finish",
        sentence=(
            "RUN_FINISHED comes when no step, message, reasoning, tool call or subagent is open."
        ),
        why="What stays open is a spinner that never stops.",
        source=_CLIENT,
        good=trace(_RUN, _OPEN, _SHUT, _END),
        bad=trace(_RUN, _OPEN, _END),
    ),
    FormatRule(
        id="agui-subagent",
        sentence=(
            "A subagent has an id and a name, starts once in its run, ends once, and its parent "
            "was started before it."
        ),
        why="An id is one invocation; starting it again would join two pieces of work.",
        source=_CLIENT,
        good=trace(_RUN, _CHILD, _CHILD_END, _END),
        bad=trace(_RUN, _CHILD, _CHILD_END, _CHILD, _CHILD_END, _END),
    ),
    FormatRule(
        id="agui-attribution",
        sentence=(
            "A continuation names the subagent that its opener named, or none; null is no name."
        ),
        why="Appending one producer's content to another's cannot be noticed afterwards.",
        source=_CLIENT,
        good=trace(
            _RUN,
            said("TOOL_CALL_START", toolCallId="c", toolCallName="search", subagentRunId="s"),
            said("TOOL_CALL_END", toolCallId="c", subagentRunId="s"),
            _END,
        ),
        bad=trace(_RUN, _CALL, said("TOOL_CALL_END", toolCallId="c", subagentRunId="s"), _END),
    ),
)

_ENDINGS: Final = (
    FormatRule(
        id="agui-outcome",
        sentence=(
            "An interrupt brings at least one interrupt, each with an id of its own; the pending "
            "calls of a success are exactly those that were started and not answered."
        ),
        why="A client asks the user about each interrupt and answers each pending call. What is "
        "missing there waits for ever. Outcomes nobody knows are noted.",
        source="specification 1.1, Lifecycle",
        good=trace(
            _RUN,
            _CALL,
            _CALLED,
            _finished(outcome={"type": "success", "pendingToolCallIds": ["c"]}),
        ),
        bad=trace(_RUN, _finished(outcome={"type": "interrupt", "interrupts": []})),
    ),
    FormatRule(
        id="agui-usage",
        sentence="Token counts are not negative, and totals include their parts.",
        why="Reasoning is part of the output, cached tokens part of the input, both part of the "
        "total. What a provider did not say is left out: 0 is a statement.",
        source=_SPEC,
        good=trace(_RUN, _finished(usage=[{"outputTokens": 9, "reasoningTokens": 4}])),
        bad=trace(_RUN, _finished(usage=[{"outputTokens": 4, "reasoningTokens": 9}])),
    ),
    FormatRule(
        id="agui-cancelled-outcome",
        sentence=(
            "A run that was cancelled ends with RUN_FINISHED and the outcome cancelled; with "
            "RUN_ERROR only if something could not be closed any more."
        ),
        why="An outcome that is missing means success, and RUN_ERROR means failure: a cancel is "
        "neither. AG-UI has no event for the request, so this is judged only where the recorder "
        "has left a mark.",
        source=_SPEC,
        good=trace(_RUN, _OPEN, _CANCEL, _SHUT, _CANCELLED),
        bad=trace(_RUN, _OPEN, _CANCEL, _MORE, _SHUT, _END),
    ),
    FormatRule(
        id="agui-cancelled-closes-first",
        sentence="Before the outcome cancelled everything open is closed.",
        why="A stop is no reason to leave messages and calls open; who cannot close them in order "
        "says RUN_ERROR.",
        source=_SPEC,
        good=trace(_RUN, _OPEN, _SHUT, _CANCELLED),
        bad=trace(_RUN, _OPEN, _CANCELLED),
    ),
    FormatRule(
        id="agui-cancelled-without-result",
        sentence="A run with the outcome cancelled has no result.",
        why="A result is what a caller goes on with. What was delivered before the stop stays "
        "delivered, and usage may be told.",
        source=_SPEC,
        good=trace(_RUN, _CANCELLED),
        bad=trace(_RUN, _finished(outcome={"type": "cancelled"}, result="half")),
    ),
)

RULES: Final = (*_ORDER, *_BRACKETS, *_ENDINGS)

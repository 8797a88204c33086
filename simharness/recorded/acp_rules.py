"""The rules of the Agent Client Protocol: requests and their answers, tool calls, and what a cancel
obliges both sides to."""

from __future__ import annotations

from typing import Final

from simharness.recorded.examples import trace
from simharness.recorded.rule import FormatRule

__all__ = ["RULES"]

_SPEC: Final = "specification"
_V2: Final = "specification, version 2"

Line = dict[str, object]


def _request(number: int, method: str, **params: object) -> Line:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def _notice(method: str, **params: object) -> Line:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def _result(number: int, **result: object) -> Line:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _error(number: int, code: int, message: str) -> Line:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def _update(kind: str, **fields: object) -> Line:
    return _notice("session/update", sessionId="s", update={"sessionUpdate": kind, **fields})


_PROMPT: Final = _request(1, "session/prompt", sessionId="s", prompt=[])
_TEXT: Final = _update("agent_message_chunk", content={"type": "text", "text": "Hi"})
_CALL: Final = _update("tool_call", toolCallId="c", title="Search", status="pending")
_RUNS: Final = _update("tool_call_update", toolCallId="c", status="in_progress")
_RAN: Final = _update("tool_call_update", toolCallId="c", status="completed")
_ASK: Final = _request(7, "session/request_permission", sessionId="s", toolCall={}, options=[])
_CANCEL: Final = _notice("session/cancel", sessionId="s")
_END: Final = _result(1, stopReason="end_turn")
_CANCELLED: Final = _result(1, stopReason="cancelled")
_REFUSED: Final = _result(7, outcome={"outcome": "cancelled"})
_GRANTED: Final = _result(7, outcome={"outcome": "selected", "optionId": "yes"})
_STOP: Final = _notice("$/cancel_request", requestId=1)
_INIT2: Final = trace(_request(0, "initialize", protocolVersion=2), _result(0, protocolVersion=2))
_ACCEPTED: Final = _result(1)
_RUNNING: Final = _update("state_update", state="running")
_IDLE: Final = _update("state_update", state="idle", stopReason="end_turn")
_IDLE_CANCELLED: Final = _update("state_update", state="idle", stopReason="cancelled")

_PAIRS: Final = (
    FormatRule(
        id="acp-message-shape",
        sentence=(
            "Every line is a JSON-RPC 2.0 request, notification or response, with the parameters "
            "that its method needs."
        ),
        why="The other side answers what it cannot read with an error, if at all.",
        source=_SPEC,
        good=trace(_PROMPT, _TEXT, _END),
        bad=trace(_PROMPT, _notice("session/update", update={}), _END),
    ),
    FormatRule(
        id="acp-answers",
        sentence="A response answers a request that is waiting, and each request once.",
        why="The first response settles a request; a second one meets nobody, or the wrong one.",
        source=_SPEC,
        good=trace(_PROMPT, _END),
        bad=trace(_PROMPT, _END, _END),
    ),
    FormatRule(
        id="acp-prompt-answered",
        sentence="Every session/prompt is answered, in version 1 with a stop reason.",
        why="The client waits for it. A trace that the recorder cut carries the mark `left`.",
        source=_SPEC,
        good=trace(_PROMPT, _TEXT, _END),
        bad=trace(_PROMPT, _TEXT),
    ),
    FormatRule(
        id="acp-tool-call-known",
        sentence="A tool_call_update is about a call that a tool_call has announced (version 1).",
        why="A client has no place to draw it. Version 2 announces by the first update.",
        source="implied by the specification",
        good=trace(_PROMPT, _CALL, _RUNS, _RAN, _END),
        bad=trace(_PROMPT, _RUNS, _END),
    ),
    FormatRule(
        id="acp-tool-call-status",
        sentence=(
            "The status of a tool call goes from pending over in_progress to completed or failed "
            "(in version 2 also cancelled), and never back."
        ),
        why="A call that runs again after it was completed is shown as running for ever.",
        source="implied by the specification",
        good=trace(_PROMPT, _CALL, _RUNS, _RAN, _END),
        bad=trace(_PROMPT, _CALL, _RAN, _RUNS, _END),
    ),
)

_CANCELS: Final = (
    FormatRule(
        id="acp-cancel-notifies",
        sentence="session/cancel is a notification: it has no id and gets no response.",
        why="What answers a cancel is the answer of the prompt.",
        source=_SPEC,
        good=trace(_PROMPT, _CANCEL, _CANCELLED),
        bad=trace(_PROMPT, _request(2, "session/cancel", sessionId="s"), _result(2), _CANCELLED),
    ),
    FormatRule(
        id="acp-cancel-permissions",
        sentence=(
            "After session/cancel the client answers every permission request that is waiting with "
            "the outcome cancelled."
        ),
        why="The agent awaits that answer; without it the turn never ends, and with a yes the tool "
        "runs after all.",
        source=_SPEC,
        good=trace(_PROMPT, _CALL, _ASK, _CANCEL, _REFUSED, _CANCELLED),
        bad=trace(_PROMPT, _CALL, _ASK, _CANCEL, _GRANTED, _CANCELLED),
    ),
    FormatRule(
        id="acp-cancel-stop-reason",
        sentence="A prompt that was cancelled is answered with the stop reason cancelled.",
        why="Any other reason tells the client that the work was done. Judged as recorded at the "
        "agent; see `--recorded-at client` for answers that cross the cancel on their way.",
        source=_SPEC,
        good=trace(_PROMPT, _TEXT, _CANCEL, _TEXT, _CANCELLED),
        bad=trace(_PROMPT, _TEXT, _CANCEL, _TEXT, _END),
    ),
    FormatRule(
        id="acp-cancel-no-error",
        sentence="A prompt that was cancelled is not answered with an error.",
        why="The abort of a provider or tool is how a cancel looks from inside. Shown as an error "
        "it raises alarms, and clients try again.",
        source=_SPEC,
        good=trace(_PROMPT, _CANCEL, _CANCELLED),
        bad=trace(_PROMPT, _CANCEL, _error(1, -32603, "This operation was aborted")),
    ),
    FormatRule(
        id="acp-cancel-updates-first",
        sentence="After a cancel all updates of the turn come before the prompt is answered.",
        why="A client takes what comes later for the next turn.",
        source=_SPEC,
        good=trace(_PROMPT, _CALL, _CANCEL, _RAN, _CANCELLED),
        bad=trace(_PROMPT, _CALL, _CANCEL, _CANCELLED, _RAN),
    ),
    FormatRule(
        id="acp-cancel-request",
        sentence=(
            "A request that $/cancel_request names is answered all the same: with a result, or "
            "with the error -32800."
        ),
        why="Who asked still waits, and has to tell a stop from a failure.",
        source=_SPEC,
        good=trace(_PROMPT, _STOP, _error(1, -32800, "cancelled")),
        bad=trace(_PROMPT, _STOP, _error(1, -32603, "aborted")),
    ),
)

_SECOND: Final = (
    FormatRule(
        id="acp-v2-prompt-accepted",
        sentence="In version 2 session/prompt is answered when it is accepted, without a reason.",
        why="The end of the work is a state update; a reason in the answer is that of version 1.",
        source=_V2,
        good=trace(_INIT2, _PROMPT, _ACCEPTED, _RUNNING, _IDLE),
        bad=trace(_INIT2, _PROMPT, _RUNNING, _END),
    ),
    FormatRule(
        id="acp-v2-states",
        sentence=(
            "A state is running, idle or requires_action; idle after work has a stop reason, and a "
            "reason of one's own begins with an underscore."
        ),
        why="Clients wait for idle, and branch on the reason.",
        source=_V2,
        good=trace(_INIT2, _PROMPT, _ACCEPTED, _RUNNING, _IDLE),
        bad=trace(_INIT2, _PROMPT, _ACCEPTED, _RUNNING, _update("state_update", state="idle")),
    ),
    FormatRule(
        id="acp-v2-cancel-idle",
        sentence="In version 2 a cancel of running work ends in idle with the reason cancelled.",
        why="As in version 1, where the answer of the prompt says it.",
        source=_V2,
        good=trace(_INIT2, _PROMPT, _ACCEPTED, _RUNNING, _CANCEL, _TEXT, _IDLE_CANCELLED),
        bad=trace(_INIT2, _PROMPT, _ACCEPTED, _RUNNING, _CANCEL, _TEXT, _IDLE),
    ),
)

RULES: Final = (*_PAIRS, *_CANCELS, *_SECOND)

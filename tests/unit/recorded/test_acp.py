"""ACP: the cancel rules in their variants, sides, sessions and versions."""

from typing import Any

import pytest

from simharness.recorded.universal import RECORDS_MAX
from tests.unit.recorded.recordings import broken, checked, texts

Line = dict[str, Any]


def ask(number: object, method: str, **params: Any) -> Line:
    """A request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def tell(method: str, **params: Any) -> Line:
    """A notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def answer(number: object, **result: Any) -> Line:
    """A result."""
    return {"jsonrpc": "2.0", "id": number, "result": result}


def fail(number: object, code: int) -> Line:
    """An error."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": "no"}}


def update(kind: str, session: str = "s", **fields: Any) -> Line:
    """A session update."""
    return tell("session/update", sessionId=session, update={"sessionUpdate": kind, **fields})


def prompt(number: object = 1, session: str = "s") -> Line:
    """A prompt."""
    return ask(number, "session/prompt", sessionId=session, prompt=[])


TEXT = update("agent_message_chunk", content={"type": "text", "text": "x"})
CALL = update("tool_call", toolCallId="c", title="t", status="pending")
DONE = update("tool_call_update", toolCallId="c", status="completed")
CANCEL = tell("session/cancel", sessionId="s")
END = answer(1, stopReason="end_turn")
CANCELLED = answer(1, stopReason="cancelled")
MAY = ask(1, "session/request_permission", sessionId="s", toolCall={}, options=[])
NO = answer(1, outcome={"outcome": "cancelled"})
YES = answer(1, outcome={"outcome": "selected", "optionId": "y"})
SECOND = [ask(0, "initialize", protocolVersion=2), answer(0, protocolVersion=2)]
RUNNING = update("state_update", state="running")


KEPT: dict[str, list[Line]] = {
    "a turn without a cancel": [prompt(), TEXT, CALL, DONE, END],
    "both sides use the same id": [prompt(), CALL, MAY, YES, DONE, END],
    "a cancel with a permission": [prompt(), CALL, MAY, CANCEL, NO, DONE, CANCELLED],
    "a permission asked for after the cancel": [prompt(), CANCEL, CALL, MAY, YES, DONE, CANCELLED],
    "a cancel where nothing runs": [
        prompt(), END, CANCEL, prompt(2), answer(2, stopReason="end_turn"),
    ],
    "a second turn after a cancelled one": [
        prompt(), CANCEL, CANCELLED, prompt(2), TEXT, CALL, DONE, answer(2, stopReason="end_turn"),
    ],
    "a call that the cancel leaves open": [prompt(), CALL, CANCEL, CANCELLED],
    "two sessions, one cancelled": [
        prompt(), prompt(2, "z"), CANCEL, update("agent_message_chunk", "z"), CANCELLED,
        answer(2, stopReason="end_turn"),
    ],
    "a loaded conversation is replayed": [
        prompt(), CANCEL, CANCELLED, ask(2, "session/load", sessionId="s"), TEXT, CALL, DONE,
        answer(2),
    ],
    "a request that was cancelled by its id": [
        prompt(), tell("$/cancel_request", requestId=1), END,
    ],
    "a prompt that was cancelled both ways": [
        prompt(), CANCEL, tell("$/cancel_request", requestId=1), fail(1, -32800),
    ],
    "a stop reason of one's own": [prompt(), answer(1, stopReason="_budget")],
    "an update of the plan after the end": [prompt(), CANCEL, CANCELLED,
                                             update("available_commands_update")],
    "a call whose id comes again when it has ended": [
        prompt(), CALL, DONE, END, prompt(2), CALL, DONE, answer(2, stopReason="end_turn"),
    ],
    "a message that could not be read": [
        prompt(), {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "?"}}, END,
    ],
    "a call that is announced without a status": [
        prompt(), update("tool_call", toolCallId="d", title="t"),
        update("tool_call_update", toolCallId="d", title="u"),
        update("tool_call_update", toolCallId="d", status="completed"), END,
    ],
    "a method nobody judges, with odd parameters": [
        prompt(), tell("_ext/x") | {"params": [1]}, END,
    ],
    "version 2, a prompt that is refused": [*SECOND, prompt(), fail(1, -32602)],
    "text ids": [prompt("one"), answer("one", stopReason="refusal")],
    "version 2": [*SECOND, prompt(), answer(1), RUNNING, DONE, TEXT,
                  update("state_update", state="idle", stopReason="end_turn")],
    "version 2, cancelled": [
        *SECOND, prompt(), answer(1), RUNNING, CANCEL,
        update("tool_call_update", toolCallId="c", status="cancelled"),
        update("state_update", state="idle", stopReason="cancelled"),
    ],
}  # fmt: skip

BROKEN: dict[str, tuple[str, list[Line]]] = {
    "an error that comes of the abort": (
        "acp-cancel-no-error", [prompt(), CANCEL, TEXT, fail(1, -32603)]),
    "the error of a cancelled request for session/cancel": (
        "acp-cancel-no-error", [prompt(), CANCEL, fail(1, -32800)]),
    "an end that is called a limit": (
        "acp-cancel-stop-reason", [prompt(), CANCEL, TEXT, answer(1, stopReason="max_tokens")]),
    "an update behind the answer": (
        "acp-cancel-updates-first", [prompt(), CANCEL, CANCELLED, TEXT]),
    "a permission that is never answered": (
        "acp-cancel-permissions", [prompt(), CALL, MAY, CANCEL, CANCELLED]),
    "a cancelled request that is never answered": (
        "acp-cancel-request",
        [ask(1, "fs/read_text_file", sessionId="s"), tell("$/cancel_request", requestId=1)]),
    "a prompt without an id": (
        "acp-prompt-answered", [tell("session/prompt", sessionId="s"), TEXT]),
    "an answer without a reason": ("acp-prompt-answered", [prompt(), answer(1)]),
    "an answer to nobody": ("acp-answers", [prompt(), answer(9), END]),
    "an id that is used twice at once": ("acp-answers", [prompt(), prompt(1, "z"), END]),
    "an unknown status": (
        "acp-tool-call-status", [prompt(), update("tool_call", toolCallId="c", status="odd"), END]),
    "a status of version 2": (
        "acp-tool-call-status",
        [prompt(), CALL, update("tool_call_update", toolCallId="c", status="cancelled"), END]),
    "a result that changes": (
        "acp-tool-call-status",
        [prompt(), CALL, DONE, update("tool_call_update", toolCallId="c", status="failed"), END]),
    "a call that never ends (universal)": ("start-end-paired", [prompt(), CALL, END]),
    "text behind the end (universal)": ("no-event-after-terminal", [prompt(), END, TEXT]),
    "version 2, a cancel that ends in nothing": (
        "acp-v2-cancel-idle", [*SECOND, prompt(), answer(1), RUNNING, CANCEL, TEXT]),
    "version 2, an unknown state": (
        "acp-v2-states", [*SECOND, prompt(), answer(1), update("state_update", state="asleep")]),
    "version 2, updates behind idle": (
        "acp-cancel-updates-first",
        [*SECOND, prompt(), answer(1), RUNNING, CANCEL,
         update("state_update", state="idle", stopReason="cancelled"), TEXT]),
    "version 2, a reason nobody knows": (
        "acp-v2-states",
        [*SECOND, prompt(), answer(1), RUNNING,
         update("state_update", state="idle", stopReason="tired")]),
    "a call without an id": ("acp-message-shape", [prompt(), update("tool_call", title="t"), END]),
    "parameters that are a list": (
        "acp-message-shape", [tell("session/cancel") | {"params": [1]}, prompt(), END]),
    "an id that is true": ("acp-message-shape", [prompt() | {"id": True}, prompt(), END]),
    "a method that is a number": ("acp-message-shape", [tell("x") | {"method": 7}, prompt(), END]),
    "an answer without an id": (
        "acp-message-shape", [prompt(), {"jsonrpc": "2.0", "result": {}}, END]),
    "an error without a code": (
        "acp-message-shape", [prompt(), {"jsonrpc": "2.0", "id": 1, "error": {}}, END]),
    "an envelope around nothing": (
        "acp-message-shape", [{"from": "agent", "message": 7}, prompt(), END]),
    "no JSON-RPC": ("acp-message-shape", [prompt(), {"hello": 1}, END]),
    "a result and an error": ("acp-message-shape", [prompt(), END | fail(1, 1), END]),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_what_keeps_every_rule(name: str) -> None:
    """Universal rules included."""
    assert [] == texts(checked("acp", *KEPT[name]))


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_a_rule(name: str) -> None:
    """The named one, whatever follows from it."""
    rule, lines = BROKEN[name]
    assert rule in broken(checked("acp", *lines))


def test_an_envelope_says_the_side() -> None:
    """Two requests with one id, one of each side, are told apart by it."""
    sides = ["client", "agent", "agent", "client"]
    lines = [prompt(), MAY, END, YES]
    told = [{"from": side, "message": line} for side, line in zip(sides, lines, strict=True)]
    assert [] == texts(checked("acp", *told))
    assert "acp-message-shape" in broken(checked("acp", {"from": "moon", "message": END}, *told))


def test_an_answer_that_may_have_crossed_the_cancel() -> None:
    """Noted where the recorder sat at the client; judged at the agent, which had read it."""
    lines = [prompt(), TEXT, CANCEL, END]
    done = checked("acp", *lines, at_client=True)
    assert set() == broken(done)
    assert 1 == len(done.tally.notes)
    assert "acp-cancel-stop-reason" in broken(checked("acp", *lines))
    closing = checked("acp", prompt(), CALL, CANCEL, DONE, END, at_client=True)
    assert set() == broken(closing)
    late = checked("acp", prompt(), CANCEL, TEXT, END, at_client=True)
    assert "acp-cancel-stop-reason" in broken(late)


NOTED: dict[str, list[Line | str]] = {
    "session/cancel itself": [prompt(), '{"simharness": "cancel"}', END],
    "which no request waits for": [tell("$/cancel_request", requestId=9), prompt(), END],
    "nobody cancelled": [prompt(), CANCELLED],
    "no turn is open": [prompt(), END, CANCEL],
    "announced again": [prompt(), CALL, DONE, CALL, DONE, END],
}


@pytest.mark.parametrize("words", NOTED)
def test_what_is_noted_only(words: str) -> None:
    """It breaks nothing, and may be worth knowing."""
    done = checked("acp", *NOTED[words])
    assert set() == broken(done)
    (note,) = [text for text, _ in done.tally.notes]
    assert words in note


def test_old_sessions_are_forgotten() -> None:
    """The latest turns of two hundred sessions are kept for what may come late."""
    many = [
        line
        for number in range(250)
        for line in (prompt(number, f"s{number}"), answer(number, stopReason="end_turn"))
    ]
    late = [update("agent_message_chunk", f"s{number}") for number in (0, 249)]
    done = checked("acp", *many, *late)
    assert {"no-event-after-terminal"} == broken(done)
    assert 250 == done.tally.occasions["one-terminal"]
    assert 1 == done.tally.broken["no-event-after-terminal"]


def test_a_turn_too_long_to_be_kept_is_left_to_the_rules_of_its_format() -> None:
    """And a note says so; the next turn is judged by the universal rules again."""
    many = [
        update(kind, toolCallId=f"c{number}", status=status)
        for number in range(RECORDS_MAX // 2)
        for kind, status in (("tool_call", "pending"), ("tool_call_update", "completed"))
    ]
    wrong = [CANCEL, TEXT, fail(1, -32603)]
    done = checked("acp", prompt(), *many, *wrong, prompt(), *wrong)
    assert {"acp-cancel-no-error": 2, "terminal-kind": 1} == dict(done.tally.broken)
    assert "more than 20000 records" in done.tally.notes[0][0]
    assert 1 == done.tally.occasions["one-terminal"]

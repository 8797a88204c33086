"""The words of DeepSeek Harness: what of a trace becomes an entry of its session log."""

from __future__ import annotations

import pytest

from simharness.agents.profiles import deepseek_harness_v2 as v2
from simharness.agents.profiles.deepseek_harness import projection
from simharness.agents.reference.tools import ABORTED, NO_SUCH_TOOL, NOT_RUN_CANCELLED
from simharness.trace import (
    AgentEnd,
    AgentStart,
    AttemptKept,
    Call,
    CancelCalled,
    ChunkTaken,
    HookCalled,
    LogRow,
    Message,
    MessageEnd,
    MessageStart,
    Opaque,
    Outcome,
    ProviderRetry,
    Reasoning,
    Record,
    RequestMade,
    StreamEnd,
    TerminalTaken,
    Text,
    ToolExecutionEnd,
    ToolExecutionStart,
    Trace,
    TurnEnd,
    TurnStart,
    UsageTaken,
    assistant,
    tool_result,
    user,
)

ASKED = RequestMade(1, (user("hi"),))
BEGUN = (AgentStart(), TurnStart(1))
CANCEL = CancelCalled("api")


def log(*records: Record, runs: dict[int, int] | None = None) -> list[str]:
    """The log of records of run 1; `runs` are the places of those of another run."""
    trace = Trace()
    for place, record in enumerate(records):
        trace.add(record, time=0.0, run=(runs or {}).get(place, 1))
    return projection(trace.records)


def test_a_turn_with_a_step() -> None:
    """Starts of messages, log rows and the like are no entries."""
    said = (MessageStart(assistant()), MessageEnd(assistant("a")), LogRow(1, success=True))
    assert [
        "turn/start",
        "step/start",
        "user/message",
        "assistant/message[text]",
        "step/end",
        "turn/end completed",
    ] == log(
        *BEGUN,
        MessageEnd(user("hi")),
        ASKED,
        *said,
        TurnEnd(1),
        AgentEnd(Outcome.COMPLETED),
    )


@pytest.mark.parametrize(
    ("kind", "entry"),
    [("text", "text-delta"), ("reasoning", "reasoning-delta"), ("args", "tool-call-delta")],
)
def test_a_chunk_is_named_by_its_kind(kind: str, entry: str) -> None:
    """One entry for each that was taken."""
    assert [f"assistant/chunk {entry}"] == log(ChunkTaken(1, 1, kind, "a"))


@pytest.mark.parametrize(
    ("kind", "detail", "entries"),
    [
        ("finish", "stop", ["assistant/chunk finish stop"]),
        ("finish", "tool_calls", ["assistant/chunk finish tool-calls"]),
        ("finish", "length", ["assistant/chunk finish max-tokens"]),
        ("error", "boom", ["assistant/chunk finish error"]),
        ("raise", "boom", ["assistant/chunk finish error"]),
        ("aborted", "overloaded", ["assistant/chunk finish aborted"]),
        ("close", "", []),
    ],
)
def test_the_end_of_a_stream_is_a_finish(kind: str, detail: str, entries: list[str]) -> None:
    """What is raised becomes one, and a silent close has none."""
    assert entries == log(TerminalTaken(1, kind, detail))


def test_nothing_of_a_stream_is_logged_behind_the_cancel() -> None:
    """The signal is looked at before a chunk is appended; a cancel of another run is no cancel."""
    stream = (
        ChunkTaken(1, 1, "text", "a"),
        UsageTaken(1, 1, 2),
        TerminalTaken(1, "finish", "stop"),
    )
    said = MessageEnd(user("hi"))
    assert ["turn/start", "step/start", "user/message"] == log(*BEGUN, said, CANCEL, *stream)
    assert 6 == len(log(*BEGUN, said, CANCEL, *stream, runs={3: 2}))


def test_the_answer_to_a_stop_is_not_logged() -> None:
    """Also where the framework and no cancel stopped the stream."""
    assert [] == log(TerminalTaken(1, "aborted", "user", answering=True))


@pytest.mark.parametrize(
    ("message", "entry"),
    [
        (assistant("a", Call("c1", "t", "{}")), "[text, tool-call]"),
        (Message("assistant", (Reasoning("a"), Text("b"))), "[reasoning, text]"),
        (Message("assistant", (Opaque("a"),)), "[opaque]"),
        (assistant("a", interrupted=True), "[text] interrupted"),
    ],
)
def test_a_message_says_what_it_holds(message: Message, entry: str) -> None:
    """And whether it was cut."""
    assert [f"assistant/message{entry}"] == log(ASKED, MessageEnd(message))


def test_usage_travels_on_the_message_of_its_request() -> None:
    """The last report counts, and that of a request before does not."""
    reports = (UsageTaken(1, 10, 1), UsageTaken(1, 10, 2))
    said = MessageEnd(assistant("a"))
    assert "assistant/message[text] + usage 10/2" == log(ASKED, *reports, said)[-1]
    again = RequestMade(2, (user("hi"),))
    assert "assistant/message[text]" == log(ASKED, *reports, again, MessageEnd(assistant("a")))[-1]


def test_an_answer_without_content_has_a_message_all_the_same() -> None:
    """An attempt that failed or was cut has none, nor has what was discarded."""
    kept = AttemptKept(1, "")
    assert ["assistant/message[]"] == log(ASKED, kept, LogRow(1, success=True))
    assert [] == log(ASKED, AttemptKept(1, ""), LogRow(1, success=False, error="boom"))
    assert [] == log(MessageEnd(assistant("a"), discarded=True))


@pytest.mark.parametrize(
    ("result", "entry"),
    [
        (tool_result("c1", "3 hits"), "ok"),
        (tool_result("c1", "no net", is_error=True), "error"),
        (tool_result("c1", ABORTED, is_error=True), "error ABORTED"),
        (tool_result("c1", NOT_RUN_CANCELLED, is_error=True), "error ABORTED_BEFORE_DISPATCH"),
        (tool_result("c1", f"{NO_SUCH_TOOL} 'x'", is_error=True), "error UNKNOWN_TOOL"),
        (tool_result("c1", ABORTED), "ok"),
    ],
)
def test_a_result_is_coded(result: Message, entry: str) -> None:
    """Errors of tools have no code, and what a tool returns is no code either."""
    assert [f"tool/result c1 {entry}"] == log(MessageEnd(result))


def test_calls_are_logged_when_they_begin_and_results_when_they_are_kept() -> None:
    """What a tool did in between is not."""
    begin, end = ToolExecutionStart("c1", "t", "{}"), ToolExecutionEnd("c1", "t", "ok")
    entries = log(begin, end, MessageEnd(tool_result("c1", "ok")))
    assert ["tool/call c1", "tool/result c1 ok"] == entries


def test_a_retry_is_announced_and_started() -> None:
    """It starts with its request, so one that a cancel prevents never does."""
    retry = ProviderRetry(1, 4, "busy", 0.5)
    assert ["llm/retry", "llm/retry-started"] == log(ASKED, retry, RequestMade(2, ()))
    assert ["llm/retry"] == log(ASKED, ProviderRetry(1, 4, "busy", 0.5))


@pytest.mark.parametrize(
    ("end", "entry"),
    [
        (AgentEnd(Outcome.COMPLETED), "completed"),
        (AgentEnd(Outcome.CANCELLED, "parent"), "aborted{parent}"),
        (AgentEnd(Outcome.REJECTED, "no"), "blocked"),
        (AgentEnd(Outcome.LIMIT, "before-turn"), "blocked"),
        (AgentEnd(Outcome.LIMIT, "length"), "max-tokens"),
        (AgentEnd(Outcome.LIMIT, "turn-limit"), "turn-limit"),
        (AgentEnd(Outcome.FAILED, "error"), "error"),
    ],
)
def test_a_turn_says_why_it_ended(end: AgentEnd, entry: str) -> None:
    """A limit that dsh does not have keeps its name."""
    assert f"turn/end {entry}" == log(AgentStart(), HookCalled("input_filter", 1), end)[-1]


@pytest.mark.parametrize(
    ("kind", "code"), [("error", "{failure}"), ("raise", "{UNKNOWN}"), ("aborted", "{ABORTED}")]
)
def test_a_failure_has_the_code_of_its_stream(kind: str, code: str) -> None:
    """That of the last stream."""
    failed = (TerminalTaken(1, kind, "boom"), TurnEnd(1), AgentEnd(Outcome.FAILED, "error"))
    assert f"turn/end error{code}" == log(*BEGUN, MessageEnd(user("hi")), ASKED, *failed)[-1]


def test_a_turn_that_is_cancelled_when_it_is_announced_is_none() -> None:
    """In front of its first step it is one."""
    end = AgentEnd(Outcome.CANCELLED, "user")
    assert [] == log(AgentStart(), CANCEL, end)
    filtered = log(AgentStart(), HookCalled("input_filter", 1), CancelCalled("api"), end)
    assert ["turn/start", "turn/end aborted{user}"] == filtered


def test_a_step_in_which_nothing_was_done_is_none() -> None:
    """What is asked in front of it said no."""
    refused = (TurnStart(2), HookCalled("before_turn", 1), TurnEnd(2))
    end = AgentEnd(Outcome.LIMIT, "before-turn")
    assert ["turn/start", "turn/end blocked"] == log(AgentStart(), *refused, end)


def test_what_was_queued_runs_in_a_turn_of_its_own() -> None:
    """The cancel was that of the turn before."""
    first = (AgentStart(), TurnStart(1), MessageEnd(user("hi")), CancelCalled("api"))
    over = (TurnEnd(1), AgentEnd(Outcome.CANCELLED, "user"), AgentStart())
    entries = log(*first, *over, ChunkTaken(2, 1, "text", "a"))
    assert ["turn/end aborted{user}", "turn/start", "assistant/chunk text-delta"] == entries[-3:]


def test_the_later_format_has_streams_in_place_of_chunks() -> None:
    """An attempt stands where there is no message; usage and codes are known all the same."""
    stream = (ChunkTaken(1, 1, "text", "a"), UsageTaken(1, 1, 2), TerminalTaken(1, "raise", "boom"))
    kept = (ASKED, *stream, MessageEnd(assistant("a")), StreamEnd(1))
    wanted = ["assistant/message[text] + usage 1/2", "agent/assistant-stream end"]
    assert wanted == v2.projection(kept)
    failed = (AttemptKept(1, "a"), StreamEnd(1), HookCalled("on_error", 1))
    end = AgentEnd(Outcome.FAILED, "error")
    entries = v2.projection((TerminalTaken(1, "raise", "boom"), *failed, end))
    assert [
        "assistant/attempt",
        "agent/assistant-stream end",
        "agent/request-error",
        "turn/end error{UNKNOWN}",
    ] == entries

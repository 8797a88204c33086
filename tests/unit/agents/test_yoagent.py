"""The words of yoagent: how records are written in them."""

from __future__ import annotations

import pytest

from simharness.agents.profiles.yoagent import CANCELLED, projection
from simharness.trace import (
    AgentEnd,
    AgentStart,
    Call,
    HookCalled,
    LoopDetected,
    Message,
    MessageEnd,
    MessageStart,
    Notice,
    RequestMade,
    TerminalTaken,
    ToolStarted,
    TurnStart,
    assistant,
    tool_result,
    user,
)

ABORTED = Message("assistant", interrupted=True)
LIMIT = user("[Agent stopped: turn limit (1/1)]")
CALLS = assistant("", Call("c1", "read", "{}"))


ASKED = RequestMade(1, (user("hi"),))


def ended(kind: str, detail: str = "") -> TerminalTaken:
    """The end of the stream."""
    return TerminalTaken(1, kind, detail)


@pytest.mark.parametrize(
    ("end", "message", "word"),
    [
        (("finish", "stop"), assistant("a"), "A(Stop)"),
        (("finish", "tool_calls"), CALLS, "A(ToolUse)"),
        (("finish", "length"), assistant("a"), "A(Length)"),
        (("finish", "refusal"), assistant("a"), "A(Refusal)"),
        (("finish", "content_filter"), assistant(), "A(Error)"),
        (("error", "boom"), assistant(), "A(Error)"),
        (("close",), assistant("a"), "A(Stop)"),
        (("close",), CALLS, "A(ToolUse)"),
        (("finish", "stop"), ABORTED, "A(Aborted)"),
    ],
)
def test_a_message_stopped_for_the_reason_of_its_stream(
    end: tuple[str, ...], message: Message, word: str
) -> None:
    """Unless a cancel cut it. Its start is a placeholder while the stream has not ended."""
    begun = (ASKED, MessageStart(assistant()), ended(*end), MessageEnd(message))
    assert ["provider.stream", "MS A(Stop)", f"ME {word}"] == projection(begun)
    silent = (ASKED, ended(*end), MessageStart(message), MessageEnd(message))
    assert ["provider.stream", f"MS {word}", f"ME {word}"] == projection(silent)


def test_the_end_of_a_run_lists_its_messages() -> None:
    """As they ended; one without events is taken for the latest, a discarded one is not kept."""
    messages = (user("hi"), CALLS, tool_result("c1", "no", is_error=True), assistant("b"))
    records = (
        AgentStart(),
        ASKED,
        ended("error"),
        MessageEnd(assistant("again"), discarded=True),
        ASKED,
        ended("finish", "tool_calls"),
        MessageEnd(CALLS),
        ASKED,
        ended("finish", "stop"),
        AgentEnd(messages=messages),
    )
    assert "AgentEnd[user, A(ToolUse), TR(true), A(Stop)]" == projection(records)[-1]


def test_markers_are_written_out() -> None:
    """The one of a cancel has a word of its own, a limit that of the system where it is known."""
    other = user("[Agent stopped: token limit (9/9)]")
    records = [MessageEnd(one) for one in (user(CANCELLED), LIMIT, other)]
    limits = [
        "ME [Agent stopped: Max turns reached (1/1)]",
        "ME [Agent stopped: token limit (9/9)]",
    ]
    assert ["ME CANC", *limits] == projection(records)


def test_hooks_count_from_zero() -> None:
    """Turns within the run, links within the chain; hooks that it does not have are left out."""
    chain = (HookCalled("middleware", 2), HookCalled("before_tool", 1), HookCalled("observer", 1))
    records = (TurnStart(2), HookCalled("before_turn", 1), HookCalled("turn_note", 1), *chain)
    assert ["TurnStart", "on_before_turn 1", "turn_hook", "middleware1"] == projection(records)


def test_arguments_are_written_where_there_are_any() -> None:
    """A body without arguments is its name."""
    bodies = (ToolStarted("c1", "read", "{}"), ToolStarted("c2", "read", '{"path": "a"}'))
    assert ["tool.execute read", 'tool.execute read {"path": "a"}'] == projection(bodies)


def test_what_has_no_word_is_left_out() -> None:
    """Notices are the loop's own."""
    records = (LoopDetected("read", 3, aborted=True), Notice("parked", "later"))
    assert ["LoopDetected aborted=true"] == projection(records)

"""The words of TunaCode: how records are written as the events of its loop."""

from __future__ import annotations

import pytest

from simharness.agents.profiles.tunacode import projection
from simharness.storing import StoreFlushed
from simharness.trace import (
    AgentEnd,
    AgentStart,
    Call,
    Message,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    Notice,
    TerminalTaken,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
    assistant,
    tool_result,
    user,
)


@pytest.mark.parametrize(
    ("terminal", "reason"),
    [
        (("finish", "stop"), "complete"),
        (("finish", "tool_calls"), "tool_calls"),
        (("finish", "length"), "length"),
        (("close", ""), "complete"),
        (("error", "boom"), "error"),
        (("raise", "boom"), "error"),
    ],
)
def test_an_answer_stops_as_its_stream_does(terminal: tuple[str, str], reason: str) -> None:
    """A stream that just ends is an answer all the same."""
    records = (TerminalTaken(1, *terminal), MessageEnd(assistant("a")))
    assert [f"ME(asst/{reason})"] == projection(records)


def test_a_cut_answer_is_aborted_whatever_its_stream_said() -> None:
    """The mark of the message decides."""
    cut = Message("assistant", interrupted=True)
    assert ["ME(asst/aborted)"] == projection((TerminalTaken(1, "error"), MessageEnd(cut)))


def test_each_event_has_its_word() -> None:
    """In the order in which they were reported; what has no word there is left out."""
    asks = assistant("", Call("c1", "read", "{}"))
    found = tool_result("c1", "text")
    records = (
        AgentStart(),
        TurnStart(1),
        MessageStart(user("hi")),
        MessageEnd(user("hi")),
        MessageStart(assistant()),
        MessageUpdate("a"),
        TerminalTaken(1, "finish", "tool_calls"),
        MessageEnd(asks),
        ToolExecutionStart("c1", "read", "{}"),
        ToolExecutionEnd("c1", "read", "text"),
        ToolExecutionEnd("c2", "read", "no", is_error=True),
        MessageStart(found),
        MessageEnd(found),
        MessageEnd(assistant("gone"), discarded=True),
        TurnEnd(1, asks, (found,)),
        Notice("alert", "nothing of theirs"),
        StoreFlushed(7),
        AgentEnd(messages=(user("hi"), asks, found)),
    )
    assert [
        "AgentStart",
        "TurnStart",
        "MS(user)",
        "ME(user)",
        "MS(asst)",
        "MU",
        "ME(asst/tool_calls)",
        "TS read",
        "TE read",
        "TE read error",
        "MS(tr)",
        "ME(tr)",
        "TurnEnd(1)",
        "save_session",
        "AgentEnd[user, asst, tr]",
    ] == projection(records)

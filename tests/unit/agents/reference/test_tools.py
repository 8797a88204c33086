"""Running tools: every call is answered, in the model's order, whatever happens to its body."""

from __future__ import annotations

import pytest

from simharness.scenario.model import Tool
from simharness.trace import (
    Outcome,
    RequestMade,
    ToolEnded,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolStarted,
)
from tests.unit.agents.reference.plays import call, end, kept, play, stream

NEEDS_Q = {"type": "object", "required": ["q"]}


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("serch", "{}", "there is no tool 'serch'; known tools: search"),
        ("search", '{"q": ', "invalid arguments: not a JSON object"),
        ("search", "[1]", "invalid arguments: not a JSON object"),
        ("search", "", "invalid arguments: 'q' is missing"),
        ("search", '{"q": 1}', "disk full"),
    ],
)
def test_a_call_that_cannot_run_or_fails_is_answered_and_the_loop_goes_on(
    name: str, args: str, text: str
) -> None:
    """The model hears what was wrong and gets another turn."""
    tool = Tool("search", raises="disk full", schema=NEEDS_Q)
    trace = play(stream(call(name, args)), stream("Sorry"), tools=(tool,))
    result = kept(trace)[2]
    assert (text, True) == (result.text, result.is_error)
    assert Outcome.COMPLETED == end(trace)[0]
    assert (text == "disk full") == bool(trace.of(ToolStarted))


def test_blank_arguments_are_none() -> None:
    """Some providers send nothing for a call without arguments."""
    trace = play(stream(call("list", "")), stream("Done"), tools=(Tool("list"),))
    assert ["{}"] == [started.args for started in trace.of(ToolStarted)]


@pytest.mark.parametrize(
    ("settings", "starts", "ended"),
    [
        ({}, [0.0, 0.0, 0.0], 0.3),
        ({"cap": 2}, [0.0, 0.0, 0.1], 0.3),
        ({"tools": "sequential"}, [0.0, 0.3, 0.4], 0.6),
    ],
)
def test_tools_run_side_by_side_up_to_the_cap_or_one_after_the_other(
    settings: dict[str, object], starts: list[float], ended: float
) -> None:
    """Whoever ends first, results lie in the model's order."""
    tools = (Tool("a", returns="A", takes_s=0.3), Tool("b", returns="B", takes_s=0.1))
    trace = play(
        stream(call("a"), call("b"), call("c")),
        stream("Done"),
        tools=(*tools, Tool("c", returns="C", takes_s=0.2)),
        settings=settings,
    )
    assert starts == pytest.approx([started.time for started in trace.of(ToolStarted)])
    assert ended == pytest.approx(trace.of(ToolEnded)[-1].time)
    assert ["A", "B", "C"] == [message.text for message in kept(trace)[2:5]]


def test_every_call_has_one_pair_of_tool_events_run_or_not() -> None:
    """An observer can count on it."""
    trace = play(
        stream(call("a"), call("nope"), call("a", "{")), stream("Done"), tools=(Tool("a"),)
    )
    started = {record.call_id for record in trace.of(ToolExecutionStart)}
    ended = {record.call_id: record.is_error for record in trace.of(ToolExecutionEnd)}
    assert {"c1", "c2", "c3"} == started
    assert {"c1": False, "c2": True, "c3": True} == ended


def test_ids_that_a_provider_uses_again_are_made_unique() -> None:
    """The next request would be refused, and a result could not be told from an older one."""
    again = stream(call("a", id="x"), call("a", id="x"))
    trace = play(stream(call("a", id="x")), again, stream("Done"), tools=(Tool("a"),))
    last = trace.of(RequestMade, 1)[-1].messages
    sent = [one.id for message in last for one in message.calls]
    assert len(set(sent)) == len(sent) == len([m for m in last if m.role == "tool"])

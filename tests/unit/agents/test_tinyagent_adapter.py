"""The tinyagent adapter: what it reports, shows, sends on and leaves alone."""

from __future__ import annotations

import asyncio

import pytest

from simharness.agent import (
    Aborted,
    CallDelta,
    CancelWay,
    Failed,
    Finish,
    KeepAlive,
    ProviderError,
    ReasoningDelta,
    StreamStart,
    TextDelta,
    ToolFailure,
    UsageReport,
)
from simharness.trace import (
    AgentEnd,
    Call,
    Message,
    MessageEnd,
    MessageUpdate,
    Reasoning,
    Text,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
    assistant,
    tool_result,
    user,
)
from tests.unit.agents.fake_world import FakeTool, FakeWorld, Script, drain

pytest.importorskip("tinyagent")

from simharness.agents.tinyagent import TinyAgent, make

pytestmark = pytest.mark.framework


SEARCH: Script = [
    StreamStart(),
    CallDelta(0, id="c1", name="search", args='{"q": '),
    CallDelta(0, args='"x"}'),
    Finish("tool_calls"),
]
BYE: Script = [StreamStart(), TextDelta("bye"), Finish()]
CALL = Call("c1", "search", '{"q": "x"}')


def run(world: FakeWorld, *prompts: str) -> TinyAgent:
    """Run prompts to their ends on stock asyncio."""

    async def main() -> TinyAgent:
        agent = make(world)
        for text in prompts:
            await drain(agent.prompt(text))
        return agent

    return asyncio.run(main())


def test_a_tool_turn_is_reported_event_by_event() -> None:
    """Every tinyagent event becomes one record, in order; turns are counted."""
    world = FakeWorld(SEARCH, BYE, tools=(FakeTool("search", "3 hits"),))
    run(world, "hi")
    tool_turn = ["TurnStart", "MessageStart", "MessageEnd", "MessageStart", "MessageUpdate"]
    tool_run = ["ToolExecutionStart", "ToolExecutionEnd", "MessageStart", "MessageEnd", "TurnEnd"]
    last_turn = ["TurnStart", "MessageStart", "MessageUpdate", "MessageEnd", "TurnEnd"]
    expected = [*tool_turn, "MessageUpdate", "MessageEnd", *tool_run, *last_turn]
    assert ["AgentStart", *expected, "AgentEnd"] == [type(r).__name__ for r in world.reports]
    assert [1, 2] == [r.turn for r in world.reports if isinstance(r, TurnStart)]


def test_a_tool_turn_reaches_the_next_request_and_the_history_in_full() -> None:
    """Calls, arguments and results are sent on as they are displayed."""
    world = FakeWorld(SEARCH, BYE, tools=(FakeTool("search", "3 hits"),))
    agent = run(world, "hi")
    asked = (user("hi"), assistant("", CALL), tool_result("c1", "3 hits"))
    assert asked == world.requests[1].messages
    assert ("search",) == world.requests[1].tools
    assert [*asked, assistant("bye")] == agent.history()


def test_tool_records_carry_call_id_name_args_and_result() -> None:
    """Tool reports say which call, with what, and how it ended."""
    world = FakeWorld(SEARCH, BYE, tools=(FakeTool("search", ToolFailure("no net")),))
    run(world, "hi")
    assert ToolExecutionStart("c1", "search", '{"q": "x"}') in world.reports
    assert ToolExecutionEnd("c1", "search", "no net", is_error=True) in world.reports
    assert tool_result("c1", "no net", is_error=True) == world.requests[1].messages[-1]


def test_only_deltas_that_the_consumer_was_handed_count_as_shown() -> None:
    """Text and reasoning are shown with their updates; call pieces and pings are not."""
    talk: Script = [
        StreamStart(),
        ReasoningDelta("hm"),
        TextDelta("a"),
        KeepAlive(),
        TextDelta("b", 1),
    ]
    world = FakeWorld([*talk, CallDelta(2, id="c1", name="search"), Finish("length")])
    agent = run(world, "hi")
    assert ["(hm)", "a", "b"] == world.texts
    assert Reasoning("hm") == agent.history()[1].blocks[0]
    assert [("hm", True), ("a", False), ("b", False), ("", False)] == [
        (r.text, r.reasoning) for r in world.reports if isinstance(r, MessageUpdate)
    ]


@pytest.mark.parametrize(
    "end", [Aborted("user"), Failed(ProviderError("boom")), Finish("content_filter")]
)
def test_an_end_other_than_done_becomes_an_error_event_with_the_partial(end: object) -> None:
    """Aborted, error and filtered keep the partial text and end the turn; aborted marks it."""
    world = FakeWorld([StreamStart(), TextDelta("par"), end])  # type: ignore[list-item]
    agent = run(world, "hi")
    cut = assistant("par", interrupted=isinstance(end, Aborted))
    assert [user("hi"), cut] == agent.history()
    assert TurnEnd(1, cut) in world.reports
    assert AgentEnd(messages=(user("hi"), cut)) == world.reports[-1]


def test_a_raising_stream_is_not_repaired() -> None:
    """What tinyagent leaves open when its provider raises stays open in the reports."""
    world = FakeWorld([StreamStart(), TextDelta("par"), ProviderError("boom")])
    run(world, "hi")
    kinds = [type(r) for r in world.reports]
    assert TurnEnd not in kinds
    assert 1 == kinds.count(MessageEnd)
    blank = Message("assistant", (Text(""),))
    assert AgentEnd(messages=(blank,)) == world.reports[-1]


def test_a_second_start_is_not_passed_on() -> None:
    """The provider protocol has one start per message."""
    world = FakeWorld([StreamStart(), StreamStart(), TextDelta("a"), Finish()])
    agent = run(world, "hi")
    assert [user("hi"), assistant("a")] == agent.history()


@pytest.mark.parametrize(
    ("reason", "stop_reason"),
    [("stop", "stop"), ("length", "length"), ("refusal", "stop"), ("content_filter", "error")],
)
def test_finish_reasons_are_mapped_as_the_framework_s_own_provider_does(
    reason: str, stop_reason: str
) -> None:
    """What its vocabulary has no word for is a stop."""
    agent = run(FakeWorld([StreamStart(), TextDelta("a"), Finish(reason)]), "hi")
    assert stop_reason == agent._agent.state.messages[-1].model_dump()["stop_reason"]


def test_usage_is_carried_by_the_message() -> None:
    """A cumulative report overwrites the one before it."""
    world = FakeWorld(
        [StreamStart(), UsageReport(3, 1), TextDelta("a"), UsageReport(3, 9), Finish()]
    )
    agent = run(world, "hi")
    usage = agent._agent.state.messages[-1].model_dump()["usage"]
    assert (3, 9, 12) == (usage["input"], usage["output"], usage["total_tokens"])


def test_steering_and_follow_ups_reach_the_framework_s_queues() -> None:
    """A steered message enters the run in progress, a follow-up comes after it would end."""
    world = FakeWorld(BYE, BYE, BYE)

    async def main() -> None:
        agent = make(world)
        items = agent.prompt("hi")
        await anext(items)
        agent.follow_up("then")
        agent.steer("now")
        await drain(items)

    asyncio.run(main())
    assert ["hi", "now", "then"] == [request.messages[-1].text for request in world.requests]


def test_only_what_the_framework_can_set_is_applied() -> None:
    """The system prompt heads each request; settings it has no word for are refused."""
    world = FakeWorld(BYE)
    agent = make(world)
    assert set() == agent.configure({"system": "Be brief.", "tools": "parallel"})
    asyncio.run(drain(agent.prompt("hi")))
    assert (Message("system", (Text("Be brief."),)), user("hi")) == world.requests[0].messages
    assert {"tools", "cap"} == agent.configure({"tools": "sequential", "cap": 2})


def test_an_answer_with_nothing_in_it_is_displayed_but_not_sent() -> None:
    """The framework's own provider leaves such messages out of its requests."""
    world = FakeWorld([StreamStart(), Finish()], BYE)
    agent = run(world, "hi", "again")
    assert (user("hi"), user("again")) == world.requests[1].messages
    assert assistant("") == agent.history()[1]


def test_cancel_sets_the_signal_that_the_stream_was_given() -> None:
    """abort() is seen by the stream of the request in progress."""
    world = FakeWorld(BYE)

    async def main() -> bool:
        agent = make(world)
        items = agent.prompt("hi")
        await anext(items)
        await asyncio.sleep(0.01)
        agent.cancel(CancelWay.API, "user")
        signal = world.streams[0].signal
        await drain(items)
        return signal is not None and signal.is_set()

    assert asyncio.run(main())


def test_closing_the_iterator_closes_the_framework_s_own() -> None:
    """aclose() ends the framework's generator, so that its clean-up runs."""
    world = FakeWorld(BYE)

    async def main() -> bool:
        agent = make(world)
        items = agent.prompt("hi")
        await anext(items)
        await items.aclose()  # type: ignore[attr-defined]
        return agent._agent.state.is_streaming

    assert not asyncio.run(main())

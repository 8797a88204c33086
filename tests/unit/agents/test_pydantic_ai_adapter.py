"""The pydantic-ai adapter: what it sends on, shows, reports, and how it hands histories over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from simharness.agent import (
    Aborted,
    CallDelta,
    CancelWay,
    Failed,
    Finish,
    Malformed,
    ProviderError,
    ReasoningDelta,
    StreamStart,
    TextDelta,
    ToolFailure,
)
from simharness.trace import (
    Call,
    Message,
    Outcome,
    Reasoning,
    Text,
    ToolExecutionEnd,
    ToolExecutionStart,
    assistant,
    tool_result,
    user,
)
from tests.unit.agents.fake_world import FakeTool, FakeWorld, Script, drain

pytest.importorskip("pydantic_ai")

import pydantic_ai

from simharness.agents.pydantic_ai import PydanticAI, make

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.framework


SEARCH: Script = [
    StreamStart(),
    CallDelta(0, id="c1", name="search", args='{"q": '),
    CallDelta(0, args='"x"}'),
    Finish("tool_calls"),
]
BYE: Script = [StreamStart(), TextDelta("bye"), Finish()]
CALL = Call("c1", "search", '{"q":"x"}')


def run(world: FakeWorld, *prompts: str) -> PydanticAI:
    """Run prompts to their ends on stock asyncio."""

    async def main() -> PydanticAI:
        agent = make(world)
        for text in prompts:
            await drain(agent.prompt(text))
        return agent

    return asyncio.run(main())


async def until_shown(world: FakeWorld, items: AsyncIterator[object]) -> None:
    """Read until text was shown."""
    while not world.texts:
        await anext(items)


def test_a_tool_turn_reaches_the_next_request_and_the_history_in_full() -> None:
    """Calls, arguments and results are sent on as they are handed back."""
    world = FakeWorld(SEARCH, BYE, BYE, tools=(FakeTool("search", "3 hits"),))
    agent = run(world, "hi", "again")
    turn = (user("hi"), assistant("", CALL), tool_result("c1", "3 hits"))
    assert turn == world.requests[1].messages
    assert ("search",) == world.requests[1].tools
    assert (*turn, assistant("bye"), user("again")) == world.requests[2].messages
    assert [*world.requests[2].messages, assistant("bye")] == agent.history()


def test_tools_get_their_arguments_and_tell_their_failures() -> None:
    """A failed tool is a result that the model sees."""
    tool = FakeTool("search", ToolFailure("no net"))
    world = FakeWorld(SEARCH, BYE, tools=(tool,))
    run(world, "hi")
    failed = '{"error":"no net"}'  # what it sends to models that have no field for errors
    assert [("c1", {"q": "x"})] == tool.started
    assert [
        ToolExecutionStart("c1", "search", '{"q":"x"}'),
        ToolExecutionEnd("c1", "search", failed, is_error=True),
    ] == world.reports
    assert tool_result("c1", failed, is_error=True) == world.requests[1].messages[-1]


def test_text_and_reasoning_are_shown_as_their_events_are_handed_over() -> None:
    """First pieces come with the start of a part, later ones with its deltas."""
    talk: Script = [ReasoningDelta("h"), ReasoningDelta("m"), TextDelta("a"), TextDelta("b")]
    world = FakeWorld([StreamStart(), *talk, Finish()])
    agent = run(world, "hi")
    assert ["(h)", "(m)", "a", "b"] == world.texts
    assert Reasoning("hm") == agent.history()[1].blocks[0]


@pytest.mark.parametrize("end", [Aborted("user"), Failed(ProviderError("boom")), Malformed("{")])
def test_an_error_in_the_stream_is_raised_as_the_framework_s_own(end: object) -> None:
    """In-stream errors, and what cannot be decoded, are model API errors; the run has failed."""
    world = FakeWorld([StreamStart(), TextDelta("par"), end])  # type: ignore[list-item]
    with pytest.raises(pydantic_ai.ModelAPIError) as caught:
        run(world, "hi")
    assert Outcome.FAILED == make(FakeWorld()).outcome_of(caught.value)


def test_an_error_behind_the_finish_is_heard() -> None:
    """The framework's own models read a stream to its end, so the adapter does."""
    world = FakeWorld([TextDelta("Done."), Finish(), Failed(ProviderError("boom"))])
    with pytest.raises(pydantic_ai.ModelAPIError, match="boom"):
        run(world, "hi")


def test_an_exception_of_the_stream_passes_through() -> None:
    """What the stream raises is what the consumer gets."""
    world = FakeWorld([StreamStart(), TextDelta("par"), ProviderError("boom")])
    with pytest.raises(ProviderError, match="boom"):
        run(world, "hi")


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("refusal", "content_filter"),
        ("incomplete", "length"),
    ],
)
def test_the_reason_of_a_finish_reaches_the_framework(reason: str, finish: str) -> None:
    """A response says why it finished in the framework's own words."""
    agent = run(FakeWorld([TextDelta("a"), Finish(reason)]), "hi")
    response = agent._messages[-1]
    assert isinstance(response, pydantic_ai.ModelResponse)
    assert finish == response.finish_reason


def test_a_stream_without_anything_is_no_mistake_of_the_stream_function() -> None:
    """An empty response is the framework's to handle: it asks again."""
    world = FakeWorld([], BYE)
    agent = run(world, "hi")
    assert 2 == len(world.requests)
    assert assistant("bye") == agent.history()[-1]


@pytest.mark.parametrize("way", [CancelWay.API, CancelWay.TOKEN])
def test_a_cancel_keeps_the_prefix_marked_and_closes_the_stream(way: CancelWay) -> None:
    """The handle and the token end a run with RunCancelled; its messages go to the next run."""
    more: Script = [TextDelta(str(n)) for n in range(50)]
    world = FakeWorld([StreamStart(), TextDelta("par"), *more], BYE)

    async def main() -> PydanticAI:
        agent = make(world)
        with pytest.raises(pydantic_ai.RunCancelled) as caught:
            async with agent.prompt("hi") as items:
                await until_shown(world, items)
                agent.cancel(way, "user")
                await drain(items)
        assert Outcome.CANCELLED == agent.outcome_of(caught.value)
        assert world.streams[0].closed
        await drain(agent.prompt("again"))
        return agent

    asyncio.run(main())
    kept = world.requests[1].messages[1]
    assert kept.interrupted
    assert kept.text.startswith("par")


def test_only_what_the_framework_can_set_is_applied() -> None:
    """Instructions head each request, the limit of requests ends a run, the rest is refused."""
    world = FakeWorld(SEARCH, BYE, tools=(FakeTool("search"),))
    agent = make(world)
    settings = {"system": "Be brief.", "turn_limit": 1, "tools": "sequential", "cap": 2}
    assert {"cap"} == agent.configure(settings)
    with pytest.raises(pydantic_ai.UsageLimitExceeded) as caught:
        asyncio.run(drain(agent.prompt("hi")))
    assert (Message("system", (Text("Be brief."),)), user("hi")) == world.requests[0].messages
    assert Outcome.LIMIT == agent.outcome_of(caught.value)


def test_cancelling_the_task_keeps_the_messages_too() -> None:
    """A CancelledError carries the state of the run."""
    world = FakeWorld([StreamStart(), TextDelta("par"), *[TextDelta(".")] * 500])

    async def main() -> PydanticAI:
        agent = make(world)
        task = asyncio.create_task(drain(agent.prompt("hi")))
        while not world.texts:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        assert Outcome.CANCELLED == agent.outcome_of(caught.value)
        return agent

    agent = asyncio.run(main())
    assert [False, True] == [message.interrupted for message in agent.history()]
    assert world.streams[0].closed


def test_leaving_the_loop_ends_the_run_and_keeps_its_messages() -> None:
    """Whoever stops reading leaves the framework's context, as its documentation asks for."""
    world = FakeWorld([StreamStart(), TextDelta("par"), *[TextDelta(".")] * 500])

    async def main() -> PydanticAI:
        agent = make(world)
        async with agent.prompt("hi") as items:
            await until_shown(world, items)
        return agent

    agent = asyncio.run(main())
    assert [False, True] == [message.interrupted for message in agent.history()]
    assert world.streams[0].closed


def test_a_cancel_before_the_first_read_keeps_the_history_of_the_runs_before() -> None:
    """A run that never started hands back no messages, and loses none."""
    world = FakeWorld(BYE, BYE)

    async def main() -> PydanticAI:
        agent = make(world)
        await drain(agent.prompt("hi"))
        answer = agent.prompt("again")
        agent.cancel(CancelWay.TOKEN, "user")
        with pytest.raises(pydantic_ai.RunCancelled):
            await drain(answer)
        return agent

    agent = asyncio.run(main())
    assert assistant("bye") == agent.history()[1]
    assert 1 == len(world.requests)


def test_a_plain_run_makes_plain_requests_and_hands_the_same_history_over() -> None:
    """Without events the framework asks for whole responses; tools and text are as streamed."""
    streamed = FakeWorld([TextDelta("See."), *SEARCH], BYE, tools=(FakeTool("search", "3 hits"),))
    plain = FakeWorld([TextDelta("See."), *SEARCH], BYE, tools=(FakeTool("search", "3 hits"),))
    agent = make(plain)
    asyncio.run(agent.prompt("hi", stream=False))
    assert [False, False] == [request.streaming for request in plain.requests]
    assert run(streamed, "hi").history() == agent.history()
    assert ["bye"] == plain.texts


def test_a_plain_run_that_fails_keeps_what_it_had_come_to() -> None:
    """The framework tells it to who asks for it."""
    world = FakeWorld(SEARCH, [Failed(ProviderError("boom"))], tools=(FakeTool("search", "3"),))
    agent = make(world)
    with pytest.raises(pydantic_ai.ModelAPIError):
        asyncio.run(agent.prompt("hi", stream=False))
    assert [user("hi"), assistant("", CALL), tool_result("c1", "3")] == agent.history()

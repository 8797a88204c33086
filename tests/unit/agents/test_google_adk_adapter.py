"""The google-adk adapter: how chunks become answers, what is sent on, what its words mean."""

from __future__ import annotations

import asyncio

import pytest

from simharness.agent import (
    Aborted,
    CallDelta,
    CancelWay,
    Failed,
    Finish,
    ProviderError,
    ReasoningDelta,
    TextDelta,
    ToolFailure,
)
from simharness.trace import Call, Message, Outcome, Reasoning, Text, assistant, tool_result, user
from tests.unit.agents.fake_world import FakeTool, FakeWorld, Script, drain

pytest.importorskip("google.adk")

from simharness.agents.google_adk import GoogleADK, make

pytestmark = [
    pytest.mark.framework,
    pytest.mark.filterwarnings("ignore"),  # it warns of its own deprecations and experiments
]

SEARCH: Script = [
    CallDelta(0, id="c1", name="search", args='{"q": '),
    CallDelta(0, args='"x"}'),
    Finish("tool_calls"),
]
BYE: Script = [TextDelta("good"), TextDelta("bye"), Finish()]
CALL = Call("c1", "search", '{"q": "x"}')


def run(world: FakeWorld, *prompts: str, stream: bool = True) -> GoogleADK:
    """Run prompts to their ends on stock asyncio."""

    async def main() -> GoogleADK:
        agent = make(world)
        for text in prompts:
            run = agent.prompt(text, stream=stream)
            await (drain(run) if stream else run)
        return agent

    return asyncio.run(main())


@pytest.mark.parametrize("stream", [True, False])
def test_a_tool_turn_is_sent_on_with_its_call_and_its_result(stream: bool) -> None:
    """The next request holds the call under its id, and the result as the tool returned it."""
    world = FakeWorld(SEARCH, BYE, tools=(FakeTool("search", "3 hits"),))
    agent = run(world, "hi", stream=stream)
    called = Message("assistant", (CALL,))
    expected = [user("hi"), called, tool_result("c1", "3 hits")]
    assert expected == list(world.requests[1].messages[1:])
    assert [*expected, assistant("goodbye")] == agent.history()
    assert stream == world.requests[0].streaming


def test_fragments_are_shown_and_the_whole_behind_them_is_not() -> None:
    """Text is shown once, piece by piece, reasoning as such."""
    world = FakeWorld([ReasoningDelta("hm"), *BYE])
    agent = run(world, "hi")
    assert ["(hm)", "good", "bye"] == world.texts
    whole = Message("assistant", (Reasoning("hm"), Text("goodbye")))
    assert [user("hi"), whole] == agent.history()


def test_the_failure_of_a_tool_is_a_result_with_an_error() -> None:
    """A failing tool is told to the model as its documentation advises."""
    world = FakeWorld(SEARCH, BYE, tools=(FakeTool("search", ToolFailure("down")),))
    run(world, "hi")
    assert tool_result("c1", "down", is_error=True) == world.requests[1].messages[-1]


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (Finish(), Outcome.COMPLETED),
        (Finish("length"), Outcome.LIMIT),
        (Finish("content_filter"), Outcome.FAILED),
    ],
)
def test_an_error_code_names_the_outcome(end: Finish, outcome: Outcome) -> None:
    """The last event's error code says how the run ended."""
    agent = run(FakeWorld([TextDelta("a"), end]), "hi")
    assert outcome == agent.outcome_of(None)


@pytest.mark.parametrize(
    "chunk", [Failed(ProviderError("down")), Aborted("shutdown"), ProviderError("down")]
)
def test_a_broken_stream_is_raised_by_the_run(chunk: Failed | Aborted | ProviderError) -> None:
    """Whatever a provider reports or raises comes out of the iterator."""
    with pytest.raises(ProviderError):
        run(FakeWorld([TextDelta("a"), chunk]), "hi")


def test_arguments_that_are_no_object_make_no_call() -> None:
    """The Gemini API has a finish reason for them and sends none."""
    broken: Script = [CallDelta(0, id="c1", name="search", args="[1]"), Finish("tool_calls")]
    tool = FakeTool("search")
    agent = run(FakeWorld(broken, tools=(tool,)), "hi")
    assert [] == tool.started
    assert Outcome.FAILED == agent.outcome_of(None)


def test_the_abort_signal_ends_a_run_as_cancelled() -> None:
    """TOKEN sets the signal of the run in progress; its last event says so."""

    async def main() -> GoogleADK:
        agent = make(FakeWorld([TextDelta("a"), TextDelta("b"), Finish()]))
        async for _ in agent.prompt("hi"):
            agent.cancel(CancelWay.TOKEN, "user")
        return agent

    agent = asyncio.run(main())
    assert Outcome.CANCELLED == agent.outcome_of(None)


def test_settings_that_it_cannot_apply_are_named() -> None:
    """The instruction and the limit of calls are its own; tools in sequence are not."""
    agent = make(FakeWorld())
    assert {"tools"} == agent.configure({"system": "s", "turn_limit": 1, "tools": "sequential"})

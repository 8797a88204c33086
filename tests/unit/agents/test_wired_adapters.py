"""Adapters over the wire in the simulated world: what they send on, display and report."""

from __future__ import annotations

import importlib

import pytest

from simharness.agents import find
from simharness.scenario.model import Anchor
from simharness.trace import (
    HistoryRead,
    LeftBehind,
    Outcome,
    RequestMade,
    RunSettled,
    Shown,
    ToolEnded,
    ToolStarted,
)
from tests.unit.agents.fake_world import FakeWorld
from tests.unit.agents.test_frameworks_in_the_world import IN_TOOL, MID_TEXT, MODULES, play

pytestmark = [
    pytest.mark.framework,
    # llama-index reads deprecated attributes of pydantic, which raise in the middle of its runs
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

AGENTS = ["agno", "agent-framework", "autogen", "anthropic", "llama-index"]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("anchor", [None, MID_TEXT, IN_TOOL])
def test_the_same_trial_twice_gives_the_same_trace(agent: str, anchor: Anchor | None) -> None:
    """No clock, id or order of a framework gets into the records."""
    assert play(agent, anchor, "task").text() == play(agent, anchor, "task").text()


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_displayed_is_what_the_next_run_sends(agent: str) -> None:
    """The history after a run is the request of the next one without its prompt."""
    trace = play(agent)
    ended = None if agent == "anthropic" else Outcome.COMPLETED  # it does not say how it ended
    assert [("returned", ended)] * 2 == [(end.how, end.outcome) for end in trace.of(RunSettled)]
    assert ["Let ", "me", "done"] == [shown.text for shown in trace.of(Shown, 1)]
    displayed = trace.of(HistoryRead, 1)[0].messages
    sent = trace.of(RequestMade, 2)[0].messages
    roles = ["user", "assistant", "tool", "assistant"]
    assert roles == [message.role for message in displayed]
    assert [*roles, "user"] == [message.role for message in sent]
    assert [message.text for message in displayed] == [message.text for message in sent[:-1]]


@pytest.mark.parametrize("agent", [agent for agent in AGENTS if agent != "autogen"])
def test_the_cancel_of_its_task_ends_a_tool(agent: str) -> None:
    """The body is cancelled, and so is the run."""
    trace = play(agent, IN_TOOL, "task")
    assert ["cancelled"] == [ended.how for ended in trace.of(ToolEnded, 1)]
    assert Outcome.CANCELLED == trace.of(RunSettled, 1)[0].outcome


def test_agno_leaves_the_response_of_a_cancelled_run_open() -> None:
    """Its cancel ends the run with the next chunk, and the stream stays open behind it."""
    trace = play("agno", MID_TEXT, "api")
    assert Outcome.CANCELLED == trace.of(RunSettled, 1)[0].outcome
    assert "unclosed-stream" in [left.kind for left in trace.of(LeftBehind) if left.final]


def test_autogen_leaves_its_tool_running_when_its_task_is_cancelled() -> None:
    """The run is over, and the tool goes on to its end."""
    trace = play("autogen", IN_TOOL, "task")
    settled, (ended,) = trace.of(RunSettled, 1)[0], trace.of(ToolEnded, 1)
    assert (Outcome.CANCELLED, "returned") == (settled.outcome, ended.how)
    assert ended.n > settled.n


def test_a_runner_of_anthropic_that_is_closed_asks_nothing_more() -> None:
    """The tool in progress is let to its end; its result is in the messages."""
    trace = play("anthropic", IN_TOOL, "api-after-turn")
    assert ["returned"] == [ended.how for ended in trace.of(ToolEnded, 1)]
    assert 1 == len(trace.of(RequestMade, 1))
    sent = trace.of(RequestMade, 2)[0].messages
    assert ["user", "assistant", "tool", "user"] == [message.role for message in sent]


def test_the_run_of_llama_index_ends_when_it_is_cancelled() -> None:
    """Its own cancel ends the tool, and its handler raises its own word for it."""
    trace = play("llama-index", IN_TOOL, "api")
    assert ["cancelled"] == [ended.how for ended in trace.of(ToolEnded, 1)]
    settled = trace.of(RunSettled, 1)[0]
    assert Outcome.CANCELLED == settled.outcome
    assert settled.error.startswith("WorkflowCancelledByUser")


def test_the_run_of_llama_index_goes_on_when_its_events_are_left() -> None:
    """Who leaves the events is an onlooker."""
    trace = play("llama-index", MID_TEXT, "close")
    assert 1 == len(trace.of(ToolStarted, 1))
    assert trace.of(ToolStarted, 1)[0].n > trace.of(RunSettled, 1)[0].n


@pytest.mark.parametrize("agent", AGENTS)
def test_settings_that_it_cannot_apply_are_named(agent: str) -> None:
    """The system prompt is its own; a limit of turns is not."""
    pytest.importorskip(MODULES.get(agent, agent.replace("-", "_")))

    class World(FakeWorld):
        def transport(self, library: str) -> object:
            http = importlib.import_module(library)
            return http.MockTransport(lambda _: http.Response(500))

    made = find(agent)(World())
    assert {"turn_limit"} == made.configure({"system": "s", "turn_limit": 1})  # type: ignore[attr-defined]

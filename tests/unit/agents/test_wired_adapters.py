"""Adapters over the wire in the simulated world: what they send on, display and report."""

from __future__ import annotations

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
)
from tests.unit.agents.fake_world import FakeWorld
from tests.unit.agents.test_frameworks_in_the_world import IN_TOOL, MID_TEXT, play

pytestmark = pytest.mark.framework

AGENTS = ["agno", "agent-framework"]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("anchor", [None, MID_TEXT, IN_TOOL])
def test_the_same_trial_twice_gives_the_same_trace(agent: str, anchor: Anchor | None) -> None:
    """No clock, id or order of a framework gets into the records."""
    assert play(agent, anchor, "task").text() == play(agent, anchor, "task").text()


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_displayed_is_what_the_next_run_sends(agent: str) -> None:
    """The history after a run is the request of the next one without its prompt."""
    trace = play(agent)
    assert [Outcome.COMPLETED] * 2 == [end.outcome for end in trace.of(RunSettled)]
    assert ["Let ", "me", "done"] == [shown.text for shown in trace.of(Shown, 1)]
    displayed = trace.of(HistoryRead, 1)[0].messages
    sent = trace.of(RequestMade, 2)[0].messages
    roles = ["user", "assistant", "tool", "assistant"]
    assert roles == [message.role for message in displayed]
    assert [*roles, "user"] == [message.role for message in sent]
    assert [message.text for message in displayed] == [message.text for message in sent[:-1]]


@pytest.mark.parametrize("agent", AGENTS)
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


@pytest.mark.parametrize("agent", AGENTS)
def test_settings_that_it_cannot_apply_are_named(agent: str) -> None:
    """The system prompt is its own; a limit of turns is not."""
    pytest.importorskip(agent.replace("-", "_"))

    class World(FakeWorld):
        def transport(self, library: str) -> object:
            import httpx2

            return httpx2.MockTransport(lambda _: httpx2.Response(500))

    made = find(agent)(World())
    assert {"turn_limit"} == made.configure({"system": "s", "turn_limit": 1})  # type: ignore[attr-defined]

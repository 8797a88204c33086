"""Real frameworks in the simulated world: known behaviour as records, and that it repeats."""

from __future__ import annotations

import pytest

from simharness.agents import find
from simharness.choices import ScheduleChooser
from simharness.scenario.model import (
    Anchor,
    AnchorKind,
    CallStep,
    CancelAction,
    Case,
    EndKind,
    EndStep,
    PromptAction,
    Relation,
    Stream,
    TextStep,
    Tool,
)
from simharness.trace import (
    CancelEffective,
    LeftBehind,
    Outcome,
    RequestMade,
    RunSettled,
    StreamTold,
    ToolEnded,
    ToolStarted,
    Trace,
    assistant,
    user,
)
from simharness.world.run import batch, run

pytestmark = pytest.mark.framework

STOP = EndStep(EndKind.FINISH, "stop")
LOOK = Stream(
    (
        TextStep("Let "),
        TextStep("me"),
        CallStep("search", ('{"q": "x"}',)),
        EndStep(EndKind.FINISH, "tool_calls"),
    )
)
DONE = Stream((TextStep("done"), STOP))
MID_TEXT = Anchor(AnchorKind.CHUNK, Relation.AFTER, number=1)
IN_TOOL = Anchor(AnchorKind.TOOL, Relation.DURING, name="search")
ON_RESULT = Anchor(AnchorKind.RECORD, Relation.AFTER, name="ToolExecutionEnd", inside=True)


MODULES = {"autogen": "autogen_agentchat", "llama-index": "llama_index.core"}
"""What to import of a framework to see whether it is there, if not its name."""


def play(agent: str, anchor: Anchor | None = None, way: str | None = None) -> Trace:
    """Run a tool turn, cancelled at `anchor`, and a second prompt on the default schedule."""
    pytest.importorskip(MODULES.get(agent, agent.replace("-", "_")))
    cancel = () if anchor is None else (CancelAction(way=way, anchor=anchor),)
    first = PromptAction("hi", (LOOK, DONE))
    again = PromptAction("again", (DONE,), epilogue=True)
    case = Case(
        "case",
        "case",
        tools=(Tool("search", "3 hits", takes_s=1.0),),
        actions=(first, *cancel, again),
    )
    factory = find(agent)
    with batch():
        return run(case, factory, ScheduleChooser(())).trace


@pytest.mark.parametrize("agent", ["tinyagent", "pydantic-ai"])
@pytest.mark.parametrize("anchor", [None, MID_TEXT, IN_TOOL, ON_RESULT])
def test_the_same_trial_twice_gives_the_same_trace(agent: str, anchor: Anchor | None) -> None:
    """No clock, id or order of a framework gets into the records."""
    assert play(agent, anchor).text() == play(agent, anchor).text()


def test_tinyagent_keeps_a_prefix_whose_abort_its_provider_reports() -> None:
    """The signal reaches the stream, and the aborted partial is the next request's history."""
    trace = play("tinyagent", MID_TEXT)
    assert [StreamTold(1, "signal")] == trace.of(StreamTold, 1)
    cut = assistant("Let ", interrupted=True)
    assert (user("hi"), cut, user("again")) == trace.of(RequestMade, 2)[0].messages


def test_tinyagent_works_on_after_its_task_was_cancelled() -> None:
    """The tool starts and the next request is made after the cancel counted."""
    trace = play("tinyagent", MID_TEXT, "task")
    counted = trace.of(CancelEffective, 1)[0].n
    assert trace.of(ToolStarted, 1)[0].n > counted
    assert [False, True] == [request.n > counted for request in trace.of(RequestMade, 1)]


@pytest.mark.parametrize("way", ["api", "token", "task"])
def test_pydantic_ai_ends_its_tool_and_keeps_its_history_sendable(way: str) -> None:
    """A cancel in a tool ends the body; the next request answers the call for it."""
    trace = play("pydantic-ai", IN_TOOL, way)
    assert [ToolEnded("c1", "cancelled")] == trace.of(ToolEnded, 1)
    assert Outcome.CANCELLED == trace.of(RunSettled, 1)[0].outcome
    roles = [message.role for message in trace.of(RequestMade, 2)[0].messages]
    assert ["user", "assistant", "tool", "user"] == roles


@pytest.mark.parametrize("way", ["close", "break"])
def test_pydantic_ai_is_read_within_its_context(way: str) -> None:
    """Leaving the loop leaves its context, which drains the run: no task is left behind."""
    trace = play("pydantic-ai", MID_TEXT, way)
    assert [] == [left for left in trace.of(LeftBehind) if left.kind == "leaked-task"]
    assert ["aclose()"] == [told.how for told in trace.of(StreamTold, 1)]


def test_pydantic_ai_refuses_a_prompt_after_a_cancel_upon_a_tool_s_result() -> None:
    """The follow-up ends before it makes a request."""
    trace = play("pydantic-ai", ON_RESULT)
    assert [] == trace.of(RequestMade, 2)
    assert trace.of(RunSettled, 2)[0].error.startswith(
        "UserError: Cannot provide a new user prompt"
    )


def test_models_of_a_module_that_was_imported_during_a_batch_validate_after_it() -> None:
    """Such a module keeps the virtual classes, which pydantic has to know."""
    pydantic = pytest.importorskip("pydantic")
    with batch():
        late: dict[str, type] = {}
        exec("from datetime import date, datetime", late)
    model = pydantic.create_model("Late", at=late["datetime"], on=late["date"])
    made = model(at="2026-01-02T03:04:05", on="2026-01-02")
    assert (2026, 2) == (made.at.year, made.on.day)

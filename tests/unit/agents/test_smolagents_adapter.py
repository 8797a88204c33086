"""smolagents in the simulated world: a synchronous agent whose tools run in a pool of its own."""

from __future__ import annotations

import pytest

pytest.importorskip("smolagents")

from simharness.agents import find
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.trace import (
    HistoryRead,
    Outcome,
    RequestMade,
    RunSettled,
    Shown,
    ToolEnded,
    ToolStarted,
    Trace,
)
from simharness.world.run import batch, run

pytestmark = pytest.mark.framework

TWO = """
scenario: two
model:
  - stream: ["Look. ", {call: {name: slow, args: {q: 1}}}, {call: {name: quick, args: {q: 2}}}]
  - stream: [Done.]
tools: {slow: {returns: one, takes: 2s}, quick: {returns: two, takes: 1s}}
run: [{prompt: go}, ACTIONS]
"""


def played(actions: str = "") -> Trace:
    """The trace of two tools at once, on the default schedule."""
    (case,) = load_text(TWO.replace(", ACTIONS", actions and f", {actions}")).cases
    with batch():
        return run(case, find("smolagents"), ScheduleChooser()).trace


def test_two_tools_run_at_once_in_its_pool() -> None:
    """Each knows the id of its call; the run ends with the tool that gives the answer."""
    trace = played()
    started = [(one.call_id, one.name, one.time) for one in trace.of(ToolStarted, 1)]
    assert [("c1", "slow", 0.0), ("c2", "quick", 0.0)] == started
    assert [("c2", 1.0), ("c1", 2.0)] == [(one.call_id, one.time) for one in trace.of(ToolEnded, 1)]
    assert Outcome.COMPLETED == trace.of(RunSettled, 1)[0].outcome
    assert ["Look. ", "Done."] == [shown.text for shown in trace.of(Shown, 1)]


def test_the_same_trial_twice_gives_the_same_trace() -> None:
    """No thread of its own is a real one."""
    assert played().text() == played().text()


def test_what_is_displayed_is_what_the_next_run_sends() -> None:
    """Calls are text there, and so are results; the prompt joins what came from the tools."""
    trace = played()
    displayed = trace.of(HistoryRead, 1)[0].messages
    sent = trace.of(RequestMade, 2)[0].messages
    assert ["system", "user", "assistant", "user", "assistant", "user"] == [m.role for m in sent]
    assert displayed[:-1] == sent[:-1]
    assert sent[-1].text == f"{displayed[-1].text}New task:\nagain"


def test_an_interrupt_lets_the_step_end_and_no_other_begin() -> None:
    """It is the framework's own word for a stop, and no failure."""
    trace = played("{cancel: {during: slow}}")
    assert ["returned"] * 2 == [ended.how for ended in trace.of(ToolEnded, 1)]
    assert 1 == len(trace.of(RequestMade, 1))
    assert Outcome.CANCELLED == trace.of(RunSettled, 1)[0].outcome


def test_a_limit_of_steps_is_a_limit() -> None:
    """Behind it the model is asked for an answer without tools."""
    (case,) = load_text(TWO.replace(", ACTIONS", "") + "agent: {turn_limit: 1}\n").cases
    with batch():
        trace = run(case, find("smolagents"), ScheduleChooser()).trace
    assert [("slow", "quick", "final_answer"), ()] == [r.tools for r in trace.of(RequestMade, 1)]
    assert Outcome.LIMIT == trace.of(RunSettled, 1)[0].outcome

"""pydantic-ai with sync tools: it runs them in anyio's worker threads, here simulated ones."""

from __future__ import annotations

import pytest

from simharness.agents import find
from simharness.campaign.budget import Plan
from simharness.check import check_case
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.trace import LimitHit, RequestMade, ToolEnded, ToolStarted
from simharness.world.run import batch, run

pytest.importorskip("pydantic_ai")

SCENARIO = """\
scenario: sync-tool
agent: {sync_tools: true}
model:
  - stream: [{call: {name: search, args: {q: x}}}]
  - stream: ["Found it."]
tools: {search: {returns: 3 hits, takes: 2s, effects: 1}}
run:
  - prompt: Look it up
"""
CANCELLED = SCENARIO + "  - cancel: {anywhere: true, way: task}\nexplore: {budget: 60}\n"


def test_a_sync_tool_runs_in_a_worker_in_virtual_time() -> None:
    """Its body blocks a thread for two virtual seconds, and its result reaches the model."""
    with batch():
        trace = run(load_text(SCENARIO).cases[0], find("pydantic-ai"), ScheduleChooser()).trace
    assert [True] == [started.thread for started in trace.of(ToolStarted)]
    assert [(2.0, "returned")] == [(ended.time, ended.how) for ended in trace.of(ToolEnded)]
    assert ["3 hits"] == [m.text for m in trace.of(RequestMade)[1].messages if m.role == "tool"]
    assert not trace.of(LimitHit)


def test_a_cancelled_sync_tool_is_searched_without_a_deadlock() -> None:
    """Every place of a cancel ends in a verdict of the rules, none in a limit."""
    result = check_case(load_text(CANCELLED).cases[0], find("pydantic-ai"), Plan(strategy="sweep"))
    assert 20 < result.trials
    assert "settles" not in {finding.rule for finding in result.findings}

"""The profile `iterated`: a run begins with its first item, and ends when its items are left."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import MagicMock

from simharness.agents.profiles.iterated import ITERATED
from simharness.agents.reference import make
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.trace import AgentEnd, Outcome, RunSettled
from simharness.verdict import Verdict
from simharness.world.run import batch

LEFT = """
scenario: left
profile: iterated
model: [{stream: ["One ", "two."], every: 100ms}]
run: [{prompt: Count}, {cancel: {after: chunk 1, way: WAY}}]
"""


def trial(way: str) -> Verdict:
    """The consumer of a run leaves it in that way."""
    (case,) = load_text(LEFT.replace("WAY", way)).cases
    with batch():
        return Bench(case, make).trial(ScheduleChooser())


def test_nothing_begins_before_the_first_item() -> None:
    """Who enters and leaves without reading has asked for nothing."""
    world = MagicMock(store=None)
    agent: Any = ITERATED.factory(world)
    world.reset_mock()

    async def enter() -> None:
        async with agent.prompt("hi"):
            await asyncio.sleep(0)

    asyncio.run(enter())
    assert [] == world.mock_calls


def test_the_run_is_over_when_its_items_are_left() -> None:
    """It ends as cancelled, before the consumer goes on."""
    for way, how in (("close", "closed"), ("break", "broke"), ("task", "cancelled")):
        verdict = trial(way)
        assert verdict.trace is not None
        assert frozenset() == verdict.broken()
        end, settled = verdict.trace.of(AgentEnd)[0], verdict.trace.of(RunSettled)[0]
        assert (Outcome.CANCELLED, how) == (end.outcome, settled.how)
        assert end.n < settled.n


def test_a_failure_is_raised_where_the_items_are_read() -> None:
    """As the awaited loop raises it from its prompt."""
    (case,) = load_text(
        "scenario: f\nprofile: iterated\nmodel: [[error]]\nrun: [prompt: Hi]\n"
    ).cases
    with batch():
        verdict = Bench(case, make).trial(ScheduleChooser())
    assert verdict.trace is not None
    assert "raised" == verdict.trace.of(RunSettled)[0].how

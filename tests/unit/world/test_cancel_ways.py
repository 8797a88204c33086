"""Which ways of cancelling a case can ask of an agent."""

from __future__ import annotations

import asyncio

import pytest

from simharness.agent import CancelWay, NotApplicable, Style, World
from simharness.agents import find
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.contract import UNSPECIFIED
from simharness.scenario.load import load_text
from simharness.search import Bounded, explore
from simharness.trace import (
    CancelCalled,
    CancelEffective,
    LimitHit,
    Notice,
    RunSettled,
    ToolStarted,
)
from simharness.world.run import batch, run

TEXT = """\
scenario: leaving
model: [[one, two]]
run:
  - prompt: Go
  - cancel: {after: chunk 1, way: WAY}
"""


@pytest.mark.parametrize("way", ["close", "break"])
def test_nobody_leaves_an_agent_that_hands_over_no_items(way: str) -> None:
    """A prompt that is awaited has no iterator to close; the case must not count as played."""
    case = load_text(TEXT.replace("WAY", way)).cases[0]
    with batch(), pytest.raises(NotApplicable, match="nothing to leave"):
        run(case, find("reference"), ScheduleChooser())


class Starts:
    """An agent that reports, and starts its tool in the very next step and in the one after."""

    name, version, seam, style = "starts", "1", "stream", Style.ASYNC
    contract = UNSPECIFIED
    cancel_ways = frozenset({CancelWay.API})

    def __init__(self, world: World) -> None:
        self.world = world

    def cancel(self, way: CancelWay, reason: str) -> None:
        """Told, and not impressed."""

    async def prompt(self, text: str) -> None:
        """Start one tool at once and one in a task."""
        (tool,) = self.world.tools()
        self.world.report(Notice("about to start", text))
        later = asyncio.ensure_future(tool.call({}, call_id="later"))
        try:
            await tool.call({}, call_id="now")
        finally:
            later.cancel()


FROM_INSIDE = """\
scenario: from-inside
tools: {work: {takes: 1s}}
run:
  - prompt: Go
  - cancel: {after: Notice, from: inside, way: WAY}
epilogue: false
"""


class StartsAwaited(Starts):
    """The same agent with a cancel that has to be awaited."""

    async def cancel(self, way: CancelWay, reason: str) -> None:  # type: ignore[override]
        """Told once this has begun."""


def order(way: str, agent: type[Starts] = Starts) -> list[str]:
    """What follows the call of the cancel, up to the point at which it is effective."""
    case = load_text(FROM_INSIDE.replace("WAY", way)).cases[0]
    with batch():
        trace = run(case, agent, ScheduleChooser()).trace
    told = {True: " told", False: ""}
    words = []
    for record in trace:
        if isinstance(record, ToolStarted):
            words.append(f"{record.call_id}{told[record.told]}")
        elif isinstance(record, CancelCalled | CancelEffective):
            words.append(type(record).__name__)
    return words


def test_a_call_from_inside_is_effective_at_the_end_of_its_step() -> None:
    """The agent's own cancel has no grace for the step that called it, nor for later ones."""
    assert ["CancelCalled", "now told", "CancelEffective", "later"] == order("api")


def test_a_cancel_that_is_awaited_is_called_when_its_task_first_runs() -> None:
    """Before, nobody has been told, and it has the grace of any other from outside."""
    assert ["now", "CancelCalled", "later", "CancelEffective"] == order("api", StartsAwaited)


def test_a_task_cancel_from_inside_has_the_grace_of_any_other() -> None:
    """It says nothing to the step that calls it; it comes at the next await."""
    assert ["CancelCalled", "now", "later"] == order("task")


TWICE = """\
scenario: ctrl-c-twice
model: [[hang]]
run:
  - prompt: Go
  - cancel: {way: interrupt, after: request 1}
  - cancel: {way: interrupt, after: request 1}
  - prompt: {text: More, after: request 1, model: [[one]]}
"""


def test_a_second_ctrl_c_spares_a_prompt_that_has_not_begun() -> None:
    """It ends every task there is, but the user goes on: all is over in every schedule."""
    case = load_text(TWICE).cases[0]
    bench = Bench(case, find("reference"))
    with batch():
        verdicts = list(explore(bench.trial, Bounded(3), budget=2_000))
    assert len(verdicts) > 20
    traces = [verdict.trace for verdict in verdicts if verdict.trace is not None]
    assert [] == [hit for trace in traces for hit in trace.of(LimitHit)]


OUT_OF_ORDER = """\
scenario: out-of-order
agent: {second_prompt: queue}
contract: {second_prompt: queue}
model: [[One, hang]]
run:
  - prompt: First
  - wait: 300ms
  - prompt: {text: Last, meanwhile: true, model: [[last, hang]]}
  - prompt: {text: Second, at: 200ms, model: [[second, hang]]}
  - cancel: {at: 1s}
  - cancel: {at: 2s}
  - cancel: {at: 3s}
epilogue: false
"""


def test_a_cancel_means_the_prompt_that_was_called_first() -> None:
    """Not the one that stands first in the script: the agent knows only who came when."""
    case = load_text(OUT_OF_ORDER).cases[0]
    with batch():
        trace = run(case, find("reference"), ScheduleChooser()).trace
    assert [1, 3, 2] == [cancel.run for cancel in trace.of(CancelCalled)]
    assert [1, 3, 2] == [settled.run for settled in trace.of(RunSettled)]

"""An adapter runs in a child as it does here: the same requests, the same rules broken."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simharness.agent import Agent, AgentFactory, NotApplicable, World
from simharness.agents import find
from simharness.bridges.child import Child
from simharness.check import Bench
from simharness.choices import Schedule, ScheduleChooser
from simharness.scenario.load import load_file, load_text
from simharness.scenario.model import Case
from simharness.trace import HistoryRead, RequestMade, RunSettled
from simharness.verdict import Verdict
from simharness.world.run import batch
from tests.bridges import mini

SCENARIOS = Path(__file__).parents[2] / "scenarios"
ADAPTER = "simharness.agents.tinyagent:make"
FAR: Schedule = tuple((point, 1) for point in range(0, 60, 3))

SAMPLE = (
    "cancel/cancel-after-each-chunk",
    "cancel/cancel-during-tool",
    "cancel/cancel-by-task-mid-text",
    "cancel/cancel-during-slow-tool",
    "cancel/cancel-answered-late",
)


@pytest.fixture(scope="module")
def tinyagent() -> Iterator[Child]:
    """The adapter of tinyagent in a process of its own."""
    child = Child([sys.executable, "-m", "simharness.bridges.python", ADAPTER])
    yield child
    child.stop(at_once=True)


def played(case: Case, factory: AgentFactory, schedule: Schedule = ()) -> Verdict:
    """One trial."""
    return Bench(case, factory).trial(ScheduleChooser(schedule))


def outline(verdict: Verdict) -> list[object]:
    """What was asked, how it ended, what is displayed, and which rules were broken."""
    assert verdict.trace is not None
    told: list[object] = [
        (type(record).__name__, record.run, record.line().partition(" ")[2])
        for record in verdict.trace
        if isinstance(record, RequestMade | RunSettled | HistoryRead)
    ]
    return [*told, sorted(verdict.broken())]


@pytest.mark.framework
@pytest.mark.parametrize("name", SAMPLE)
def test_an_adapter_does_in_a_child_what_it_does_here(name: str, tinyagent: Child) -> None:
    """On the default schedule the process in between changes nothing that is asked or left."""
    cases = load_file(SCENARIOS / f"{name}.sim.yaml").cases
    with batch():
        pairs = [(played(case, find("tinyagent")), played(case, tinyagent)) for case in cases]
    assert [outline(here) for here, _ in pairs] == [outline(there) for _, there in pairs]


@pytest.mark.framework
def test_a_trial_in_a_child_is_the_same_again_and_in_another_process(tinyagent: Child) -> None:
    """Byte for byte, on the default schedule and far from it."""
    (case, *_) = load_file(SCENARIOS / "cancel/cancel-by-task-mid-text.sim.yaml").cases
    traces = set()
    for schedule in ((), FAR):
        with batch():
            first = [played(case, tinyagent, schedule).trace for _ in range(2)]
        tinyagent.stop()
        with batch():
            texts = {one.text() for one in (*first, played(case, tinyagent, schedule).trace) if one}
        assert 1 == len(texts)
        traces |= texts
    assert 2 == len(traces)


@pytest.mark.framework
def test_what_a_trial_leaves_does_not_reach_the_next_one(tinyagent: Child) -> None:
    """A run that hangs in its stream is unwound in silence, and the same process goes on."""
    (case,) = load_text('scenario: x\nmodel: [["Hi ", hang]]\nrun: [{prompt: go}]\n').cases
    with batch():
        first, again = (played(case, tinyagent) for _ in range(2))
        before = tinyagent.starts
        played(case, tinyagent)
    assert before == tinyagent.starts
    assert first.trace_hash == again.trace_hash


@pytest.mark.framework
def test_what_no_message_can_do_is_not_applicable(tinyagent: Child) -> None:
    """Acting from inside, leaving an iterator, Ctrl-C."""
    for name in ("cancel-from-request", "cancel-by-leaving"):
        (case, *_) = load_file(SCENARIOS / f"cancel/{name}.sim.yaml").cases
        with batch(), pytest.raises(NotApplicable):
            played(case, tinyagent)


def test_a_kill_within_a_trial_starts_another_process() -> None:
    """And a trial after a sound one uses the same."""
    child = Child([sys.executable, "-S", str(Path(mini.__file__))])

    def killed(world: World) -> Agent:
        child(world)
        return child(world)

    (case, *_) = load_file(SCENARIOS / "cancel/cancel-after-each-chunk.sim.yaml").cases
    starts = []
    with batch():
        for factory in (child, child, killed, child):
            played(case, factory)
            starts.append(child.starts)
    child.stop()
    assert [1, 1, 2, 2] == starts

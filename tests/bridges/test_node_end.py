"""The Node end: an agent in JavaScript, its timers, its randomness, and what it prints."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from simharness.bridges.child import Child
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_file, load_text
from simharness.trace import LimitHit, LoopError, Notice, RequestMade, RunSettled, Trace
from simharness.verdict import Verdict
from simharness.world.run import batch

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")

AGENT = ["node", str(Path(__file__).with_name("mini.mjs"))]
SCENARIOS = Path(__file__).parents[2] / "scenarios"


@pytest.fixture(scope="module")
def node() -> Iterator[Child]:
    """The agent in its process."""
    child = Child(AGENT)
    yield child
    child.stop(at_once=True)


def played(child: Child, text: str) -> tuple[Verdict, Trace]:
    """One trial on the default schedule."""
    (case,) = load_text(f"scenario: node\n{text}").cases
    with batch():
        verdict = Bench(case, child).trial(ScheduleChooser())
    assert verdict.trace is not None
    return verdict, verdict.trace


def prompted(child: Child, text: str) -> tuple[Verdict, Trace]:
    """One prompt, answered by two words."""
    return played(child, f'model: [["Hi ", "there."]]\nrun: [{{prompt: {text}}}]\n')


def test_tools_and_their_failures_reach_the_next_request(node: Child) -> None:
    """Two calls, one of which raises."""
    verdict, trace = played(
        node,
        "tools: {search: {returns: 3 hits, takes: 1s}, broken: {raises: no index}}\n"
        'model: [[{call: search}, {call: broken}], ["Done."]]\nrun: [{prompt: go}]\n',
    )
    assert frozenset() == verdict.broken()
    _, second, _ = trace.of(RequestMade)
    results = [(one.text, one.is_error) for one in second.messages if one.role == "tool"]
    assert [("no index", True), ("3 hits", False)] == results


def test_an_exception_of_python_is_an_error_in_the_child(node: Child) -> None:
    """It has no such exception, and gets an error of a provider with that text."""
    _, trace = played(
        node,
        "model: [[Hi, {raise: {message: no answer, as: TimeoutError}}]]\nrun: [{prompt: go}]\n",
    )
    settled, *_ = trace.of(RunSettled)
    assert ("raised", "ProviderError: no answer") == (settled.how, settled.error)


@pytest.mark.parametrize("name", ["cancel-after-each-chunk", "cancel-answered-late"])
def test_a_cancel_keeps_what_was_shown(node: Child, name: str) -> None:
    """In the shipped scenarios, by the agent's own way."""
    for case in load_file(SCENARIOS / "cancel" / f"{name}.sim.yaml").cases:
        if "way=task" not in case.id:
            with batch():
                verdict = Bench(case, node).trial(ScheduleChooser())
            assert frozenset() == verdict.broken()


def test_timers_are_virtual(node: Child) -> None:
    """Ten seconds pass in the trace and nowhere else."""
    begun = time.monotonic()
    _, trace = prompted(node, "wait")
    assert 8.0 > time.monotonic() - begun
    assert 10.0 == trace.of(RequestMade)[0].time


def test_randomness_and_dates_are_the_same_in_every_trial_and_process(node: Child) -> None:
    """Seeded, and begun anew with each trial."""
    other = Child(AGENT)
    traces = [prompted(child, "random")[1] for child in (node, node, other)]
    other.stop()
    assert 1 == len({trace.text() for trace in traces})
    assert traces[0].of(Notice)[0].text.endswith(" 1700000000000 0")


def test_what_it_prints_does_not_get_between_the_messages(node: Child) -> None:
    """It goes to standard error."""
    verdict, trace = prompted(node, "print")
    assert [] == trace.of(LimitHit)
    assert frozenset() == verdict.broken()


def test_what_a_prompt_throws_ends_its_run(node: Child) -> None:
    """With the name and the words that it has there."""
    _, trace = prompted(node, "throw")
    settled = trace.of(RunSettled)[0]
    assert ("raised", "RangeError: on purpose") == (settled.how, settled.error)


def test_a_rejection_that_nobody_looks_at_is_recorded(node: Child) -> None:
    """Node would end the process; here it is an error of the loop."""
    _, trace = prompted(node, "reject")
    assert ["Error: nobody looks"] == [one.error for one in trace.of(LoopError)]

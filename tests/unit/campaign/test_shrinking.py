"""One failure made small: scenario first, then schedule, and why it stopped."""

from __future__ import annotations

import itertools

import pytest

from simharness.agent import AgentFactory, NotApplicable, World
from simharness.agents.mutants import MUTANTS
from simharness.agents.reference.loop import ReferenceAgent
from simharness.campaign.allowance import Allowance
from simharness.campaign.shrinking import Small, make_small
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.scenario.model import Case
from simharness.search import Deviate, Why, explore
from simharness.verdict import Verdict
from simharness.world.run import batch

BIG = """scenario: big
about: Much that has nothing to do with it.
model:
  - stream: [{reasoning: "Hm. "}, "Let me look. ", {call: search}, {call: fetch}]
    every: 10ms
  - stream: ["Found ", "it."]
tools:
  search: {returns: "3 hits", takes: 200ms, effects: 2}
  fetch: {returns: "a page", takes: 100ms}
run:
  - prompt: Look it up
  - cancel: {anywhere: true, way: api}
  - prompt: And now the other one
    model: [["Here ", "it is."]]
tags: [long]
"""
PLENTY = 60.0  # seconds, more than any of these takes


def big() -> Case:
    """The case to be made small."""
    (case,) = load_text(BIG).cases
    return case


def mutant(name: str) -> tuple[AgentFactory, str]:
    """A mutant and the rule it breaks."""
    found = next(one for one in MUTANTS if one.id == name)
    return found.factory, found.rule


def failing(factory: AgentFactory, rule: str) -> Verdict:
    """A failing trial with several deviations, drawn at random."""
    bench = Bench(big(), factory)
    for seed in itertools.count():
        for verdict in explore(bench.trial, Deviate(0.15, seed=seed), 100):
            if rule in verdict.broken() and len(verdict.schedule) > 2:
                return verdict
    raise AssertionError("there is always another seed")


def shrunk(name: str, trials: int = 3000) -> tuple[Small, Verdict]:
    """What becomes of a failure of this mutant, and where it began."""
    factory, rule = mutant(name)
    with batch():
        start = failing(factory, rule)
        return make_small(big(), start, rule, factory, "strict", Allowance(trials, PLENTY)), start


def test_a_tool_left_running_needs_a_call_and_a_cancel() -> None:
    """Everything else goes, the cancel gets a place, and no deviation is left."""
    small, start = shrunk("tools-are-left-running")
    assert ("no-orphan-work", Why.LEAST) == (small.rule, small.why)
    assert len(start.schedule) > len(small.verdict.schedule)
    (prompt, *_) = small.case.prompts
    assert 1 == len(prompt.model)
    assert 2 == len(small.case.prompts)  # the closing one, too
    assert {"search", "fetch"} > {tool.name for tool in small.case.tools}
    assert "none of its smaller forms fails" in small.scenario


def test_the_result_fails_again_and_can_be_loaded_again() -> None:
    """Its text gives the same case, whose schedule breaks the same rule."""
    factory, rule = mutant("cut-text-is-lost")
    small, _ = shrunk("cut-text-is-lost")
    (again,) = load_text(small.case.source).cases
    assert small.case == again
    with batch():
        verdict = Bench(again, factory).trial(ScheduleChooser(small.verdict.schedule))
    assert rule in verdict.broken()
    assert small.verdict.trace_hash == verdict.trace_hash


@pytest.mark.parametrize("trials", [1, 10])
def test_a_spent_allowance_says_budget_and_keeps_a_failure(trials: int) -> None:
    """What is found until then breaks the rule; a few trials more are for the explanation."""
    small, start = shrunk("tools-are-left-running", trials)
    assert Why.BUDGET is small.why
    assert "no-orphan-work" in small.verdict.broken()
    assert len(small.verdict.schedule) <= len(start.schedule)


def test_no_seconds_left_is_a_spent_allowance() -> None:
    """An agent that is slow ends by the clock."""
    factory, rule = mutant("tools-are-left-running")
    with batch():
        start = failing(factory, rule)
        small = make_small(big(), start, rule, factory, "strict", Allowance(10**6, 0.0))
    assert (Why.BUDGET, big().source) == (small.why, small.case.source)


def test_an_expectation_keeps_its_scenario() -> None:
    """It describes this scenario: a smaller one would fail for another reason."""
    text = BIG + "expect: {requests: 9}\n"
    (case,) = load_text(text).cases
    with batch():
        start = Bench(case, ReferenceAgent).trial(ScheduleChooser())
        small = make_small(
            case, start, "expect.requests", ReferenceAgent, "strict", Allowance(500, PLENTY)
        )
    assert (case, Why.LEAST) == (small.case, small.why)
    assert small.scenario.startswith("kept whole")


def test_a_failure_that_does_not_come_again_is_not_shrunk() -> None:
    """The start broke the rule, this agent does not."""
    factory, rule = mutant("tools-are-left-running")
    with batch():
        start = failing(factory, rule)
        small = make_small(big(), start, rule, ReferenceAgent, "strict", Allowance(500, PLENTY))
    assert (Why.NOT_REPRODUCIBLE, big()) == (small.why, small.case)
    assert "not tried" in small.scenario


def test_a_form_that_the_agent_cannot_play_counts_as_holding() -> None:
    """An adapter may refuse a smaller scenario, or fail in its own code."""
    factory, rule = mutant("tools-are-left-running")

    def picky(world: World) -> ReferenceAgent:
        tools = {tool.name for tool in world.tools()}
        if "fetch" not in tools:
            raise NotApplicable("needs a page") if "search" in tools else ZeroDivisionError
        return factory(world)  # type: ignore[return-value]

    with batch():
        start = failing(picky, rule)
        small = make_small(big(), start, rule, picky, "strict", Allowance(3000, PLENTY))
    assert "fetch" in {tool.name for tool in small.case.tools}
    assert Why.LEAST is small.why

"""Failures of mutants shrink to the least, from schedules drawn at random; `tests/benchmarks` has
the whole table."""

from __future__ import annotations

import itertools

import pytest

from simharness.agents.mutants import MUTANTS
from simharness.check import Bench
from simharness.scenario.load import load_text
from simharness.search import Bounded, Uniform, Why, explore, shrink
from simharness.world.run import batch

TWO_TOOLS = """scenario: two-tools
model:
  - ["Looking. ", {call: search}, {call: fetch}]
  - ["Found it."]
tools: {search: {returns: "3 hits", takes: 200ms}, fetch: {returns: "a page", takes: 100ms}}
run: [{prompt: Look it up}, {cancel: {anywhere: true, way: api}}]
"""
REPLAYS = 150  # the most that a median of thirty may take; each of these takes far fewer


@pytest.mark.parametrize(
    "name",
    [
        "cut-text-is-lost",
        "tools-are-left-running",
        "cancels-are-counted",
        "empty-messages-are-kept",
    ],
)
def test_a_failure_of_a_mutant_shrinks_to_the_least(name: str) -> None:
    """An enumeration of its own finds nothing with fewer deviations that breaks the rule."""
    mutant = next(one for one in MUTANTS if one.id == name)
    (case,) = load_text(TWO_TOOLS).cases
    bench = Bench(case, mutant.factory)
    with batch():
        start = next(
            verdict
            for seed in itertools.count()
            for verdict in explore(bench.trial, Uniform(seed=seed), 5)
            if mutant.rule in verdict.broken() and len(verdict.schedule) > 3
        )
        shrunk = shrink(bench.trial, start, mutant.rule)
        count = len(shrunk.schedule)
        below = list(explore(bench.trial, Bounded(count - 1), 20_000)) if count else []
    assert (Why.LEAST, True) == (shrunk.why, count < len(start.schedule))
    assert REPLAYS >= shrunk.trials
    assert [] == [verdict.schedule for verdict in below if mutant.rule in verdict.broken()]

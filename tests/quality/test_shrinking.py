"""Shrinking power: how close to the least a walk's failing schedules come."""

from __future__ import annotations

import pytest

from simharness.search import Uniform, Why, explore, shrink
from tests.quality.programs import PROGRAMS
from tests.tiny import Program, running, two_windows

BUDGET = 2500
"""Trials; the proof that nothing below three deviations fails takes up to 1,488 of them."""


def shrunk_counts(program: Program, seeds: range) -> list[int]:
    """For each seed: the deviations left of the first failing trial of a random walk."""
    run = running(program)
    counts = []
    for seed in seeds:
        walk = explore(run, Uniform(seed=seed), 5000)
        start = next(verdict for verdict in walk if verdict.violations)
        counts.append(len(shrink(run, start, "planted", budget=BUDGET).schedule))
    return counts


@pytest.mark.parametrize(("noise", "at_three"), [(0, 8), (1, 8), (2, 7)])
def test_a_bug_of_three_deviations_shrinks_to_three(noise: int, at_three: int) -> None:
    """From 7 to 23 deviations to 3 from nearly every start, never to more than 4.

    Idle tasks make it harder: dropping one deviation moves everything behind it.
    """
    counts = shrunk_counts(two_windows(noise), range(8))
    assert at_three <= counts.count(3)
    assert {3, 4} >= set(counts)


@pytest.mark.parametrize(
    ("name", "least"),
    [("account", 1), ("bluetooth", 1), ("bounded-buffer", 1), ("lazy", 2), ("reorder-3", 1)],
)
def test_failures_of_small_programs_shrink_to_the_proved_least(name: str, least: int) -> None:
    """The count is that of the first bound that contains the bug."""
    run = running(PROGRAMS[name])
    start = next(v for v in explore(run, Uniform(seed=0), 5000) if v.violations)
    shrunk = shrink(run, start, "planted", budget=BUDGET)
    assert (least, Why.LEAST) == (len(shrunk.schedule), shrunk.why)

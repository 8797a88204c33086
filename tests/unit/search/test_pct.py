"""PCT: what its priorities and change points promise, and what it learns."""

from __future__ import annotations

import itertools

import pytest

from simharness.choices import EMPTY, Kind, Option, Point
from simharness.search import Pct, explore
from simharness.search.plan import Shape
from tests.tiny import Kernel, Task, family, running, verdict

OPTIONS = tuple(Option(name, Kind.SOURCE, name) for name in "abc")
LONG = verdict((Point(OPTIONS, 0),) * 10, "a trial of ten points")


def rows(strategy: Pct, trials: int, points: int = 10) -> list[list[int]]:
    """The choices of trials that each have ten points with the same three sources."""
    drawn = []
    for _ in range(trials):
        proposal = strategy.propose()
        assert proposal is not None
        chooser = proposal.chooser()
        drawn.append([chooser.choose(OPTIONS) for _ in range(points)])
        strategy.take(proposal.read(LONG))
    return drawn


def test_without_a_change_point_one_source_runs_as_long_as_it_can() -> None:
    """The first trial knows no length, so it has priorities only."""
    for seed in range(20):
        (row,) = rows(Pct(3, seed=seed), 1)
        assert 1 == len(set(row))


def test_a_default_trial_that_was_run_before_tells_the_length() -> None:
    """In a portfolio it always was: then the first trial has its changes already."""
    known = {EMPTY: Shape.of(LONG.course)}
    first = [rows(Pct(3, seed=seed, known=known), 1)[0] for seed in range(20)]

    assert 10 < sum(len(set(row)) > 1 for row in first)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_there_are_at_most_d_changes_and_each_number_occurs(d: int) -> None:
    """A change puts the source in front behind all others, so another one goes on.

    A change at the first point is not seen as one: the source that lost was never in front.
    """
    changes = {
        sum(before != now for before, now in itertools.pairwise(row))
        for row in rows(Pct(d, seed=1), 300)[1:]
    }
    assert set(range(d + 1)) == changes


def test_a_source_that_was_put_last_comes_last() -> None:
    """With two changes in a trial, a third source is in front behind the second."""
    for row in rows(Pct(2, seed=2), 300):
        seen = list(dict.fromkeys(row))
        blocks = 1 + sum(before != now for before, now in itertools.pairwise(row))
        assert len(seen) == blocks


def test_a_bug_of_depth_two_is_found_as_often_as_promised() -> None:
    """About 1 / (n k) of the trials: the child stops in the middle of its five steps.

    Of 2,000 trials that is 111 for n = 2 and k = 9; measured: 111. The seed is fixed.
    """

    def program(kernel: Kernel) -> Task:
        at = {"child": 0}

        def child() -> Task:
            for step in range(5):
                at["child"] = step
                yield None

        kernel.spawn("child", child())
        for _ in range(3):
            yield None
        if at["child"] == 2:
            kernel.fail("main ended while the child stood in the middle")

    run = running(program)
    strategy = Pct(1, seed=0)
    failed = 0
    for _ in range(2000):
        proposal = strategy.propose()
        assert proposal is not None
        verdict = run(proposal.chooser())
        strategy.take(proposal.read(verdict))
        failed += bool(verdict.violations)
    assert 111 == failed


def test_the_same_seed_draws_the_same_trials() -> None:
    """Also those that depend on the length learned."""
    assert rows(Pct(3, seed=5), 20) == rows(Pct(3, seed=5), 20)
    assert rows(Pct(3, seed=5), 20) != rows(Pct(3, seed=6), 20)


def test_no_change_points_at_all_are_a_mistake() -> None:
    """That would be priorities alone."""
    with pytest.raises(AssertionError, match="at least one change point, not 0"):
        Pct(0)


def test_it_never_claims_to_be_complete() -> None:
    """Sampling proves nothing."""
    strategy = Pct(2, seed=3)
    list(explore(running(family(2, 2)), strategy, 30))
    assert (False, None) == (strategy.exhausted(), strategy.exhausted_to())
    assert "pct 2: 30 drawn (seed 3)" == strategy.describe()

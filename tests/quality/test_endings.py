"""Endings: the portfolio soon sees every way in which a cancelled run of the loop ends."""

from __future__ import annotations

import statistics

from simharness.search import portfolio
from simharness.world.run import batch
from tests.benchmarks.endings import enumerated, needed, trial


def test_the_portfolio_sees_every_ending_in_a_third_of_all_schedules() -> None:
    """Complete enumeration defines the endings; measured: 19 of 3,537 trials in the mean."""
    run_once = trial()
    with batch():
        whole = enumerated(run_once)
        found = [needed(run_once, portfolio(seed=seed), whole) for seed in range(20)]
    assert 4 == len(whole.endings)
    trials = [count for count in found if count is not None]
    assert 20 == len(trials)
    assert statistics.mean(trials) <= whole.trials / 3

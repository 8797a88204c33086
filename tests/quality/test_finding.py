"""Finding: what the portfolio needs for small programs, beside the samplers of the literature.

The whole table is printed by `make bench-search`; here are its claims where they are cheap. All
seeds are fixed, so nothing can flicker.
"""

from __future__ import annotations

import functools

import pytest

from simharness.search import Deviate, Selective, Uniform, explore, portfolio
from tests.benchmarks.finding import COMPETITORS, PORTFOLIO, Found, search
from tests.benchmarks.ports import PORTS
from tests.benchmarks.ports.machine import running
from tests.quality.programs import reorder
from tests.tiny import running as running_tiny

DEAR = {"reorder-10": 150, "reorder-20": 300, "twostage-20": 800}
"""Ports that need many trials -> the most the portfolio may need, for seeds 0 to 2."""

CHEAP = [name for name in PORTS if name not in DEAR]


@functools.cache
def found(name: str, strategy: str) -> Found:
    """What a strategy needs for 100 seeds: with 20, means of a few trials are off by a quarter."""
    return search(PORTS[name], strategy, range(100), 2000)


@pytest.mark.parametrize("name", CHEAP)
def test_the_portfolio_needs_at_most_twice_the_trials_of_the_best(name: str) -> None:
    """It finds the bug for every seed, whichever of uniform, PCT, POS and SURW is the best."""
    ours = found(name, PORTFOLIO)
    best = min(found(name, strategy).mean for strategy in COMPETITORS)
    assert 1 == ours.fraction
    assert ours.mean <= 2 * best


@pytest.mark.parametrize(("name", "most"), DEAR.items())
def test_rare_orders_of_many_tasks_are_found(name: str, most: int) -> None:
    """A walk does not find two of them in 10,000 trials, and POS hardly."""
    assert 1 == search(PORTS[name], PORTFOLIO, range(3), most).fraction


def test_the_portfolio_is_better_than_a_walk_on_most_programs() -> None:
    """On three quarters of all. A walk does not find the dear ones in what is enough for ours."""
    better = [n for n in CHEAP if found(n, PORTFOLIO).mean < found(n, "uniform").mean]
    for name, most in DEAR.items():
        if search(PORTS[name], "uniform", range(3), most).fraction == 0:
            better.append(name)
    assert len(better) >= 0.75 * len(PORTS)


def test_the_ports_have_a_bug_that_some_schedule_shows_and_some_does_not() -> None:
    """A program that always or never fails would measure nothing."""
    for name in CHEAP:
        verdicts = list(explore(running(PORTS[name]), Selective(seed=1), 300))
        failing = sum(bool(verdict.violations) for verdict in verdicts)
        assert 0 < failing < len(verdicts), name


@pytest.mark.parametrize("seed", range(3))
def test_deviating_finds_a_rare_order_that_a_uniform_walk_does_not(seed: int) -> None:
    """Ten setters and a checker, and a default order that stays with the last task.

    A walk moves all eleven children on together, so when the checker reads, some setter has most
    likely finished. Measured: no find in 5,000 trials for these seeds, where deviating needed 38,
    623 and 34.
    """
    run = running_tiny(reorder(10))
    deviating = explore(run, Deviate(seed=seed), 1000)
    assert any(verdict.violations for verdict in deviating)
    walk = explore(run, Uniform(seed=seed), deviating.trials)
    assert not any(verdict.violations for verdict in walk)


def test_the_portfolio_draws_the_same_trials_for_the_same_seed() -> None:
    """Other seeds draw others."""
    run = running(PORTS["reorder-5"])

    def traces(seed: int) -> list[str]:
        return [verdict.trace_hash for verdict in explore(run, portfolio(seed=seed), 60)]

    assert traces(4) == traces(4)
    assert traces(4) != traces(5)

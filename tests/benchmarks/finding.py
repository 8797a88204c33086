"""Counts how many schedules strategies need to find the bugs of the ports."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs

from simharness.search import Strategy, Uniform, explore, portfolio
from tests.benchmarks.ports.machine import running
from tests.benchmarks.samplers import Pos, Surw, ThreePct

if TYPE_CHECKING:
    from simharness.search import RunOnce
    from tests.benchmarks.ports.machine import Program

__all__ = ["COMPETITORS", "PORTFOLIO", "Found", "search"]

CAP = 10_000
"""Trials after which a search gives up."""

PORTFOLIO = "portfolio"

COMPETITORS: Mapping[str, Callable[[int], Strategy]] = {
    "uniform": lambda seed: Uniform(seed=seed),
    "PCT(3)": lambda seed: ThreePct(3, seed=seed),
    "POS": lambda seed: Pos(seed=seed),
    "SURW": lambda seed: Surw(seed=seed),
}
"""Name -> a strategy for a seed."""


@attrs.frozen
class Found:
    """What one strategy needed per seed; None where it did not find the bug."""

    trials: tuple[int | None, ...]
    cap: int = CAP

    @property
    def mean(self) -> float:
        """The mean number of trials; a search without a find counts as the cap."""
        return statistics.mean(self.cap if n is None else n for n in self.trials)

    @property
    def fraction(self) -> float:
        """The part of the seeds that found it."""
        return sum(n is not None for n in self.trials) / len(self.trials)

    def __str__(self) -> str:
        words = f"{self.mean:,.1f}" if self.mean < 100 else f"{self.mean:,.0f}"
        if self.fraction == 1:
            return words
        return f"{words} ({self.fraction:.0%})" if self.fraction else "never"


def search(program: Program, name: str, seeds: range, cap: int = CAP) -> Found:
    """Search `program` once per seed with the strategy `name`."""
    run = running(program)
    return Found(tuple(_first(run, _strategy(name, seed), cap) for seed in seeds), cap)


def _strategy(name: str, seed: int) -> Strategy:
    return portfolio(seed=seed) if name == PORTFOLIO else COMPETITORS[name](seed)


def _first(run: RunOnce, strategy: Strategy, cap: int) -> int | None:
    """The number of the first trial that fails."""
    exploration = explore(run, strategy, cap)
    failed = any(verdict.violations for verdict in exploration)
    return exploration.trials if failed else None

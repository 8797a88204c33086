"""Print how many trials per second one worker process makes, and two: `make bench-scaling`.

The start of workers is left out: a short campaign is subtracted from a long one. Wall time tells
the truth on a machine that has nothing else to do. CPU time tells it on any other: two workers
can be as much faster as trials cost no more in two processes than in one, and as the parent, which
hands batches out and counts what comes back, has time for both.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from pathlib import Path

import attrs
from tabulate import tabulate

from simharness.agents import find
from simharness.batches import Campaign, Store
from simharness.campaign.budget import Plan
from simharness.check import check_suite
from simharness.isolate import Isolation, Setup
from simharness.isolate.means import processes
from simharness.scenario.load import load_file

AGENT = "reference"
CASE = Path(__file__).with_name("two-turns-two-tools.sim.yaml")
SHORT, LONG = 200, 4200
ROUNDS = 3


@attrs.frozen
class Cost:
    """Seconds of one campaign: on the clock, of the parent's CPU, of its workers' CPU."""

    wall: float
    parent: float
    workers: float

    def __sub__(self, other: Cost) -> Cost:
        return Cost(
            self.wall - other.wall, self.parent - other.parent, self.workers - other.workers
        )


def campaign(jobs: int, trials: int, store: Path) -> Cost:
    """Run so many random trials in so many workers, and keep the results as a user would."""
    workers_before, parent_before = _children_s(), time.process_time()
    wall_before = time.perf_counter()
    means = attrs.evolve(
        processes(Setup(find, AGENT, Isolation(jobs))),
        close=lambda workers: workers.shutdown(wait=True, cancel_futures=True),
    )
    plan = Plan(budget=trials, strategy="random")
    with (
        Store(store / f"{jobs}-{trials}-{time.perf_counter_ns()}.sqlite", {}) as kept,
        Campaign(means, agent=AGENT, store=kept) as running,
    ):
        result = check_suite(load_file(CASE).cases, find(AGENT), plan, checker=running)
    assert result.total("trials") == trials
    return Cost(
        time.perf_counter() - wall_before,
        time.process_time() - parent_before,
        _children_s() - workers_before,
    )


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure one and two workers in turn, and print medians."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        rounds = [
            [
                campaign(jobs, LONG, Path(name)) - campaign(jobs, SHORT, Path(name))
                for jobs in (1, 2)
            ]
            for _ in range(ROUNDS)
        ]
    trials = LONG - SHORT
    rows = []
    for jobs, costs in zip((1, 2), zip(*rounds, strict=True), strict=True):
        wall, parent, workers = (
            statistics.median(getattr(cost, field) for cost in costs)
            for field in ("wall", "parent", "workers")
        )
        bottleneck = max(parent, workers / jobs)
        rows.append(
            [
                jobs,
                trials / wall,
                trials / bottleneck,
                workers / trials * 1e6,
                parent / trials * 1e6,
            ]
        )
    heads = ["workers", "trials/s", "by CPU time", "worker us/trial", "parent us/trial"]
    print(tabulate(rows, heads, tablefmt="simple", floatfmt=".0f"))
    print(
        f"two to one: {rows[1][1] / rows[0][1]:.2f} on the clock, "
        f"{rows[1][2] / rows[0][2]:.2f} by CPU time; Python {sys.version.split()[0]}"
    )


if __name__ == "__main__":
    main()

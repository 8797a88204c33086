"""Print what a trial costs, as ratios measured side by side in this one run.

`make bench`. CPU time (user and system) is measured in turn, ours and stock, and the median of the
pairs is shown, since the speed of a shared machine drifts.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from tabulate import tabulate

from simharness import rules
from simharness.agents import find
from simharness.agents.reference import CONTRACT
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_file
from simharness.search import Uniform
from simharness.world.kernel import play
from simharness.world.run import batch, run
from tests.benchmarks import weight
from tests.benchmarks.workload import on_stock, workload

PAIRS = 31
RUNS = 60
CASE = Path(__file__).with_name("two-turns-two-tools.sim.yaml")

Measured = tuple[float, float]


def cpu_us(call: Callable[[], object], runs: int = RUNS) -> float:
    """Microseconds of CPU per call."""
    before = time.process_time()
    for _ in range(runs):
        call()
    return (time.process_time() - before) / runs * 1e6


def ratio(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float, float]:
    """Median ratio of interleaved pairs, and both medians in microseconds."""
    pairs = [(cpu_us(ours), cpu_us(theirs)) for _ in range(PAIRS)]
    return (
        statistics.median(mine / other for mine, other in pairs),
        statistics.median(mine for mine, _ in pairs),
        statistics.median(other for _, other in pairs),
    )


def fresh_stock_loop() -> object:
    """The workload on a new SelectorEventLoop, as every one of our trials has a new loop."""
    loop = asyncio.SelectorEventLoop()
    try:
        return loop.run_until_complete(on_stock())
    finally:
        loop.close()


def in_our_world() -> object:
    """The workload in virtual time, choices recorded, what is left behind looked for."""
    return play(lambda _: workload(asyncio.sleep))


def walker() -> Callable[[], object]:
    """The same, but that every choice is drawn, another trial each time."""
    walk = Uniform(seed=0)

    def walked() -> object:
        proposal = walk.propose()
        assert proposal is not None, "samplers never end"
        return play(lambda _: workload(asyncio.sleep), proposal.chooser())

    return walked


def workload_table() -> list[list[str]]:
    """Ours against stock on the 65-callback workload."""
    shared = asyncio.SelectorEventLoop()
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "stock, a new SelectorEventLoop per run": (in_our_world, fresh_stock_loop),
        "the same, our choices drawn at random": (walker(), fresh_stock_loop),
        "stock, one loop for all runs": (
            in_our_world,
            lambda: shared.run_until_complete(on_stock()),
        ),
        "stock, asyncio.run": (in_our_world, lambda: asyncio.run(on_stock())),
    }
    rows = []
    for name, (ours, theirs) in pairs.items():
        found, mine, other = ratio(ours, theirs)
        rows.append([name, f"{found:.2f}", f"{mine:.0f}", f"{other:.0f}"])
    shared.close()
    return rows


def trial_table() -> list[list[str]]:
    """Parts of one trial of a two-turn, two-tool scenario on the reference loop."""
    case = load_file(CASE).cases[0]
    factory = find("reference")
    done = run(case, factory, ScheduleChooser())

    def hashed() -> str:
        done.trace._text = None
        return done.trace.hash()

    def trial() -> object:
        return run(case, factory, ScheduleChooser())

    def judged() -> object:
        return rules.judge(done.trace, CONTRACT)

    parts = {"world and agent": trial, "rules": judged, "trace hash": hashed}
    costs = {
        name: statistics.median(cpu_us(part) for _ in range(PAIRS)) for name, part in parts.items()
    }
    total = sum(costs.values())
    rows = [[name, f"{cost:.0f}", f"{cost / total:.0%}"] for name, cost in costs.items()]
    rows.append(["one judged trial", f"{total:.0f}", f"{1e6 / total:,.0f} trials/s"])
    return rows


def main() -> None:
    """Print all tables."""
    with batch():
        rows = workload_table()
        parts = trial_table()
    print("65-callback workload, CPU per run; ours with recording, labels, leak checks,")
    print("numbered task hashes and the batch's patches; rules and trace hash not included\n")
    print(
        tabulate(rows, headers=["against", "ratio", "ours us", "stock us"], disable_numparse=True)
    )
    print("\nOne trial of two turns and two tools on the reference loop, CPU\n")
    print(tabulate(parts, headers=["part", "us", "share"], disable_numparse=True))
    print("\nThe wheel and its start, wall seconds with compiled modules\n")
    print(weight.report())


if __name__ == "__main__":
    main()

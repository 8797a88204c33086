"""Measures one tool, in its own environment; prints JSON. Called by `__main__`."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))  # the environment holds the tool alone

from tests.benchmarks.peers.bugs import BUGS, Bug
from tests.benchmarks.peers.tools import TOOLS, Tool
from tests.benchmarks.workload import on_stock

PAIRS = 9
RUNS = 1000
"""Of one exploration, so that what a tool does once for all of them does not count much."""
SEEDS = 20


def stock(times: int) -> None:
    """The workload on new SelectorEventLoops."""
    for _ in range(times):
        loop = asyncio.SelectorEventLoop()
        try:
            loop.run_until_complete(on_stock())
        finally:
            loop.close()


def cost(tool: Tool) -> dict[str, float]:
    """CPU of the workload as a ratio to stock, measured in turn; the median of the pairs."""
    tool.run(RUNS)
    pairs = [(_cpu_us(tool.run), _cpu_us(stock)) for _ in range(PAIRS)]
    return {
        "ratio": statistics.median(mine / other for mine, other in pairs),
        "us": statistics.median(mine for mine, _ in pairs),
    }


def _cpu_us(run: object) -> float:
    before = time.process_time()
    run(RUNS)  # type: ignore[operator]
    return (time.process_time() - before) / RUNS * 1e6


def search(tool: Tool, bug: Bug) -> dict[str, object]:
    """Mean trials and seconds to the bug over all seeds, and the deviations it shrinks to."""
    before = time.process_time()
    found = [tool.find(bug, seed) for seed in range(SEEDS)]
    seconds = (time.process_time() - before) / SEEDS
    trials = [one.trials for one in found if one.trials is not None]
    small = [one.deviations for one in found if one.deviations is not None]
    return {
        "found": len(trials),
        "trials": statistics.mean(trials) if trials else None,
        "seconds": seconds,
        "deviations": statistics.mean(small) if small else None,
    }


def main() -> None:
    """Print what the tool named on the command line does."""
    distribution, kind = TOOLS[sys.argv[1]]
    tool = kind()
    bugs = {name: search(tool, bug) for name, bug in BUGS.items()}
    print(json.dumps({"version": version(distribution), "cost": cost(tool), "bugs": bugs}))


if __name__ == "__main__":
    main()

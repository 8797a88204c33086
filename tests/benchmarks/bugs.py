"""Print how many schedules each strategy needs to find the bugs of the ports.

`make bench-search`: 20 seeds, at most 10,000 trials each, on all cores; a few minutes. Published
figures stand beside it as context: thread programs at memory access grain are other trees.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

from tabulate import tabulate

from tests.benchmarks.finding import COMPETITORS, PORTFOLIO, Found, search
from tests.benchmarks.ports import PORTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SEEDS = 20
STRATEGIES = (*COMPETITORS, PORTFOLIO)

PUBLISHED = {
    "reorder-10": "never / 3,225 / never / 17",
    "twostage-20": "never / 159 / 156 / 6",
}
"""Uniform, PCT(3), POS and SURW in Zhao et al., ASPLOS 2025, on the C programs."""


def measured(names: Sequence[str], seeds: int) -> dict[str, dict[str, Found]]:
    """Search each port with each strategy, in as many processes as there are cores."""
    cells = [(port, strategy) for port in names for strategy in STRATEGIES]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(_cell, port, strategy, seeds) for port, strategy in cells]
        found = dict(zip(cells, (job.result() for job in jobs), strict=True))
    return {port: {s: found[port, s] for s in STRATEGIES} for port in names}


def _cell(port: str, strategy: str, seeds: int) -> Found:
    return search(PORTS[port], strategy, range(seeds))


def ratio(row: Mapping[str, Found]) -> float:
    """How many times the trials of the best one the portfolio needs."""
    return row[PORTFOLIO].mean / min(found.mean for found in row.values())


def sentences(table: Mapping[str, Mapping[str, Found]]) -> list[str]:
    """What is claimed, with the ports that do not keep it."""
    dear = [port for port, row in table.items() if ratio(row) > 2]
    lost = [
        port
        for port, row in table.items()
        if min(found.mean for found in row.values()) < 2000 and row[PORTFOLIO].fraction < 1
    ]
    better = [port for port, row in table.items() if row[PORTFOLIO].mean < row["uniform"].mean]
    return [
        f"portfolio above 2 x the best: {', '.join(dear) or 'none'}",
        f"not found in every seed although the best needs under 2,000: {', '.join(lost) or 'none'}",
        f"portfolio better than uniform: {len(better)} of {len(table)}",
    ]


def main(arguments: Sequence[str]) -> None:
    """Print the table; `arguments` may give the number of seeds and then ports."""
    seeds = int(arguments[0]) if arguments else SEEDS
    table = measured(arguments[1:] or tuple(PORTS), seeds)
    rows = [
        [port, *map(str, row.values()), f"{ratio(row):.2f}", PUBLISHED.get(port, "")]
        for port, row in table.items()
    ]
    headers = ["port", *STRATEGIES, "/ best", "published, other trees"]
    print(f"Mean schedules to the bug, {seeds} seeds; in brackets the part that found it\n")
    print(tabulate(rows, headers=headers, disable_numparse=True))
    print("", *sentences(table), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])

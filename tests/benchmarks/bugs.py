"""Print how many schedules each strategy needs to find the bugs of the ports.

`make bench-search`: 20 seeds, at most 10,000 trials each, on all cores; some minutes. Published
figures stand beside it as context: thread programs at memory access grain are other trees.

The mean of 20 seeds is off by a quarter or so, and the least of four such means is below what the
best one needs. So what comes near the best is searched once more with ten times the seeds, and that
table says what the portfolio costs beside it.
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
MANY = 200
"""Seeds of the second table, for what is worth them."""

NEAR = 4
"""Strategies within so many times the least mean are among those that can be the best."""

STRATEGIES = (*COMPETITORS, PORTFOLIO)

PUBLISHED = {
    "reorder-10": "never / 3,225 / never / 17",
    "twostage-20": "never / 159 / 156 / 6",
}
"""Uniform, PCT(3), POS and SURW in Zhao et al., ASPLOS 2025, on the C programs."""


Table = dict[str, dict[str, Found]]
"""Port -> strategy -> what it needed."""


def measured(cells: Sequence[tuple[str, str]], seeds: int) -> Table:
    """Search ports with strategies, in as many processes as there are cores."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [(*cell, pool.submit(_cell, *cell, seeds)) for cell in cells]
        table: Table = {}
        for port, strategy, job in jobs:
            table.setdefault(port, {})[strategy] = job.result()
    return table


def contenders(table: Table) -> list[tuple[str, str]]:
    """The portfolio, and what may need the fewest trials on a port."""
    return [
        (port, strategy)
        for port, row in table.items()
        for strategy, found in row.items()
        if strategy == PORTFOLIO or found.mean <= NEAR * _least(row)
    ]


def _cell(port: str, strategy: str, seeds: int) -> Found:
    return search(PORTS[port], strategy, range(seeds))


def ratio(row: Mapping[str, Found]) -> float:
    """How many times the trials of the best one the portfolio needs."""
    return row[PORTFOLIO].mean / _least(row)


def _least(row: Mapping[str, Found]) -> float:
    return min(found.mean for found in row.values())


def dear(table: Table) -> str:
    """The ports on which the portfolio needs more than is claimed."""
    found = [f"{port} ({ratio(row):.2f})" for port, row in table.items() if ratio(row) > 2]
    return f"portfolio above 2 x the best: {', '.join(found) or 'none'}"


def sentences(table: Table) -> list[str]:
    """What is claimed, with the ports that do not keep it."""
    lost = [
        port for port, row in table.items() if _least(row) < 2000 and row[PORTFOLIO].fraction < 1
    ]
    better = [port for port, row in table.items() if row[PORTFOLIO].mean < row["uniform"].mean]
    return [
        dear(table),
        f"not found in every seed although the best needs under 2,000: {', '.join(lost) or 'none'}",
        f"portfolio better than uniform: {len(better)} of {len(table)}",
    ]


def show(table: Table, seeds: int) -> None:
    """Print a table."""
    rows = [
        [
            port,
            *(str(row.get(s, "")) for s in STRATEGIES),
            f"{ratio(row):.2f}",
            PUBLISHED.get(port, ""),
        ]
        for port, row in table.items()
    ]
    headers = ["port", *STRATEGIES, "/ best", "published, other trees"]
    print(f"\nMean schedules to the bug, {seeds} seeds; in brackets the part that found it\n")
    print(tabulate(rows, headers=headers, disable_numparse=True))


def main(arguments: Sequence[str]) -> None:
    """Print the tables; `arguments` may give the number of seeds and then ports."""
    seeds = int(arguments[0]) if arguments else SEEDS
    names = arguments[1:] or tuple(PORTS)
    table = measured([(port, strategy) for port in names for strategy in STRATEGIES], seeds)
    show(table, seeds)
    print("", *sentences(table), sep="\n", flush=True)
    if not arguments:
        exact = measured(contenders(table), MANY)
        show(exact, MANY)
        print("", dear(exact), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])

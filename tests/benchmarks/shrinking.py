"""Print how far the failures of thirty mutants shrink, from schedules that were drawn at random.

`make bench-shrinking`. Each start is the first random walk, over the shipped cases in turn, that
breaks the mutant's rule in a case whose default schedule holds, so that something is left to find
and to prove. That nothing with fewer deviations fails is checked once more by an enumeration of its
own. Replays and seconds are those of one `shrink`.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import attrs
from tabulate import tabulate

from simharness.agent import NotApplicable
from simharness.agents.mutants import MUTANTS, Mutant
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.load import find_files, load_file
from simharness.scenario.model import Case
from simharness.search import Bounded, RunOnce, Shrunk, Uniform, explore, shrink
from simharness.verdict import Verdict
from simharness.world.run import batch

SCENARIOS = Path(__file__).parents[2] / "scenarios"
FAILURES = 30
PER_MUTANT = 2  # in different files
WALKS = 2  # random walks in each case
ENUMERATED_MOST = 20_000  # trials of the check
REPLAYS_MOST, SECONDS_MOST = 150, 1.0  # the medians that are promised


@attrs.frozen
class Row:
    """One failure: where it was found, and what became of it."""

    mutant: str
    case: str
    before: int
    shrunk: Shrunk
    seconds: float
    least: bool | None  # None: too many schedules to enumerate


def shipped() -> list[Case]:
    """One case of each file that comes with simharness."""
    return [load_file(file).cases[0] for file in find_files([SCENARIOS])]


def starts(mutant: Mutant, cases: list[Case]) -> Iterator[tuple[Bench, Verdict]]:
    """Benches with a failing trial of a random walk on it, where the default schedule holds."""
    for case in cases:
        bench = Bench(case, mutant.factory, case.mode or "strict")
        try:
            if mutant.rule in bench.trial(ScheduleChooser()).broken():
                continue
        except NotApplicable:
            continue
        walks = explore(bench.trial, Uniform(), WALKS)
        found = next((walk for walk in walks if mutant.rule in walk.broken()), None)
        if found is not None:
            yield bench, found


def is_least(run_once: RunOnce, shrunk: Shrunk, rule: str) -> bool | None:
    """Whether no schedule with fewer deviations breaks `rule`, by running them all."""
    count = len(shrunk.schedule)
    if not count:
        return True
    search = explore(run_once, Bounded(count - 1), ENUMERATED_MOST)
    if any(rule in verdict.broken() for verdict in search):
        return False
    return True if search.strategy.exhausted_to() == count - 1 else None


def rows(cases: list[Case]) -> Iterator[Row]:
    """Shrink a few failures of each mutant in turn."""
    for mutant in MUTANTS:
        for bench, verdict in itertools.islice(starts(mutant, cases), PER_MUTANT):
            began = time.perf_counter()
            shrunk = shrink(bench.trial, verdict, mutant.rule)
            seconds = time.perf_counter() - began
            least = is_least(bench.trial, shrunk, mutant.rule)
            yield Row(mutant.id, bench.case.id, len(verdict.schedule), shrunk, seconds, least)


def main() -> int:
    """Print the table; 1 if a promise is not kept."""
    with batch():
        found = list(itertools.islice(rows(shipped()), FAILURES))
    table = [
        [
            row.mutant,
            row.case,
            row.before,
            len(row.shrunk.schedule),
            {True: "yes", False: "NO", None: "not known"}[row.least],
            row.shrunk.trials,
            f"{row.seconds:.2f}",
        ]
        for row in found
    ]
    heads = ["mutant", "case", "before", "after", "least", "replays", "seconds"]
    print(tabulate(table, headers=heads, disable_numparse=True))
    replays = statistics.median(row.shrunk.trials for row in found)
    seconds = statistics.median(row.seconds for row in found)
    least = sum(row.least is True for row in found)
    print(f"\n{len(found)} failures, {least} least by enumeration; median {replays:g} replays,")
    print(f"{seconds:.2f} s (promised: {REPLAYS_MOST} and {SECONDS_MOST:g} s)")
    kept = least == len(found) and replays <= REPLAYS_MOST and seconds <= SECONDS_MOST
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())

"""Print how soon strategies have seen every ending of a two-turn, two-tool, one-cancel scenario.

`make bench-search`. Which endings there are is defined by complete enumeration. Means of 20 seeds;
a search that has not seen all by the size of the enumeration counts as that.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from tabulate import tabulate

from simharness.agents import find
from simharness.campaign.ending import ending_key
from simharness.scenario.load import load_file
from simharness.search import Bounded, Deviate, Pct, Selective, Uniform, explore, portfolio
from simharness.verdict import Verdict
from simharness.world.run import batch, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simharness.choices import Chooser
    from simharness.search import Exploration, RunOnce, Strategy

__all__ = ["FILE", "STRATEGIES", "Endings", "enumerated", "needed", "trial"]

FILE = Path(__file__).with_name("two-turns-two-tools-one-cancel.sim.yaml")
SEEDS = 20

STRATEGIES: Mapping[str, Callable[[int], Strategy]] = {
    "uniform": lambda seed: Uniform(seed=seed),
    "deviate 10 %": lambda seed: Deviate(0.1, seed=seed),
    "PCT, 1 to 3 changes": lambda seed: Pct(3, seed=seed),
    "selective": lambda seed: Selective(seed=seed),
    "bounded": lambda _: Bounded(),
    "portfolio": lambda seed: portfolio(seed=seed),
}
"""Name -> a strategy for a seed."""


@attrs.frozen
class Endings:
    """What a complete enumeration found."""

    trials: int
    interleavings: int
    endings: frozenset[str]


def trial() -> RunOnce:
    """Make what runs the scenario on the reference loop. No rule judges: endings are counted."""
    case = load_file(FILE).cases[0]
    factory = find("reference")

    def run_once(chooser: Chooser) -> Verdict:
        done = run(case, factory, chooser)
        return Verdict(
            violations=(),
            notes=(),
            occasions=frozenset(),
            course=done.course,
            trace_hash=done.trace.hash(),
            ending=ending_key(done.trace),
        )

    return run_once


def enumerated(run_once: RunOnce, most: int = 100_000) -> Endings:
    """Run every schedule there is."""
    exploration: Exploration = explore(run_once, Bounded(), most)
    endings = frozenset(verdict.ending for verdict in exploration)
    assert exploration.strategy.exhausted(), f"more than {most} schedules"
    return Endings(exploration.trials, exploration.interleavings, endings)


def needed(run_once: RunOnce, strategy: Strategy, whole: Endings) -> int | None:
    """The number of trials until all endings were seen; None if the enumeration is shorter."""
    left = set(whole.endings)
    exploration = explore(run_once, strategy, whole.trials)
    for verdict in exploration:
        left.discard(verdict.ending)
        if not left:
            return exploration.trials
    return None


def main() -> None:
    """Print the table."""
    run_once = trial()
    with batch():
        whole = enumerated(run_once)
        rows = []
        for name, make in STRATEGIES.items():
            found = [needed(run_once, make(seed), whole) for seed in range(SEEDS)]
            mean = statistics.mean(whole.trials if n is None else n for n in found)
            all_found = sum(n is not None for n in found)
            rows.append(
                [name, f"{mean:,.0f}", f"{mean / whole.trials:.1%}", f"{all_found}/{SEEDS}"]
            )
    print(f"\n{FILE.stem}: {len(whole.endings)} endings, {whole.interleavings:,} interleavings,")
    print(f"all {whole.trials:,} schedules run. Mean trials until all endings were seen\n")
    headers = ["strategy", "trials", "of all", "seeds that saw all"]
    print(tabulate(rows, headers=headers, disable_numparse=True))


if __name__ == "__main__":
    main()

"""Exploration: drives one strategy with one program until nothing is left or the budget is spent.

It counts and recognises what is new; it judges nothing and stores no verdict.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from simharness.choices import Chooser
from simharness.verdict import Verdict

if TYPE_CHECKING:
    from simharness.search.strategy import Strategy

__all__ = ["Exploration", "RunOnce", "Stop", "explore"]

RunOnce = Callable[[Chooser], Verdict]
"""Runs one trial from scratch and judges it."""


class Stop(enum.StrEnum):
    """Why an exploration ended."""

    EXHAUSTED = "exhausted"  # every schedule there is was run
    FINISHED = "finished"  # the strategy has nothing more to propose
    BUDGET = "budget"  # the trials are spent


class Exploration(Iterator[Verdict]):
    """An iterator of the verdicts of new interleavings, with the counts so far.

    A trial whose trace hash was seen before is counted and not yielded.
    """

    def __init__(self, run_once: RunOnce, strategy: Strategy, budget: int) -> None:
        assert budget >= 0, f"a budget cannot be negative: {budget}"
        self._run_once = run_once
        self.strategy = strategy
        self.budget = budget
        self.trials = 0
        self.stop: Stop | None = None
        self._interleavings: set[str] = set()
        self._endings: set[str] = set()

    @property
    def interleavings(self) -> int:
        """How many different traces were seen."""
        return len(self._interleavings)

    @property
    def endings(self) -> int:
        """How many different endings were seen."""
        return len(self._endings)

    def __next__(self) -> Verdict:
        while self.stop is None:
            verdict = self._trial()
            if verdict is not None and verdict.trace_hash not in self._interleavings:
                self._interleavings.add(verdict.trace_hash)
                self._endings.add(verdict.ending)
                return verdict
        raise StopIteration

    def describe(self) -> str:
        """Say what was counted, why it ended and what the strategy covered."""
        counts = (
            f"{self.trials:,} trials, {self.interleavings:,} interleavings, "
            f"{self.endings:,} endings"
        )
        why = {
            None: "stopped by the caller",
            Stop.EXHAUSTED: "nothing is left",
            Stop.FINISHED: f"{self.strategy.name} is finished",
            Stop.BUDGET: f"budget of {self.budget:,} trials spent",
        }[self.stop]
        return f"{counts}; {why}; {self.strategy.describe()}"

    def _trial(self) -> Verdict | None:
        # Ask the strategy first: a search that is done exactly with its budget is done.
        proposal = self.strategy.propose()
        if proposal is None:
            self.stop = Stop.EXHAUSTED if self.strategy.exhausted() else Stop.FINISHED
            return None
        if self.trials >= self.budget:
            self.stop = Stop.BUDGET
            return None
        verdict = self._run_once(proposal.chooser())
        self.trials += 1
        self.strategy.take(proposal.read(verdict))
        return verdict


def explore(run_once: RunOnce, strategy: Strategy, budget: int) -> Exploration:
    """Explore with `strategy` for at most `budget` trials; iterate to get the new verdicts."""
    return Exploration(run_once, strategy, budget)

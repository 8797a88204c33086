"""The survey: one strategy asked within a budget, and what is counted of its trials.

It runs no trial. `explore` does, one after the other; others may run many at once.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from simharness.plural import plural

if TYPE_CHECKING:
    from simharness.search.strategy import Answer, Proposal, Strategy

__all__ = ["Stop", "Survey"]


class Stop(enum.StrEnum):
    """Why a survey ended."""

    EXHAUSTED = "exhausted"  # every schedule there is was run
    FINISHED = "finished"  # the strategy has nothing more to propose
    BUDGET = "budget"  # the trials are spent


class Survey:
    """What one strategy proposed, as far as `budget` trials go, and how many of them were new."""

    def __init__(self, strategy: Strategy, budget: int) -> None:
        assert budget >= 0, f"a budget cannot be negative: {budget}"
        self.strategy = strategy
        self.budget = budget
        self.trials = 0
        self.stop: Stop | None = None
        self._out = 0  # trials that were proposed and not counted yet
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

    def propose(self) -> Proposal | None:
        """Return the next trial; None if those that are out must be counted first, or at the end.

        At the end `stop` says why.
        """
        spent = self.trials + self._out >= self.budget
        if self.stop is not None or (spent and self._out):
            return None
        # Ask the strategy before the budget: a search that is done exactly with it is done.
        proposal = self.strategy.propose()
        if proposal is None:
            if not self._out:
                self.stop = Stop.EXHAUSTED if self.strategy.exhausted() else Stop.FINISHED
            return None
        if spent:
            self.stop = Stop.BUDGET
            return None
        self._out += 1
        return proposal

    def count(self, answer: Answer, trace_hash: str, ending: str) -> bool:
        """Count the earliest trial that is out; whether its interleaving is new."""
        self._out -= 1
        self.trials += 1
        self.strategy.take(answer)
        if trace_hash in self._interleavings:
            return False
        self._interleavings.add(trace_hash)
        self._endings.add(ending)
        return True

    def describe(self) -> str:
        """Say what was counted, why it ended and what the strategy covered."""
        counts = ", ".join(
            (
                plural(self.trials, "trial"),
                plural(self.interleavings, "interleaving"),
                plural(self.endings, "ending"),
            )
        )
        why = {
            None: "stopped by the caller",
            Stop.EXHAUSTED: "nothing is left",
            Stop.FINISHED: f"{self.strategy.name} is finished",
            Stop.BUDGET: f"budget of {plural(self.budget, 'trial')} spent",
        }[self.stop]
        return f"{counts}; {why}; {self.strategy.describe()}"

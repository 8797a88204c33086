"""Exploration: runs what one strategy proposes until nothing is left or the budget is spent.

It judges nothing and stores no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from simharness.choices import Chooser
from simharness.search.survey import Survey
from simharness.verdict import Verdict

if TYPE_CHECKING:
    from simharness.search.strategy import Strategy

__all__ = ["Exploration", "RunOnce", "explore"]

RunOnce = Callable[[Chooser], Verdict]
"""Runs one trial from scratch and judges it."""


class Exploration(Survey, Iterator[Verdict]):
    """An iterator of the verdicts of new interleavings, with the counts so far.

    A trial whose trace hash was seen before is counted and not yielded.
    """

    def __init__(self, run_once: RunOnce, strategy: Strategy, budget: int) -> None:
        super().__init__(strategy, budget)
        self._run_once = run_once

    def __next__(self) -> Verdict:
        while (proposal := self.propose()) is not None:
            verdict = self._run_once(proposal.chooser())
            if self.count(proposal.read(verdict), verdict.trace_hash, verdict.ending):
                return verdict
        raise StopIteration


def explore(run_once: RunOnce, strategy: Strategy, budget: int) -> Exploration:
    """Explore with `strategy` for at most `budget` trials; iterate to get the new verdicts."""
    return Exploration(run_once, strategy, budget)

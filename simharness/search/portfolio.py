"""The portfolio: cheap complete searches first, then samplers until the budget is spent.

It only puts strategies in order. A new sampler is one more entry of the list, no new code.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from simharness.search.bounded import Bounded
from simharness.search.default import Default
from simharness.search.deviate import Deviate
from simharness.search.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.search.plan import Known
    from simharness.search.strategy import Answer, Proposal, Strategy

__all__ = ["Portfolio", "portfolio"]


class Portfolio:
    """Runs each of `stages` to its end, then `samplers` in turn.

    Stops as soon as one of the stages has run every schedule there is.
    """

    name = "portfolio"

    def __init__(self, stages: Sequence[Strategy], samplers: Sequence[Strategy] = ()) -> None:
        self.stages = tuple(stages)
        self.samplers = tuple(samplers)
        self._stage = 0
        self._turn = 0
        self._used: list[Strategy] = []  # those with a trial or nothing left to try, in order
        self._out: deque[Strategy] = deque()  # whose trials they are that are not answered

    def propose(self) -> Proposal | None:
        """Return the next trial of the strategy whose turn it is."""
        while self._stage < len(self.stages) and not self.exhausted():
            proposal = self._try(self.stages[self._stage])
            if proposal is not None or self._out:
                return proposal
            self._stage += 1
        if self.exhausted():
            return None
        return self._sample()

    def take(self, answer: Answer) -> None:
        """Tell the strategy whose trial it was."""
        strategy = self._out.popleft()
        strategy.take(answer)
        self._note(strategy)

    def exhausted(self) -> bool:
        """Tell whether one of the strategies has run every schedule there is."""
        return any(strategy.exhausted() for strategy in self.stages)

    def exhausted_to(self) -> int | None:
        """Return the highest bound that one of the strategies completed."""
        bounds = [strategy.exhausted_to() for strategy in self.stages]
        return max((bound for bound in bounds if bound is not None), default=None)

    def describe(self) -> str:
        """Join what the strategies say that had their turn."""
        return "; ".join(strategy.describe() for strategy in self._used) or "portfolio: not run"

    def _sample(self) -> Proposal | None:
        for _ in self.samplers:
            sampler = self.samplers[self._turn % len(self.samplers)]
            proposal = self._try(sampler)
            if proposal is None and sampler in self._out:
                return None  # it needs answers; another one's turn must not depend on that
            self._turn += 1
            if proposal is not None:
                return proposal
        return None

    def _try(self, strategy: Strategy) -> Proposal | None:
        proposal = strategy.propose()
        if proposal is not None:
            self._out.append(strategy)
        elif strategy not in self._out:
            self._note(strategy)
        return proposal

    def _note(self, strategy: Strategy) -> None:
        if strategy not in self._used:
            self._used.append(strategy)


def portfolio(*, bound: int = 2, seed: int = 0) -> Portfolio:
    """Build the default portfolio: default, sweep, bounded up to `bound`, then deviate 10 %.

    The first three share what they ran, so no schedule runs twice among them. Bound 2 is where the
    measured cost explodes: 140 alternatives make 141, 3,700 and 70,000 schedules.
    """
    known: Known = {}
    stages = (Default(known), Sweep(known), Bounded(bound, known))
    return Portfolio(stages, (Deviate(0.1, seed=seed),))

"""The portfolio: what is cheap and complete first, then enumeration and samplers in turn.

It only puts strategies in order. A new sampler is one more entry of the list, no new code.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from simharness.search.bounded import Bounded
from simharness.search.default import Default
from simharness.search.delay import Delay
from simharness.search.opposite import Opposite
from simharness.search.pct import Pct
from simharness.search.selective import Selective
from simharness.search.sweep import Sweep
from simharness.search.uniform import Uniform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.search.plan import Known
    from simharness.search.strategy import Answer, Proposal, Strategy

__all__ = ["Portfolio", "portfolio"]

_ROUNDS = 7
"""Of the opening: 55 trials."""


class Portfolio:
    """Runs each of `stages` to its end, then one trial of each of `opening`, then `turns` in turn.

    The same strategy may stand in several places. A finished one is passed over. It stops as soon
    as one of them has run every schedule there is.
    """

    name = "portfolio"

    def __init__(
        self,
        stages: Sequence[Strategy],
        turns: Sequence[Strategy] = (),
        *,
        opening: Sequence[Strategy] = (),
    ) -> None:
        self.stages = tuple(stages)
        self.opening = tuple(opening)
        self.turns = tuple(turns)
        self._all = tuple(dict.fromkeys((*self.stages, *self.opening, *self.turns)))
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
        return self._next_turn()

    def take(self, answer: Answer) -> None:
        """Tell the strategy whose trial it was."""
        strategy = self._out.popleft()
        strategy.take(answer)
        self._note(strategy)

    def exhausted(self) -> bool:
        """Tell whether one of the strategies has run every schedule there is."""
        return any(strategy.exhausted() for strategy in self._all)

    def exhausted_to(self) -> int | None:
        """Return the highest bound that one of the strategies completed."""
        bounds = [strategy.exhausted_to() for strategy in self._all]
        return max((bound for bound in bounds if bound is not None), default=None)

    def describe(self) -> str:
        """Join what the strategies say that had their turn."""
        return "; ".join(strategy.describe() for strategy in self._used) or "portfolio: not run"

    def _next_turn(self) -> Proposal | None:
        passed_over = 0
        while passed_over < len(self.turns) or self._turn < len(self.opening):
            strategy = self._whose_turn()
            proposal = self._try(strategy)
            if proposal is None and strategy in self._out:
                return None  # it needs answers; another one's turn must not depend on that
            self._turn += 1
            if proposal is not None:
                return proposal
            passed_over += self._turn > len(self.opening)
        return None

    def _whose_turn(self) -> Strategy:
        if self._turn < len(self.opening):
            return self.opening[self._turn]
        return self.turns[(self._turn - len(self.opening)) % len(self.turns)]

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
    """Build the default portfolio: default, sweep, an opening of samples, then half and half.

    Samples and enumeration alternate from the start, because neither is always the faster one: few
    surprises are found by bounds, rare orders of many sources never. The opening is mostly samples:
    what a sampler can find at all shows early. It begins with walks, the fastest way where any
    disorder will do, with delays, where it is one late step, and with the opposite of the default,
    where it is haste. What learns knows the default trial from its first draw on. Bound 2 is where
    the cost of completeness explodes: 140 alternatives make 141, 3,700 and 70,000 schedules.
    """
    known: Known = {}
    bounded = Bounded(bound, known)
    selective, pct = Selective(seed=seed, known=known), Pct(3, seed=seed, known=known)
    walk, delay = Uniform(seed=seed), Delay(seed=seed, known=known)
    return Portfolio(
        (Default(known), Sweep(known)),
        (bounded, selective, bounded, selective, bounded, pct),
        opening=(
            *(selective, walk, walk, selective, delay, Opposite()),
            *(delay, selective, delay, delay, bounded, selective, selective),
            *(selective, selective, pct, bounded, selective, selective) * _ROUNDS,
        ),
    )

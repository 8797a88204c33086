"""The campaign: keeps an executor busy with batches of one case after the other.

It checks cases as `check.check_case` does. The cases after the one that is asked for are begun when
that one leaves workers idle.
"""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Self

import attrs

from simharness.batches.ledger import Gain, Ledger
from simharness.batches.relay import Relay
from simharness.campaign.inquiry import Inquiry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from simharness.batches.batch import Done
    from simharness.batches.means import Means
    from simharness.batches.relay import Work
    from simharness.batches.store import Store
    from simharness.campaign.budget import Plan
    from simharness.campaign.results import CaseResult
    from simharness.scenario.model import Case

__all__ = ["Campaign"]


class Campaign:
    """A `check.Checker`; a context manager that ends its executor.

    `agent` and `given` as in `check.check_case`. `on_gain` is called with what each result added.
    `on_death` judges a case that ended its worker twice; without it, that is an error of the case.
    """

    def __init__(
        self,
        means: Means,
        *,
        agent: str = "",
        given: frozenset[str] = frozenset(),
        store: Store | None = None,
        on_gain: Callable[[Gain], None] = lambda _: None,
        on_death: Callable[[Case, Plan], CaseResult] | None = None,
    ) -> None:
        self._agent = agent
        self._given = given
        self._store = store
        self._on_gain = on_gain
        self._on_death = on_death
        self._relay = Relay(means)
        self._begun = 0  # ledgers so far
        self._coming: deque[Case] = deque()  # that will be asked for, and are not begun
        self._plan: Plan | None = None  # of what is coming
        self._open: deque[Ledger] = deque()  # in the order in which they will be asked for

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know beside the results, one line each."""
        return tuple(self._relay.remarks)

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        stack: TracebackType | None,
    ) -> None:
        """End the executor, and what it is doing."""
        self._relay.close()

    def expect(self, cases: Sequence[Case], plan: Plan) -> None:
        """Say which cases will be asked for next, in this order."""
        self._begun -= len(self._open)  # never asked for
        self._open.clear()
        self._relay.forget()
        self._coming = deque(cases)
        self._plan = attrs.evolve(plan, total=None)  # how much is left is known only then

    def check(self, case: Case, plan: Plan) -> CaseResult:
        """Check one case."""
        if not self._open:
            if self._coming:
                self._coming.popleft()
            self._begin(case, plan)
        ledger = self._open[0]
        assert ledger.inquiry.case is case, "cases are asked for as they were expected"
        result = self._searched(ledger, plan.total)
        self._open.popleft()
        if ledger.died and self._on_death is not None:
            return self._on_death(case, plan)
        if result is None:  # more than what is left of the total
            self.expect((), plan)
            result = self._searched(self._begin(case, plan), None)
            self._open.popleft()
            assert result is not None, "nothing ends it early"
        return result

    def _searched(self, ledger: Ledger, most: int | None) -> CaseResult | None:
        """The result of the first case that is open; None if that takes more than `most` trials."""
        while ledger.result is None:
            if most is not None and ledger.trials > most:
                return None
            self._hand_out()
            if ledger.result is None:
                for work, done in self._relay.landed():
                    self._take_in(work, done)
        return ledger.result if most is None or ledger.trials <= most else None

    def _hand_out(self) -> None:
        """Give the relay as much as it has room for."""
        while self._relay.has_room and (work := self._next()) is not None:
            self._relay.give(work)

    def _next(self) -> Work | None:
        """The next batch that has to be run; those before it that the store knows are counted."""
        for ledger in self._ledgers():
            while (batch := ledger.cut()) is not None:
                known = None if self._store is None else self._store.find(ledger.number, batch)
                if known is None:
                    return ledger, batch
                self._on_gain(ledger.take(batch.number, known))
        return None

    def _ledgers(self) -> Iterator[Ledger]:
        """Those that are open, then new ones; none once the first has its result."""
        first = self._open[0]
        for ledger in tuple(self._open):
            if first.result is None:
                yield ledger
        while self._coming and self._plan is not None and first.result is None:
            yield self._begin(self._coming.popleft(), self._plan)

    def _begin(self, case: Case, plan: Plan) -> Ledger:
        ledger = Ledger(self._begun, Inquiry(case, plan, self._agent, self._given))
        self._begun += 1
        self._open.append(ledger)
        return ledger

    def _take_in(self, work: Work, done: Done) -> None:
        """Keep a result, then count it."""
        ledger, batch = work
        if ledger.result is not None:
            return  # the case ended with an earlier batch
        if self._store is not None and not done.died:
            self._store.keep(ledger.number, batch, done)
        self._on_gain(ledger.take(batch.number, done))

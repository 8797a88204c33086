"""How far to search: budgets in words, and what a command and a scenario say together.

Turns both into a strategy. How a strategy works is the business of `simharness.search`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from simharness.campaign.strategynames import STRATEGIES
from simharness.search import (
    Bounded,
    Default,
    Delay,
    Deviate,
    Pct,
    Portfolio,
    Recall,
    Selective,
    Sweep,
    Uniform,
    portfolio,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simharness.scenario.model import Case
    from simharness.search import Strategy
    from simharness.search.plan import Known

__all__ = ["BUDGETS", "STRATEGIES", "Plan", "budget_of", "missed", "named", "strategy_of"]

BUDGETS: Final[Mapping[str, int]] = {"quick": 4, "default": 100, "deep": 5000}
"""Trials per case, by name."""

_SAMPLERS: Final = ("deviate", "delay", "pct", "selective", "random", "portfolio")
_BOUND: Final = 1  # one deviation finds most order bugs and costs a hundred trials
_DEVIATE: Final = 0.1
_CHANGES: Final = 3


@attrs.frozen(kw_only=True)
class Plan:
    """How each case is searched. None leaves a value to the scenario, then to the default.

    `total` is the most trials over all cases together. `mode` is strict or relaxed. `seeds` are
    further ones, a search for each. `samples`: results keep a trial to be drawn, which is most of
    what a worker process would have to send.
    """

    budget: int = BUDGETS["default"]
    total: int | None = None
    bound: int | None = None
    strategy: str | None = None
    mode: str | None = None
    seed: int = 0
    seeds: tuple[int, ...] = attrs.field(default=(), converter=tuple)
    samples: bool = True

    def each(self) -> list[Plan]:
        """A plan for each seed, in order."""
        return [attrs.evolve(self, seed=seed, seeds=()) for seed in (self.seed, *self.seeds)]

    def trials_of(self, case: Case) -> int:
        """The most trials of `case`: what its `explore:` asks for, else the command's budget.

        Who wants less than the default wants it of every case that is not in vain then.
        """
        wanted = self.budget if case.explore.budget is None else case.explore.budget
        if self.budget < BUDGETS["default"] and not (case.violates or case.needs):
            wanted = min(wanted, self.budget)
        return wanted if self.total is None else min(wanted, self.total)

    def most(self, cases: Iterable[Case]) -> int:
        """The most trials of all `cases` together."""
        wanted = sum(map(self.trials_of, cases))
        return wanted if self.total is None else min(wanted, self.total)

    def mode_of(self, case: Case) -> str:
        """The mode of `case`: the command's if given, else the scenario's, else strict."""
        return self.mode or case.mode or "strict"

    def drawn(self, case: Case) -> str:
        """The options that draw the same trials again; empty if nothing is drawn at random."""
        name = self.strategy or case.explore.strategy
        return f"--strategy {name} --seed {self.seed}" if name in _SAMPLERS else ""


def budget_of(words: str) -> int:
    """Trials per case from `quick`, `default`, `deep` or a number; ValueError says what exists."""
    if words in BUDGETS:
        return BUDGETS[words]
    if words.isdecimal() and int(words):
        return int(words)
    raise ValueError(f'"{words}" is no budget; give {", ".join(BUDGETS)} or a number of trials')


def strategy_of(plan: Plan, case: Case) -> Strategy:
    """The strategy for `case`: that of the command, else that of the scenario, else the default.

    Before it comes the scenario's `schedule:`, which under the name `schedule` is searched around.
    """
    bound = next(b for b in (plan.bound, case.explore.bound, _BOUND) if b is not None)
    name = plan.strategy or case.explore.strategy
    strategy = named(name, bound=bound, seed=plan.seed)
    if not case.schedule:
        return strategy
    return Portfolio((Recall((case.schedule,), around=name == "schedule"), strategy))


def missed(case: Case, strategy: Strategy) -> tuple[str, ...]:
    """What of the scenario's `schedule:` found no place in any trial of this strategy."""
    if not case.schedule or not isinstance(strategy, Portfolio):
        return ()
    first = strategy.stages[0]
    assert isinstance(first, Recall), "the scenario's own schedule comes first"
    return tuple(f"schedule: {words}" for words in first.unmet)


def named(name: str | None, *, bound: int = _BOUND, seed: int = 0) -> Strategy:
    """The strategy called `name`; ValueError says what exists.

    Without a name: the default schedule, then every place of an `anywhere` action, then all
    schedules up to the bound. That is exhaustive and has no seed; samplers are asked for by name.
    """
    known: Known = {}
    if name is None:
        return Portfolio((Default(known), Sweep(known), Bounded(bound, known)))
    if name in {"default", "schedule"}:  # the default one is played beside a schedule in words
        return Default()
    if name == "sweep":
        return Sweep()
    if name == "bounded":
        return Bounded(bound)
    if name == "deviate":
        return Deviate(_DEVIATE, seed=seed)
    if name == "delay":
        return Delay(seed=seed)
    if name == "pct":
        return Pct(_CHANGES, seed=seed)
    if name == "selective":
        return Selective(seed=seed)
    if name == "random":
        return Uniform(seed=seed)
    if name == "portfolio":
        return portfolio(bound=max(bound, 2), seed=seed)
    raise ValueError(f'"{name}" is no strategy; there are {", ".join(STRATEGIES)}')

"""Measures the suite: does any case notice a generated mutant of the reference loop?

A mutant is killed by whatever `run --strict-coverage` fails for: a broken rule, an expectation, an
error, something written that does not happen any more. Unlike the written mutants (`proving`) it
has no rule of its own, and one that survives may be no fault at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agent import NotApplicable
from simharness.agents import find
from simharness.agents.mutants.generated import SURVIVORS, make_changed
from simharness.campaign.budget import strategy_of
from simharness.campaign.stopping import costly
from simharness.check import REFERENCE, Bench
from simharness.choices import ScheduleChooser
from simharness.search import explore
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.agent import AgentFactory
    from simharness.agents.mutants.generated import Change
    from simharness.campaign.budget import Plan
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["ERROR", "NOT_EXERCISED", "Fate", "measure", "plans"]

ERROR = "error"
"""What kills a mutant that cannot be loaded, or whose adapter raises."""

NOT_EXERCISED = "not-exercised"
"""What kills a mutant with which something that a scenario writes does not happen any more."""

_TRIALS_MOST = 500  # beyond the default schedules; most survivors survive any number


@attrs.frozen
class Fate:
    """What became of one generated mutant: which rules, in which case, after how many trials."""

    change: Change
    killed_by: tuple[str, ...] = ()
    case: str | None = None
    trials: int = 0

    @property
    def survives(self) -> bool:
        """Whether nothing was noticed."""
        return not self.killed_by

    @property
    def reason(self) -> str:
        """Why it survives, as far as that is known."""
        return SURVIVORS.get(self.change.id, "") if self.survives else ""


def plans(plan: Plan) -> tuple[Plan, Plan]:
    """All cases on the default schedule, then as far as `plan` goes with some of them."""
    total = _TRIALS_MOST if plan.total is None else plan.total
    return attrs.evolve(plan, strategy="default"), attrs.evolve(plan, total=total)


def measure(
    change: Change,
    cases: Sequence[Case],
    plans: Sequence[Plan],
    *,
    around: Callable[[AgentFactory], AgentFactory] = lambda factory: factory,
) -> Fate:
    """Run `cases` against one change until one notices it: all as far as the first plan, and so on.

    A plan's `total` is the most trials over all cases. `around` may wrap the factory.
    """
    try:
        factory = around(make_changed(change))
    except Exception:  # noqa: BLE001 - whatever a change makes of a module
        return Fate(change, (ERROR,))
    trials = 0
    with batch():
        for plan in plans:
            left = plan.total
            for case in cases:
                tried, killers = _killers(case, factory, attrs.evolve(plan, total=left))
                trials += tried
                left = None if left is None else left - tried
                if killers:
                    return Fate(change, killers, case.id, trials)
    return Fate(change, trials=trials)


def _missing(case: Case, verdict: Verdict) -> bool:
    """Whether something did not happen that does on the default schedule of the sound loop."""
    lost = frozenset() if verdict.schedule else case.promised() - verdict.played
    return bool(lost) and not lost.isdisjoint(
        Bench(case, find(REFERENCE)).trial(ScheduleChooser()).played
    )


def _killers(case: Case, factory: AgentFactory, plan: Plan) -> tuple[int, tuple[str, ...]]:
    """How many trials a case took, and what it noticed."""
    bench = Bench(case, factory, plan.mode_of(case))
    exploration = explore(bench.trial, strategy_of(plan, case), plan.trials_of(case))
    try:
        for verdict in exploration:
            limit, broken = costly(verdict), verdict.broken() - {case.violates}
            if limit or broken:
                return exploration.trials, (limit,) if limit else tuple(sorted(broken))
            if _missing(case, verdict):
                return exploration.trials, (NOT_EXERCISED,)
    except NotApplicable:
        pass
    except Exception:  # noqa: BLE001 - a user would see it too
        return exploration.trials + 1, (ERROR,)
    return exploration.trials, ()

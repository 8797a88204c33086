"""Shrinking of schedules: from a failing one to the least that still breaks the same rule.

Fewer deviations first, then earlier points, then lower options. Every candidate is replayed from
scratch. It ends with an enumeration of everything below the count found, as far as the budget goes,
and always says why it stopped. Scenarios are shrunk in `reduce`.
"""

from __future__ import annotations

import enum
from collections import Counter
from typing import TYPE_CHECKING

import attrs

from simharness.choices import Schedule, ScheduleChooser
from simharness.plural import plural
from simharness.search import edits
from simharness.search.bounded import Bounded
from simharness.search.edits import Edit, Wanted, WantedChooser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simharness.choices import Chooser, Course
    from simharness.search.explore import RunOnce
    from simharness.verdict import Verdict

__all__ = ["Shrunk", "Why", "shrink"]


class Why(enum.StrEnum):
    """Why shrinking stopped."""

    LEAST = "least"  # proved: nothing with fewer deviations breaks the rule
    BUDGET = "budget"
    FLAKY = "flaky"  # the same schedule gave different trials
    NOT_REPRODUCIBLE = "not reproducible"


@attrs.frozen(eq=False)
class Shrunk:
    """The smallest failing trial that was found. `checked` schedules below its count all hold."""

    verdict: Verdict
    why: Why
    trials: int
    checked: int = 0

    @property
    def schedule(self) -> Schedule:
        """The schedule of the smallest failing trial."""
        return self.verdict.schedule

    def describe(self) -> str:
        """Say how far it came and why it stopped there."""
        count = len(self.schedule)
        size = plural(count, "deviation")
        if self.why is Why.NOT_REPRODUCIBLE:
            return f"not reproducible: the schedule of {size} no longer breaks the rule"
        if self.why is Why.FLAKY:
            return f"flaky: the schedule of {size} does not give the same trial each time"
        if self.why is Why.BUDGET:
            return f"{size} after {self.trials:,} trials; the budget is spent, fewer may do"
        if not count:
            return "least (proved): broken on the default schedule"
        if count == 1:
            return f"least (proved): {size}; the default schedule holds"
        return f"least (proved): {size}; all {self.checked:,} schedules with fewer hold"


def shrink(
    run_once: RunOnce,
    verdict: Verdict,
    rule: str,
    *,
    budget: int = 5000,
    spent: Callable[[], bool] = lambda: False,
    proof: bool = True,
) -> Shrunk:
    """Shrink the schedule of `verdict`, which breaks `rule`, in at most `budget` trials.

    `spent` may say earlier that it is enough: a caller may count seconds, a search does not.
    Without `proof` what is found is never called the least.
    """
    shrinker = _Shrinker(run_once, verdict, rule, budget, spent)
    try:
        why = shrinker.run(proof=proof)
    except _SpentError:
        why = Why.LEAST if shrinker.proved else Why.BUDGET
    return Shrunk(shrinker.best, why, shrinker.trials, shrinker.checked)


class _SpentError(Exception):
    """The budget is spent."""


class _Shrinker:
    """Holds the best failing trial so far and improves it pass by pass."""

    def __init__(
        self,
        run_once: RunOnce,
        verdict: Verdict,
        rule: str,
        budget: int,
        spent: Callable[[], bool],
    ) -> None:
        self._run_once = run_once
        self._rule = rule
        self._budget = budget
        self._spent = spent
        self._tried: set[Wanted] = set()
        self._holding: Counter[int] = Counter()  # schedules of the proof that hold, by deviations
        self.best = verdict
        self.trials = 0
        self.proved = False

    @property
    def checked(self) -> int:
        """How many schedules with fewer deviations than the best were seen to hold."""
        count = len(self.best.schedule)
        return sum(holding for level, holding in self._holding.items() if level < count)

    def run(self, *, proof: bool) -> Why:
        """Shrink as far as possible."""
        problem = self._unsteady()
        if problem is not None:
            return problem
        self._descend()
        if not proof:
            return Why.BUDGET
        self.proved = self._prove()
        return self._unsteady() or (Why.LEAST if self.proved else Why.FLAKY)

    # --- trials -------------------------------------------------------------------------------

    def _trial(self, chooser: Chooser) -> Verdict:
        if self.trials >= self._budget or self._spent():
            raise _SpentError
        self.trials += 1
        return self._run_once(chooser)

    def _unsteady(self) -> Why | None:
        """Replay the best trial; None if the same thing happens again."""
        again = self._trial(ScheduleChooser(self.best.schedule))
        if self._rule in again.broken() and again.trace_hash == self.best.trace_hash:
            return None
        once_more = self._trial(ScheduleChooser(self.best.schedule))
        if any(self._rule in verdict.broken() for verdict in (again, once_more)):
            return Why.FLAKY
        return Why.NOT_REPRODUCIBLE

    def _improves(self, candidate: Wanted) -> bool:
        """Try `candidate`; keep it if it breaks the rule and is smaller than the best."""
        if candidate in self._tried:
            return False
        self._tried.add(candidate)
        verdict = self._trial(WantedChooser(candidate))
        # What counts is the schedule that was really taken, not what was wanted.
        if self._rule not in verdict.broken() or _size(verdict) >= _size(self.best):
            return False
        self.best = verdict
        return True

    # --- passes -------------------------------------------------------------------------------

    def _descend(self) -> None:
        """Make the passes, cheap ones first, until a whole round of them helps nothing."""
        while (
            self._leave_out(edits.drop)
            or self._leave_out(edits.drop_and_shift)
            or self._leave_out(edits.drop_two)
            or self._pass(edits.lower)
        ):
            pass

    def _leave_out(self, edit: Edit) -> bool:
        """Try `edit` on the deviations by number, then by choice."""
        by_number = self._pass(lambda course: edit(edits.by_number(course)))
        by_choice = self._pass(lambda course: edit(edits.by_choice(course)))
        return by_number or by_choice

    def _pass(self, candidates: Callable[[Course], Iterator[Wanted]]) -> bool:
        """Try all candidates made from the best, again from the start after each improvement."""
        improved = False
        while any(self._improves(candidate) for candidate in candidates(self.best.course)):
            improved = True
        return improved

    # --- proof --------------------------------------------------------------------------------

    def _prove(self) -> bool:
        """Enumerate everything with fewer deviations, fewest first; False if it does not replay."""
        count = len(self.best.schedule)
        if not count:
            return True
        search = Bounded(count - 1)
        while (proposal := search.propose()) is not None:
            verdict = self._trial(proposal.chooser())
            search.take(proposal.read(verdict))
            if self._rule in verdict.broken():
                self.best = verdict
                self.proved = True
                self._pass(edits.lower)
                return True
            self._holding[len(verdict.schedule)] += 1
        # The best has one deviation more, so a search that found nothing beyond saw other trials.
        return search.exhausted_to() == count - 1 and not search.exhausted()


def _size(verdict: Verdict) -> tuple[int, int, int]:
    schedule = verdict.schedule
    return (
        len(schedule),
        sum(point for point, _ in schedule),
        sum(option for _, option in schedule),
    )

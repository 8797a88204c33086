"""Shrinking of schedules: from a failing one to the least that still breaks the same rule.

Fewer deviations first, then earlier points, then lower options. Every candidate is replayed from
scratch. It ends with an enumeration of everything below the count found, as far as the budget goes,
and always says why it stopped. Scenarios are shrunk in `reduce`.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import attrs

from simharness.choices import Schedule, ScheduleChooser, as_schedule
from simharness.search.bounded import Bounded

if TYPE_CHECKING:
    from simharness.choices import Chooser
    from simharness.search.explore import RunOnce
    from simharness.verdict import Verdict

__all__ = ["Shrunk", "Why", "shifted", "shrink"]

Edits = Callable[[Schedule], Iterator[Schedule]]

SHIFTS = (-1, 1, -2, 2, -3, 3)
"""How far a dropped deviation moves those behind it: by the points it had made appear or vanish."""


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
        size = f"{count} deviation{'' if count == 1 else 's'}"
        if self.why is Why.NOT_REPRODUCIBLE:
            return f"not reproducible: the schedule of {size} no longer breaks the rule"
        if self.why is Why.FLAKY:
            return f"flaky: the schedule of {size} does not give the same trial each time"
        if self.why is Why.BUDGET:
            return f"{size} after {self.trials:,} trials; the budget is spent, fewer may do"
        if not count:
            return "least (proved): broken on the default schedule"
        return f"least (proved): {size}; all {self.checked:,} schedules with fewer hold"


def shrink(run_once: RunOnce, verdict: Verdict, rule: str, *, budget: int = 5000) -> Shrunk:
    """Shrink the schedule of `verdict`, which breaks `rule`, in at most `budget` trials."""
    shrinker = _Shrinker(run_once, verdict, rule, budget)
    try:
        why = shrinker.run()
    except _SpentError:
        why = Why.LEAST if shrinker.proved else Why.BUDGET
    return Shrunk(shrinker.best, why, shrinker.trials, shrinker.checked)


def shifted(schedule: Schedule, by: int) -> Schedule:
    """Move all deviations of `schedule` by so many points."""
    return tuple((point + by, option) for point, option in schedule)


class _SpentError(Exception):
    """The budget is spent."""


class _Shrinker:
    """Holds the best failing trial so far and improves it pass by pass."""

    def __init__(self, run_once: RunOnce, verdict: Verdict, rule: str, budget: int) -> None:
        self._run_once = run_once
        self._rule = rule
        self._budget = budget
        self._tried: set[Schedule] = set()
        self._holding: Counter[int] = Counter()  # schedules of the proof that hold, by deviations
        self.best = verdict
        self.trials = 0
        self.proved = False

    @property
    def checked(self) -> int:
        """How many schedules with fewer deviations than the best were seen to hold."""
        count = len(self.best.schedule)
        return sum(holding for level, holding in self._holding.items() if level < count)

    def run(self) -> Why:
        """Shrink as far as possible."""
        problem = self._unsteady()
        if problem is not None:
            return problem
        # A list, not `or`: each round makes all three passes.
        while any([self._pass(_dropped), self._pass(_drop_and_shift), self._pass(self._lower)]):
            pass
        self.proved = self._prove()
        return self._unsteady() or (Why.LEAST if self.proved else Why.FLAKY)

    # --- trials -------------------------------------------------------------------------------

    def _trial(self, chooser: Chooser) -> Verdict:
        if self.trials >= self._budget:
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

    def _improves(self, candidate: Schedule) -> bool:
        """Try `candidate`; keep it if it breaks the rule and is smaller than the best."""
        if candidate in self._tried or _size(candidate) >= _size(self.best.schedule):
            return False
        self._tried.add(candidate)
        verdict = self._trial(ScheduleChooser(candidate))
        # A deviation that was never reached or no longer exists is not part of what was run.
        if self._rule not in verdict.broken() or _size(verdict.schedule) > _size(candidate):
            return False
        self.best = verdict
        return True

    # --- passes -------------------------------------------------------------------------------

    def _pass(self, edits: Edits) -> bool:
        """Try all edits of the best schedule, again from the start after each improvement."""
        improved = False
        while any(self._improves(candidate) for candidate in edits(self.best.schedule)):
            improved = True
        return improved

    def _lower(self, schedule: Schedule) -> Iterator[Schedule]:
        """Move one deviation to an earlier point with the same option, or take a lower option."""
        course = self.best.course
        for number, (point, option) in enumerate(schedule):
            before, behind = schedule[:number], schedule[number + 1 :]
            label = course[point].options[option].label
            first = before[-1][0] + 1 if before else 0
            for earlier in _earlier(first, point):
                # Up to `point` the trial is the best one, so its labels are known.
                labels = [offered.label for offered in course[earlier].options]
                if label in labels[1:]:
                    moved = (*before, (earlier, labels.index(label, 1)))
                    yield (*moved, *behind)
                    for by in (earlier - point, *SHIFTS):
                        yield from _joined(moved, shifted(behind, by))
            for lower in range(1, option):
                yield (*before, (point, lower), *behind)

    # --- proof --------------------------------------------------------------------------------

    def _prove(self) -> bool:
        """Enumerate everything with fewer deviations, fewest first; False if it does not replay."""
        count = len(self.best.schedule)
        if not count:
            return True
        search = Bounded(count - 1)
        while (chooser := search.begin()) is not None:
            verdict = self._trial(chooser)
            search.end(verdict)
            if self._rule in verdict.broken():
                self.best = verdict
                self.proved = True
                self._pass(self._lower)
                return True
            self._holding[len(verdict.schedule)] += 1
        return search.exhausted() or search.exhausted_to() == count - 1


def _size(schedule: Schedule) -> tuple[int, int, int]:
    return (
        len(schedule),
        sum(point for point, _ in schedule),
        sum(option for _, option in schedule),
    )


def _dropped(schedule: Schedule) -> Iterator[Schedule]:
    """Leave out a half, a quarter ... at last a single deviation."""
    width = len(schedule)
    while width:
        for start in range(0, len(schedule), width):
            yield schedule[:start] + schedule[start + width :]
        width //= 2


def _drop_and_shift(schedule: Schedule) -> Iterator[Schedule]:
    """Leave out one deviation and move those behind it."""
    for number in range(len(schedule) - 1):
        for by in SHIFTS:
            yield from _joined(schedule[:number], shifted(schedule[number + 1 :], by))


def _joined(before: Schedule, behind: Schedule) -> Iterator[Schedule]:
    """Yield both as one schedule, if they do not overlap."""
    last = before[-1][0] if before else -1
    if not behind or behind[0][0] > last:
        yield as_schedule((*before, *behind))


def _earlier(first: int, point: int) -> Iterator[int]:
    """Yield points from `first` up to before `point`, the farthest first, in shrinking steps."""
    distance = point - first
    while distance > 0:
        yield point - distance
        distance //= 2

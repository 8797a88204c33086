"""Shrinking of values: from a failing scenario to the smallest that still breaks the same rule.

The value is opaque: whoever knows scenarios offers smaller ones and runs them. A smaller scenario
offers other choices, so the failure is searched for again, near the old schedule first.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Generic, TypeVar

import attrs

from simharness.choices import ScheduleChooser
from simharness.search import edits
from simharness.search.bounded import Bounded
from simharness.search.default import Default
from simharness.search.edits import WantedChooser
from simharness.search.explore import explore
from simharness.search.portfolio import Portfolio
from simharness.search.sweep import Sweep
from simharness.search.words import WordsChooser, in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simharness.choices import Chooser
    from simharness.search.edits import Wanted
    from simharness.search.explore import RunOnce
    from simharness.search.plan import Known
    from simharness.verdict import Verdict

__all__ = ["Reduced", "find_again", "shrink_value"]

V = TypeVar("V")


@attrs.frozen(eq=False)
class Reduced(Generic[V]):
    """The smallest failing value that was found, with a trial that breaks the rule.

    `least`: none of the values that `smaller` offers for it fails; else the budget was spent.
    """

    value: V
    verdict: Verdict
    attempts: int
    least: bool

    def describe(self) -> str:
        """Say how many values were tried and why it stopped."""
        why = "none of its smaller forms fails" if self.least else "the budget is spent"
        return f"{self.attempts:,} scenarios tried; {why}"


def shrink_value(
    value: V,
    verdict: Verdict,
    *,
    smaller: Callable[[V], Iterator[V]],
    attempt: Callable[[V, Verdict], Verdict | None],
    budget: int = 500,
    spent: Callable[[], bool] = lambda: False,
) -> Reduced[V]:
    """Replace `value` by the first of its smaller forms that still fails, until none does.

    `attempt` gets a candidate and the last failing verdict, and returns a verdict of the candidate
    that breaks the same rule, or None. `budget` counts attempts; `spent` may say earlier that it is
    enough. After a success the forms go on where they were, because those before it were just seen
    to hold; at the end all are tried again.
    """
    attempts = 0
    resume = 0
    while True:
        found, tried = None, 0
        for tried, candidate in enumerate(_from(smaller, value, resume)):
            if attempts == budget or spent():
                return Reduced(value, verdict, attempts, least=False)
            attempts += 1
            found = attempt(candidate, verdict)
            if found is not None:
                value, verdict, resume = candidate, found, resume + tried
                break
        if found is None and not resume:
            return Reduced(value, verdict, attempts, least=True)
        if found is None:
            resume = 0


def _from(smaller: Callable[[V], Iterator[V]], value: V, start: int) -> Iterator[V]:
    return itertools.islice(smaller(value), start, None)


def find_again(
    run_once: RunOnce, verdict: Verdict, rule: str, *, budget: int = 60
) -> Verdict | None:
    """Look for a trial that breaks `rule` in a program that is close to that of `verdict`.

    First the default schedule, then the old deviations, in words, by number and by choice, and
    moved by a few points; then each place of an action, and the others with up to as many
    deviations: what needs more is not smaller. `budget` counts trials.
    """
    spent = 0
    most = len(verdict.schedule)
    for chooser in itertools.islice(_nearby(verdict), budget):
        spent += 1
        found = run_once(chooser)
        if rule in found.broken() and len(found.schedule) <= most:
            return found
    known: Known = {}
    search = Portfolio((Default(known), Sweep(known), Bounded(most, known)))
    for found in explore(run_once, search, budget - spent):
        if rule in found.broken() and len(found.schedule) <= most:
            return found
    return None


def _nearby(verdict: Verdict) -> Iterator[Chooser]:
    """The old deviations moved as a whole. A smaller program has fewer points: earlier first."""
    course = verdict.course
    yield ScheduleChooser()
    yield WordsChooser(in_words(course))
    tried: set[Wanted] = set()
    for by in sorted(edits.SHIFTS, key=lambda by: (abs(by), by)):
        for wanted in (edits.by_choice(course), edits.by_number(course)):
            moved = edits.shifted(wanted, by)
            if moved not in tried and (not moved or moved[0][0] >= 0):
                tried.add(moved)
                yield WantedChooser(moved)

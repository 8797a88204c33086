"""What a rule is: a value with a sentence, a check, and the words that explain it.

A rule is a pure function of a trace and a contract. It never sees a live agent, a scenario or a
schedule, so a stored trace can be judged again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal

import attrs

from simharness.contract import Contract
from simharness.trace import Trace
from simharness.verdict import Judgement, Violation

__all__ = ["NOTHING", "Check", "Family", "Pair", "Rule", "Tier", "judged"]

Tier = Literal["core", "declared", "store"]
Family = Literal["history", "tools", "events", "cancel", "liveness"]
Check = Callable[[Trace, Contract], Judgement]
Pair = Callable[[Trace, Trace, Contract], Judgement]

NOTHING = Judgement()
"""The judgement of a rule that had no occasion; shared, because most rules have none."""


def judged(
    occasions: int, violations: Sequence[Violation] = (), notes: Sequence[str] = ()
) -> Judgement:
    """The judgement of a rule. Most find nothing, and those are shared: making one costs."""
    if violations or notes:
        return Judgement(occasions, tuple(violations), tuple(notes))
    return _clean(occasions)


@lru_cache(maxsize=256)
def _clean(occasions: int) -> Judgement:
    return Judgement(occasions)


@attrs.frozen(kw_only=True)
class Rule:
    """One rule. `id` is the name used in files, reports and waivers, letter for letter.

    `needs` are contract fields without which the rule is not applicable. `reports` are record
    families; an agent that reports none of them cannot be judged (empty: witnessed records are
    enough). A rule with a `pair` judges two trials of one script, one streamed and one plain, and
    nothing in a single trace. A `timed` one reads virtual seconds, which only mean something where
    nothing was made late. `why`, `good` and `bad` are for people: what goes wrong in the
    field, and two short timelines.
    """

    id: str
    tier: Tier
    family: Family
    sentence: str
    check: Check
    why: str
    good: str
    bad: str
    needs: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    pair: Pair | None = None
    timed: bool = False

    def applicable(self, contract: Contract) -> bool:
        """Whether the agent declares and reports what the rule needs."""
        if self.needs and not all(contract.declares(field) for field in self.needs):
            return False
        if self.pair is not None and contract.streaming != "both":
            return False
        return not self.reports or not contract.reports.isdisjoint(self.reports)

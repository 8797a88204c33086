"""Adds up the verdicts of one case: what was broken how often, what was played, what was seen.

Of each cause only the smallest trial is kept, so that thousands of trials need little memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.campaign.ending import Ending
from simharness.campaign.results import CaseResult, Example, Finding
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from simharness.campaign.results import Identity
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["Tally"]

_NOTES_KEPT = 20  # different notes per case; more say nothing new


class Tally:
    """The verdicts of one case, added one by one."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.occasions: set[str] = set()
        self.notes: dict[str, None] = {}
        self._played: set[str] = set()
        self._findings: dict[tuple[str, str], Finding] = {}
        self._ended: dict[str, Ending] = {}

    def add(self, verdict: Verdict) -> None:
        """Take one trial in."""
        self._played |= verdict.played
        self.occasions |= verdict.occasions
        for note in verdict.notes:
            if len(self.notes) < _NOTES_KEPT:
                self.notes[note] = None
        before = self._ended.get(verdict.ending)
        self._ended[verdict.ending] = (
            Ending.of(verdict) if before is None else before.again(verdict)
        )
        # A cause counts once per trial, however often it shows in it.
        causes = {(v.rule, v.message): v for v in reversed(verdict.violations)}
        for key, violation in causes.items():
            new = Finding(*key, count=1, example=Example(self.case, verdict, violation))
            old = self._findings.get(key)
            joined = new if old is None else old.joined(new)
            self._findings[key] = attrs.evolve(joined, cases=1)

    def result(self, agent: Identity | None) -> CaseResult:
        """What was seen, without what was broken and how far the search got."""
        return CaseResult(
            self.case,
            CaseVerdict.HOLDS,
            agent,
            not_exercised=tuple(self.not_exercised()),
            notes=tuple(self.notes),
            ended=tuple(self.ended()),
            occasions=frozenset(self.occasions),
        )

    def findings(self) -> list[Finding]:
        """What was broken, the smallest example first."""
        return sorted(self._findings.values(), key=lambda f: (f.example.size(), f.rule, f.message))

    def ended(self) -> list[Ending]:
        """The different endings, the one that was seen first before the others."""
        return list(self._ended.values())

    def not_exercised(self) -> list[str]:
        """What the scenario wrote down and no trial played, in a stable order."""
        missing = sorted(self.case.promised() - self._played)
        missing += [f"needs {rule}" for rule in self.case.needs if rule not in self.occasions]
        return missing

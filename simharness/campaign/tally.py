"""Adds up the verdicts of one case: what was broken how often, what was played, what was seen.

Of each cause only the smallest trial is kept, and of all trials the first, so that thousands need
little memory. What other processes have counted can be added as well: interleavings that both saw
count once.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import attrs

from simharness.campaign.ending import Ending
from simharness.campaign.results import CaseResult, Example, Finding
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simharness.campaign.results import Identity
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["Cause", "Tally"]

Cause = tuple[str, str]
"""A rule and the message of how it is broken."""

_NOTES_KEPT = 20  # different notes per case; more say nothing new


@attrs.frozen
class _Row:
    """What one interleaving showed."""

    ending: str
    causes: tuple[Cause, ...]


class Tally:
    """The verdicts of one case, added one by one. It can be pickled."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.occasions: set[str] = set()
        self.notes: dict[str, None] = {}
        self._played: set[str] = set()
        self._findings: dict[Cause, Finding] = {}
        self._ended: dict[str, Ending] = {}
        self._rows: dict[str, _Row] = {}  # by trace hash
        self._sample: Verdict | None = None

    def add(self, verdict: Verdict) -> bool:
        """Take one trial in; False if its interleaving is counted already."""
        if verdict.trace_hash in self._rows:
            return False
        self._played |= verdict.played
        self.occasions |= verdict.occasions
        self._note(verdict.notes)
        before = self._ended.get(verdict.ending)
        self._ended[verdict.ending] = (
            Ending.of(verdict) if before is None else before.again(verdict)
        )
        self._count(verdict)
        self._sample = self._sample or verdict
        return True

    def _count(self, verdict: Verdict) -> None:
        # A cause counts once per trial, however often it shows in it.
        causes = {(v.rule, v.message): v for v in reversed(verdict.violations)}
        self._rows[verdict.trace_hash] = _Row(verdict.ending, tuple(causes))
        for key, violation in causes.items():
            self._keep(Finding(*key, count=1, example=Example(self.case, verdict, violation)))

    def join(self, other: Tally) -> None:
        """Take in what `other` counted.

        Counts come out as if each trial had been added here. The examples may be smaller: one of
        two trials with the same interleaving is then the smaller one.
        """
        self._played |= other._played
        self.occasions |= other.occasions
        self._note(other.notes)
        self._sample = self._sample or other._sample
        new = {key: row for key, row in other._rows.items() if key not in self._rows}
        self._rows.update(new)
        endings = Counter(row.ending for row in new.values())
        for ending, count in endings.items():
            found = attrs.evolve(other._ended[ending], count=count)
            known = self._ended.get(ending)
            self._ended[ending] = found if known is None else known.joined(found)
        causes = Counter(cause for row in new.values() for cause in row.causes)
        for cause, count in causes.items():
            self._keep(attrs.evolve(other._findings[cause], count=count))

    def _note(self, notes: Iterable[str]) -> None:
        for note in notes:
            if len(self.notes) < _NOTES_KEPT:
                self.notes[note] = None

    def _keep(self, finding: Finding) -> None:
        key = (finding.rule, finding.message)
        old = self._findings.get(key)
        joined = finding if old is None else old.joined(finding)
        self._findings[key] = attrs.evolve(joined, cases=1)

    def check_examples(self, replayed: Callable[[list[Finding]], list[Finding]]) -> None:
        """Have the smallest example of each cause run again; see `Finding.replayed`."""
        self._findings = {(f.rule, f.message): f for f in replayed(self.findings())}

    def result(self, agent: Identity | None) -> CaseResult:
        """What was seen, without what was broken and how far the search got."""
        return CaseResult(
            self.case,
            CaseVerdict.HOLDS,
            agent,
            not_exercised=() if _of_another(self.case, agent) else tuple(self.not_exercised()),
            notes=tuple(self.notes),
            ended=tuple(self.ended()),
            occasions=frozenset(self.occasions),
            sample=self._sample,
        )

    def findings(self) -> list[Finding]:
        """What was broken, the smallest example first."""
        return sorted(self._findings.values(), key=lambda f: (f.example.size(), f.rule, f.message))

    @property
    def interleavings(self) -> int:
        """How many different traces there were."""
        return len(self._rows)

    @property
    def failures(self) -> int:
        """How many causes there are that the case neither expects nor waives."""
        harmless = {self.case.violates, *self.case.waive}
        return sum(rule not in harmless for rule, _ in self._findings)

    def ended(self) -> list[Ending]:
        """The different endings, the one that was seen first before the others."""
        return list(self._ended.values())

    def not_exercised(self) -> list[str]:
        """What the scenario wrote down and no trial played, in a stable order."""
        missing = sorted(self.case.promised() - self._played)
        missing += [f"needs {rule}" for rule in self.case.needs if rule not in self.occasions]
        return missing


def _of_another(case: Case, agent: Identity | None) -> bool:
    """Whether a case describes one system, and the loop behaves as another one.

    Then it is played for the rules: what the one does there, the other need not do.
    """
    profile = "" if agent is None else agent.profile
    return bool(profile and case.profile) and profile != case.profile

"""Verdicts: what the rules found in one trial, and in one case over all its trials."""

from __future__ import annotations

import enum
from collections.abc import Mapping

import attrs

from simharness.choices import Course, Schedule, deviations
from simharness.exitcodes import ExitCode
from simharness.trace import Trace

__all__ = [
    "CaseVerdict",
    "ExitCode",
    "HarnessError",
    "Judgement",
    "Verdict",
    "Violation",
]


class HarnessError(Exception):
    """A fault of ours, never of the scenario or the agent."""


class CaseVerdict(enum.StrEnum):
    """How one case ended over all its trials."""

    HOLDS = "holds"
    VIOLATED = "violated"
    EXPECTED_VIOLATION = "expected-violation"
    NOT_EXERCISED = "not-exercised"
    NOT_APPLICABLE = "not-applicable"
    WAIVED = "waived"
    ERROR = "error"


@attrs.frozen
class Violation:
    """One broken rule. `rule` is a rule id or `expect.<key>`.

    `message` is one sentence of what happened, free of trial-specific numbers where possible so
    that equal causes group. `evidence` are record numbers in the trace that show it.
    """

    rule: str
    message: str
    evidence: tuple[int, ...] = ()


@attrs.frozen
class Judgement:
    """What one rule says about one trace.

    `occasions` counts how often the rule had something to judge; 0 means that it proves nothing.
    `notes` are observations that break nothing.
    """

    occasions: int = 0
    violations: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()


@attrs.frozen(eq=False)
class Verdict:
    """One trial, judged. This is all that a search strategy sees of it."""

    violations: tuple[Violation, ...]
    notes: tuple[str, ...]
    occasions: frozenset[str]  # ids of the rules that had something to judge
    course: Course  # the choice points and what was chosen
    trace_hash: str  # equal: the same interleaving
    ending: str  # equal: the same outcomes and the same final history
    played: frozenset[str] = frozenset()  # what the scenario wrote and this trial played
    trace: Trace | None = None  # kept for reports; never read by a search

    @property
    def schedule(self) -> Schedule:
        """The schedule that replays this trial."""
        return deviations(self.course)

    def joined(self, judgements: Mapping[str, Judgement]) -> Verdict:
        """This verdict with what more rules found, by rule id."""
        found = judgements.values()
        return attrs.evolve(
            self,
            violations=(*self.violations, *(v for one in found for v in one.violations)),
            notes=(*self.notes, *(note for one in found for note in one.notes)),
            occasions=self.occasions.union(
                rule for rule, one in judgements.items() if one.occasions
            ),
        )

    def broken(self) -> frozenset[str]:
        """The ids of the rules this trial breaks."""
        return frozenset(violation.rule for violation in self.violations)

"""Violations that do not fail: those the project waives, and those its baseline knows.

Works on finished results: what is excused moves from the findings to the waived ones, with the
reason. Keeps count, so that a report can say what is waived for nothing and what has vanished.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import attrs

from simharness.plural import plural
from simharness.project.baseline import REASON
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from simharness.campaign.results import CaseResult, Finding, SuiteResult
    from simharness.project.baseline import Baseline, Known
    from simharness.project.settings import Waiver

__all__ = ["Excuses"]

_SHOWN = 20  # causes that are listed as vanished


@attrs.define(eq=False)
class Excuses:
    """What is excused in one command or session. `today` decides which waivers still hold."""

    waivers: Sequence[Waiver]
    baseline: Baseline | None
    today: dt.date
    _cases: set[str] = attrs.field(init=False, factory=set)
    _seen: set[Known] = attrs.field(init=False, factory=set)
    _used: set[Waiver] = attrs.field(init=False, factory=set)
    _overdue: set[Waiver] = attrs.field(init=False, factory=set)

    def apply(self, result: CaseResult) -> CaseResult:
        """`result` with what is excused among the waived, and the verdict that follows."""
        case = result.case
        self._cases.add(case.id)
        reasons = {
            id(found): reason
            for found in result.findings
            if (reason := self._reason(case.id, found))
        }
        for found in (*result.findings, *result.waived, *result.expected):
            self._seen.add((case.id, found.rule, found.message))
        if not reasons:
            return result
        excused = tuple(found for found in result.findings if id(found) in reasons)
        rest = tuple(found for found in result.findings if id(found) not in reasons)
        waive = {found.rule: reasons[id(found)] for found in excused} | dict(case.waive)
        return attrs.evolve(
            result,
            case=attrs.evolve(case, waive=waive),
            verdict=_verdict(result, rest),
            findings=rest,
            waived=(*result.waived, *excused),
        )

    def applied(self, suite: SuiteResult) -> SuiteResult:
        """`suite` with every result excused, and remarked on."""
        results = tuple(self.apply(result) for result in suite.results)
        return self.remarked(attrs.evolve(suite, results=results))

    def remarked(self, suite: SuiteResult) -> SuiteResult:
        """`suite` with what there is to say about what was applied."""
        return attrs.evolve(suite, remarks=(*suite.remarks, *self.remarks()))

    def remarks(self) -> list[str]:
        """What a reader should know: waivers out of date or unused, how the baseline compares."""
        lines = [
            f"the waiver of {waiver.rule} ({waiver.place}) expired on {waiver.expires}: "
            f"{waiver.reason}"
            for waiver in self.waivers
            if waiver in self._overdue
        ]
        lines += [
            f"the waiver of {waiver.rule} ({waiver.place}) waived nothing"
            for waiver in self.waivers
            if waiver not in self._used | self._overdue and self._concerns(waiver)
        ]
        return lines if self.baseline is None else [*lines, *self._compared(self.baseline)]

    def _compared(self, baseline: Baseline) -> list[str]:
        still = baseline.known & self._seen
        gone = [known for known in baseline.known - self._seen if known[0] in self._cases]
        head = (
            f"{plural(len(still), 'known violation')} of {baseline.file} still there, "
            f"{len(gone)} vanished"
        )
        causes = sorted(Counter((rule, said) for _, rule, said in gone).items())
        lines = [
            f"vanished from {plural(cases, 'case')}: {rule}: {said}"
            for (rule, said), cases in causes[:_SHOWN]
        ]
        more = [f"and {len(causes) - _SHOWN} more causes vanished"] * (len(causes) > _SHOWN)
        return [head, *lines, *more]

    def _concerns(self, waiver: Waiver) -> bool:
        return any(_matches(waiver, case) for case in self._cases)

    def _reason(self, case: str, found: Finding) -> str:
        for waiver in self.waivers:
            if waiver.rule == found.rule and _matches(waiver, case):
                if waiver.expires >= self.today:
                    self._used.add(waiver)
                    return f"{waiver.reason} (until {waiver.expires})"
                self._overdue.add(waiver)
        if self.baseline is not None and self.baseline.knows(case, found):
            return f"{REASON}{self.baseline.file}"
        return ""


def _matches(waiver: Waiver, case: str) -> bool:
    pattern = ".*".join(map(re.escape, waiver.case.split("*")))
    return re.fullmatch(pattern, case) is not None


def _verdict(result: CaseResult, rest: Sequence[Finding]) -> CaseVerdict:
    if rest or result.reason:  # a reason beside findings: a pin is out of date
        return result.verdict
    return CaseVerdict.EXPECTED_VIOLATION if result.expected else CaseVerdict.WAIVED

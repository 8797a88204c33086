"""From findings to the verdict of a case: what breaks it, what it pins, what it waives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.campaign.results import CaseResult, Finding

__all__ = ["concluded"]


def concluded(result: CaseResult, findings: Sequence[Finding], *, pinned: str | None) -> CaseResult:
    """`result` with its findings sorted out and its verdict.

    `pinned` is the rule that the scenario says is broken. It holds if at least one schedule breaks
    it; if none does the pin is out of date, and that fails. A broken rule that is neither pinned
    nor waived always fails.
    """
    expected = tuple(f for f in findings if f.rule == pinned)
    waived = tuple(f for f in findings if f.rule in result.case.waive and f.rule != pinned)
    others = tuple(f for f in findings if f not in expected and f not in waived)
    reason = ""
    if pinned is not None and not expected:
        reason = (
            f"the scenario says that {pinned} is violated, "
            f"but none of {result.interleavings} explored schedules breaks it"
        )
    return attrs.evolve(
        result,
        verdict=_verdict(result, others, expected, waived, out_of_date=bool(reason)),
        findings=others,
        expected=expected,
        waived=waived,
        reason=reason,
    )


def _verdict(
    result: CaseResult,
    others: Sequence[Finding],
    expected: Sequence[Finding],
    waived: Sequence[Finding],
    *,
    out_of_date: bool,
) -> CaseVerdict:
    if others or out_of_date:
        return CaseVerdict.VIOLATED
    if expected:
        return CaseVerdict.EXPECTED_VIOLATION
    if waived:
        return CaseVerdict.WAIVED
    return CaseVerdict.NOT_EXERCISED if result.not_exercised else CaseVerdict.HOLDS

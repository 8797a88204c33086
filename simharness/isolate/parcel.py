"""Results on their way from a worker: its parent has the case, which is half of what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from simharness.campaign.results import CaseResult, Finding
    from simharness.scenario.model import Case

__all__ = ["moved"]


def moved(result: CaseResult, case: Case | None) -> CaseResult:
    """The result with `case` wherever its own stands: None to send it, the case once it is here.

    Examples that were made smaller have other cases, which stay.
    """
    own: Any = result.case
    new: Any = case

    def each(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return tuple(
            attrs.evolve(found, example=attrs.evolve(found.example, case=new))
            if found.example.case is own
            else found
            for found in findings
        )

    return attrs.evolve(
        result,
        case=new,
        findings=each(result.findings),
        expected=each(result.expected),
        waived=each(result.waived),
    )

"""From the reports of one framework to its row of the matrix."""

from __future__ import annotations

from typing import Any

import attrs

__all__ = ["Cause", "Row", "row_of"]

Report = dict[str, Any]

_STRONGER = ("violated", "holds", "not exercised")
"""Of two searches the one that says more counts."""


@attrs.frozen
class Cause:
    """One rule broken in one way; the smallest example of all cases that show it."""

    rule: str
    message: str
    cases: int
    deviations: int
    case: str
    replay: str
    scenario: str
    explanation: tuple[str, ...] = ()


@attrs.frozen
class Row:
    """One framework: what became of each rule, each cause once, and how far the search got."""

    agent: str
    version: str
    python: str
    trials: int
    not_reached: int
    errors: int
    rules: dict[str, str]
    causes: tuple[Cause, ...]


def row_of(agent: str, reports: list[Report]) -> Row:
    """Put the sweep and the suite of a framework together."""
    first = reports[0]
    return Row(
        agent=agent,
        version=first["agent"]["version"],
        python=first["python"],
        trials=sum(report["summary"]["trials"] for report in reports),
        not_reached=sum(report["summary"]["skipped"] for report in reports),
        errors=sum(report["summary"]["errors"] for report in reports),
        rules={
            rule: _joined([r["rules"].get(rule, "") for r in reports]) for rule in first["rules"]
        },
        causes=tuple(_causes(reports)),
    )


def _joined(states: list[str]) -> str:
    """What became of a rule over several searches."""
    return next((word for word in _STRONGER if word in states), states[0])


def _causes(reports: list[Report]) -> list[Cause]:
    """Each rule and message once, with its smallest example; most cases first."""
    found: dict[tuple[str, str], list[Cause]] = {}
    for report in reports:
        for case in report["cases"]:
            for one in case["violations"]:
                key = (one["rule"], one["message"])
                found.setdefault(key, []).append(_cause(case, one))
    causes = [
        attrs.evolve(min(same, key=lambda c: (c.deviations, len(c.scenario))), cases=len(same))
        for same in found.values()
    ]
    return sorted(causes, key=lambda cause: (cause.rule, -cause.cases, cause.message))


def _cause(case: Report, one: Report) -> Cause:
    return Cause(
        rule=one["rule"],
        message=one["message"],
        cases=1,
        deviations=one["deviations"],
        case=case["id"],
        replay=one["replay"],
        scenario=one["scenario"],
        explanation=tuple(one["explanation"]),
    )

"""The report for machines: JSON, format 1, only ever extended.

Equal input gives equal bytes: everything that a clock says stands under the one key `timing`.
"""

from __future__ import annotations

import json
import platform
import re
from typing import TYPE_CHECKING

import simharness
from simharness.report.lanes import rows_of
from simharness.report.visible import HIDDEN
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simharness.campaign.results import CaseResult, Finding, Identity, SuiteResult
    from simharness.report.rows import Row

__all__ = ["FORMAT", "dump", "finding_object", "header", "suite_object"]

FORMAT = 1

Object = dict[str, object]


def dump(value: Object) -> str:
    """`value` as text: keys in the order given, one line break at the end.

    Characters that no viewer shows, or that no file can hold, are written as JSON's own escapes.
    """
    return HIDDEN.sub(_escaped, json.dumps(value, indent=1, ensure_ascii=False)) + "\n"


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def header() -> Object:
    """What every document begins with."""
    return {
        "format": FORMAT,
        "simharness": simharness.__version__,
        "python": platform.python_version(),
    }


def suite_object(
    suite: SuiteResult,
    *,
    silent: Sequence[str],
    timing: Mapping[str, float] | None,
    rules: Mapping[str, str] | None = None,
) -> Object:
    """The whole result of a command.

    `silent` are the rules that never had an occasion, `rules` says what became of each.
    """
    value = header() | {
        "agent": _agent(suite.agent),
        "mode": suite.mode,
        "summary": _summary(suite),
        "rules_without_occasion": list(silent),
        "rules": dict(rules or {}),
        "remarks": list(suite.remarks),
        "cases": [case_object(result) for result in suite.results],
    }
    return value if timing is None else value | {"timing": dict(timing)}


def finding_object(finding: Finding) -> Object:
    """One violation with its smallest example."""
    example = finding.example
    trace = example.verdict.trace
    evidence = example.violation.evidence
    rows = rows_of(trace, example.verdict.course, evidence) if trace is not None else []
    return {
        "rule": finding.rule,
        "message": finding.message,
        "deviations": len(example.schedule),
        "count": finding.count,
        "replay": finding.replay,
        "explanation": list(finding.explanation),
        **({"strict": finding.strict} if finding.strict else {}),
        "scenario": example.case.source,
        "timeline": [timeline_row(row) for row in rows],
    }


def timeline_row(row: Row) -> Object:
    """One row of an interleaving; lanes that say nothing are left out."""
    value: Object = {"time": round(row.time, 6), "run": row.run}
    value.update({str(lane): said for lane, said in row.cells.items()})
    if row.deviates:
        value["deviation"] = True
    if row.evidence:
        value["evidence"] = True
    if row.details:
        value["details"] = list(row.details)
    return value


def _agent(agent: Identity | None) -> Object:
    if agent is None:
        return {"name": "", "version": "", "contract": {}}
    profile = {"profile": agent.profile} if agent.profile else {}
    who = {"name": agent.name, "version": agent.version, **profile}
    return {**who, "contract": agent.contract.spoken()}


def _summary(suite: SuiteResult) -> Object:
    counts = {verdict: suite.count(verdict) for verdict in CaseVerdict}
    return {
        "cases": len(suite.results),
        "holds": counts[CaseVerdict.HOLDS],
        "violated": counts[CaseVerdict.VIOLATED],
        "expected_violation": counts[CaseVerdict.EXPECTED_VIOLATION],
        "not_exercised": counts[CaseVerdict.NOT_EXERCISED],
        "not_applicable": counts[CaseVerdict.NOT_APPLICABLE],
        "waived": counts[CaseVerdict.WAIVED],
        "errors": counts[CaseVerdict.ERROR],
        "skipped": suite.skipped,
        "trials": suite.total("trials"),
        "interleavings": suite.total("interleavings"),
        "endings": suite.total("endings"),
    }


def case_object(result: CaseResult) -> Object:
    """One case as an object of the report."""
    case = result.case
    return {
        "id": case.id,
        "file": case.place.file,
        "line": case.place.line,
        "verdict": result.verdict.value,
        "trials": result.trials,
        "interleavings": result.interleavings,
        "endings": result.endings,
        "exhausted_to": result.exhausted_to,
        "not_exercised": list(result.not_exercised),
        "notes": list(result.notes),
        "reason": result.reason,
        "violations": [finding_object(finding) for finding in result.findings],
        "expected": [finding_object(finding) for finding in result.expected],
        "waived": [
            {**finding_object(finding), "reason": case.waive.get(finding.rule, "")}
            for finding in result.waived
        ],
    }

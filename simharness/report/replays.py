"""A replayed trial for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.report.json import timeline_row
from simharness.report.lanes import render, rows_of

if TYPE_CHECKING:
    from simharness.campaign.reproduce import Rerun

__all__ = ["as_object", "as_text"]


def as_text(done: Rerun, *, quiet: bool = False, verbose: bool = False) -> str:
    """What became of the trial, what it breaks, and its interleaving unless `quiet`.

    `verbose` adds every record of the trace.
    """
    broken = done.verdict.violations
    lines = [f"{done.result.upper()} {done.case.id}, agent {done.agent.name} {done.agent.version}"]
    if not done.match.exact:
        lines.append(f"The trial {done.match}.")
        lines += _looked(done)
    lines += [f"Not as recorded: {change}" for change in done.changed]
    lines += [f"FAILED {violation.rule}: {violation.message}" for violation in broken]
    if done.verdict.trace is not None and not quiet:
        lines += ["", render(done.verdict.trace, done.verdict.course, _evidence(done))]
    if done.verdict.trace is not None and verbose:
        lines += ["", done.verdict.trace.text().rstrip()]
    return "\n".join(lines)


def _looked(done: Rerun) -> list[str]:
    """What came of looking for the failure at other points."""
    points = "1 point" if abs(done.moved) == 1 else f"{abs(done.moved)} points"
    if done.moved:
        where = "later" if done.moved > 0 else "earlier"
        return [f"Under the recorded schedule it holds; it fails with that {points} {where}:"]
    if done.looked:
        return [f"It holds with the deviations at {done.looked} places before and behind, too."]
    return []


def as_object(done: Rerun) -> dict[str, object]:
    """The same as JSON; no clock is in it."""
    trace = done.verdict.trace
    rows = rows_of(trace, done.verdict.course, _evidence(done)) if trace is not None else []
    return {
        "replay": done.code.encode(),
        "case": done.case.id,
        "agent": {"name": done.agent.name, "version": done.agent.version},
        "mode": done.code.mode,
        "result": done.result,
        "match": str(done.match),
        "moved": done.moved,
        "changed": list(done.changed),
        "deviations": len(done.verdict.schedule),
        "violations": [
            {"rule": violation.rule, "message": violation.message}
            for violation in done.verdict.violations
        ],
        "timeline": [timeline_row(row) for row in rows],
    }


def _evidence(done: Rerun) -> tuple[int, ...]:
    return tuple(sorted({n for violation in done.verdict.violations for n in violation.evidence}))

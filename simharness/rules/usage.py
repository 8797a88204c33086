"""The rule about usage: each stream is counted once, as it was last reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simharness.contract import Contract
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import AttemptKept, LogLost, LogRow, Trace, UsageTaken
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "usage"]


def usage(trace: Trace, contract: Contract) -> Judgement:
    """Judge that each stream's usage is booked once, as last reported, and unknown stays absent."""
    family = "log" if "log" in contract.reports else "attempt"
    facts = read(trace, contract)
    taken: dict[tuple[int, int], tuple[int, int]] = {}
    for report in trace.of(UsageTaken):
        taken[report.run, report.request] = (report.input, report.output)
    kept: Sequence[LogRow | AttemptKept] = trace.of(AttemptKept)
    booked = [
        row
        for row in (trace.of(LogRow) if family == "log" else kept)
        if row.run in facts.runs and not row.derived
    ]
    occasions = len(booked) + (len(taken) if family == "log" else 0)
    if not occasions:
        return NOTHING
    violations: list[Violation] = []
    rows: dict[tuple[int, int], list[LogRow | AttemptKept]] = {}
    for row in booked:
        rows.setdefault((row.run, _request(facts.runs[row.run], row, booked)), []).append(row)
    for place, found in rows.items():
        violations += _misbooked(place, found, taken.get(place))
    if family == "log":
        lost = Counter(row.run for row in trace.of(LogLost))
        missing = sorted(taken.keys() - rows.keys())
        few = Counter(place[0] for place in missing)
        for place in (place for place in missing if few[place[0]] > lost[place[0]]):
            run = facts.runs.get(place[0])
            if run is not None and run.settled is not None and not run.left:
                text = f"The usage of request {place[1]} of run {place[0]} is in no log row."
                violations.append(Violation("usage-once", text, (run.over,)))
    violations += _summed(facts, taken)
    return judged(occasions, violations)


def _summed(facts: Facts, taken: dict[tuple[int, int], tuple[int, int]]) -> list[Violation]:
    """Ends of runs whose usage is not what their streams reported last, added up."""
    found = []
    for run in facts.runs.values():
        begun = run.prompted
        for end in run.ends:
            places = [
                (run.number, request.request)
                for request in run.requests
                if begun < request.n < end.n
            ]
            known = [taken[place] for place in places if place in taken]
            total = (sum(one[0] for one in known), sum(one[1] for one in known))
            if end.usage is not None and end.usage != total:
                text = f"The usage of run {run.number} is not the sum of what its streams reported."
                found.append(Violation("usage-once", text, (end.n,)))
            begun = end.n
    return found


def _request(run: RunFacts, row: LogRow | AttemptKept, rows: Sequence[LogRow | AttemptKept]) -> int:
    """The request that an attempt stands for: attempts may count anew where queued work begins."""
    begun = max((end.n for end in run.ends if end.n < row.n), default=0)
    before = sum(request.n < begun for request in run.requests)
    anew = any(one.run == row.run and one.n > begun and one.attempt <= before for one in rows)
    return row.attempt + before if anew else row.attempt


def _misbooked(
    place: tuple[int, int], rows: list[LogRow | AttemptKept], taken: tuple[int, int] | None
) -> list[Violation]:
    """What is wrong with the rows of one stream."""
    where = f"request {place[1]} of run {place[0]}"
    counted = [row for row in rows if row.usage is not None]
    numbers = tuple(row.n for row in rows)
    if len(counted) > 1:
        return [Violation("usage-once", f"The usage of {where} is counted twice.", numbers)]
    if taken is None:
        if not counted:
            return []
        text = f"The usage of {where} was never reported but is counted."
        return [Violation("usage-once", text, numbers)]
    if not counted:
        return [Violation("usage-once", f"The usage of {where} is not counted.", numbers)]
    if counted[0].usage != taken:
        text = f"The usage of {where} is not counted as it was last reported."
        return [Violation("usage-once", text, numbers)]
    return []


RULES = (
    Rule(
        id="usage-once",
        tier="core",
        family="liveness",
        sentence=(
            "The usage of each stream is counted once, as it was last reported; unknown usage is "
            "absent, not zero."
        ),
        check=usage,
        reports=("log", "attempt"),
        why=(
            "Usage comes cumulatively, at the end, or never, and interrupted streams are billed "
            "like any other. Adding what should overwrite counts double, and forgetting the cut "
            "stream hides cost."
        ),
        good="usage 10/1, usage 10/5 | log row 10/5",
        bad="usage 10/1, usage 10/5 | log row 20/6",
    ),
)

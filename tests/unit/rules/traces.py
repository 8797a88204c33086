"""Builds traces from records, for the tests of rules."""

import attrs

from simharness.contract import FAMILIES, UNSPECIFIED, Contract
from simharness.rules import by_id
from simharness.trace import PromptCalled, Record, RunSettled, Trace
from simharness.verdict import Judgement

REPORTS = Contract(reports=FAMILIES)
"""An agent that reports everything and promises nothing."""


def trace_of(*records: Record | tuple[int, Record]) -> Trace:
    """A trace in which each `PromptCalled` opens the next run; a pair stamps another run."""
    trace, run = Trace(), 0
    for entry in records:
        stamp, record = entry if isinstance(entry, tuple) else (0, entry)
        run += isinstance(record, PromptCalled)
        trace.add(attrs.evolve(record), time=0.0, run=stamp or run)
    return trace


def done(how: str = "returned", **more: object) -> RunSettled:
    """The end of a run."""
    return RunSettled(how, **more)  # type: ignore[arg-type]


def verdict(
    rule: str, *records: Record | tuple[int, Record], contract: Contract = UNSPECIFIED
) -> Judgement:
    """What one rule says about a trace of these records."""
    return by_id(rule).check(trace_of(*records), contract)


def texts(judgement: Judgement) -> list[str]:
    """The messages of the violations."""
    return [violation.message for violation in judgement.violations]

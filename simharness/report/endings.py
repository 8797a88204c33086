"""The endings of a case: in how many different ways one script can end, and how to get there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from simharness.report.lanes import deviation_notes
from simharness.report.text import plural
from simharness.report.words import message_words
from simharness.trace import AgentEnd, HistoryRead, RequestMade, RunSettled

if TYPE_CHECKING:
    from simharness.results import CaseResult
    from simharness.trace import Trace
    from simharness.verdict import Verdict

__all__ = ["as_text"]

_TEXT = 60  # columns of a message in the table


def as_text(result: CaseResult) -> str:
    """What was covered, then a row per ending: how often, how each run ended, the last history."""
    head = f"{result.case.id}: {result.verdict}\n{result.coverage or result.reason}"
    if not result.ended:
        return head
    rows = []
    for number, ending in enumerate(result.ended, start=1):
        verdict = ending.verdict
        rows.append((number, ending.count, _way(verdict), _outcomes(verdict), _history(verdict)))
    heads = ["ending", "seen", "how to get there", "runs", "last history"]
    table = tabulate(rows, heads, tablefmt="simple", maxcolwidths=[None, None, 30, 18, _TEXT])
    table = "\n".join(line.rstrip() for line in table.splitlines())
    return f"{head}\n{plural(len(rows), 'ending')}:\n\n{table}"


def _way(verdict: Verdict) -> str:
    notes = [note.partition(", instead of")[0] for note in deviation_notes(verdict.course)]
    return "\n".join(notes) or "the default order"


def _outcomes(verdict: Verdict) -> str:
    if verdict.trace is None:
        return ""
    return "\n".join(_outcome(verdict.trace, run) for run in verdict.trace.runs())


def _outcome(trace: Trace, run: int) -> str:
    """What the agent says about the end of a run, else how its prompt came back."""
    said = [end.outcome for end in trace.of(AgentEnd, run) if end.outcome is not None]
    settled = trace.of(RunSettled, run)
    said += [end.outcome for end in settled if end.outcome is not None]
    how = settled[-1].how if settled else "not settled"
    return str(said[-1]) if said else how


def _history(verdict: Verdict) -> str:
    """The messages of the last request; without one, what the agent displayed last."""
    if verdict.trace is None:
        return ""
    shown = [r.messages for r in verdict.trace.of(HistoryRead)[-1:]]
    asked = [r.messages for r in verdict.trace.of(RequestMade)[-1:]]
    messages = next(iter([*asked, *shown]), ())
    return "\n".join(message_words(message)[:_TEXT] for message in messages)

"""The rule about whose cancel it was: the reported cause names the one that counts."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import ActionTaken, AgentEnd, CancelCalled, Outcome, Trace
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "true_cause"]

_MARKS = {"shutdown": "shutdown", "quiesce": "quiesce", "dispose": "dispose"}
"""Actions of the framework that end a run, and the word by which a cause names each."""


def true_cause(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the cause of a cancelled run is the cancel that counts."""
    if contract.cause_precedence is None:
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations = []
    for run in facts.runs.values():
        ends = [end for end in run.ends if end.outcome is Outcome.CANCELLED and end.cause]
        if not ends or run.left or run.queued or facts.overlaps(run):
            continue
        wanted = _wanted(facts, run, ends[0])
        if wanted is None:
            continue
        occasions += 1
        if wanted not in ends[0].cause:
            text = f"The cancel of run {run.number} is put down to {ends[0].cause}, not {wanted}."
            violations.append(Violation("cancel-attribution", text, (ends[0].n,)))
    return judged(occasions, violations)


def _wanted(facts: Facts, run: RunFacts, end: AgentEnd) -> str | None:
    """The word that the cause must hold; None if nothing can be said.

    A reason reaches an agent only through its own call. A framework's mark outranks the callers'
    reasons, or whoever was first counts, as declared.
    """
    called = [c for c in facts.trace.of(CancelCalled, run.number) if run.prompted < c.n < end.n]
    marks = _marks(facts, run, end)
    if marks and (facts.contract.cause_precedence != "first" or not called):
        return marks[0][1]
    if marks and marks[0][0] < called[0].n:
        return marks[0][1]
    if not called or any(cancel.way != "api" for cancel in called):
        return None
    return called[0].reason


def _marks(facts: Facts, run: RunFacts, end: AgentEnd) -> list[tuple[int, str]]:
    """What the framework did to the run before its end: record numbers and words."""
    return [
        (action.n, _MARKS[verb])
        for action in facts.trace.of(ActionTaken)
        if run.prompted < action.n < end.n and (verb := action.action.partition(" ")[0]) in _MARKS
    ]


RULES = (
    Rule(
        id="cancel-attribution",
        tier="declared",
        family="cancel",
        sentence=(
            "The reported cause of a cancelled run is the cancel that counts: the first caller's "
            "own reason, or the framework's shutdown, quiesce or dispose if that outranks it."
        ),
        check=true_cause,
        needs=("cause_precedence",),
        reports=("agent",),
        why=(
            "What follows a stop depends on who asked for it: a user's stop is shown to the model, "
            "a timeout may be retried, a shutdown is resumed after the restart. Stops that meet "
            "are where causes get mixed up, because a shutdown also calls the cancel that a user "
            "calls. Judged where the reason was given to the agent's own cancel call."
        ),
        good='cancel "budget" | cancel "user" | AgentEnd cancelled, cause budget',
        bad='cancel "budget" | cancel "user" | AgentEnd cancelled, cause user',
    ),
)

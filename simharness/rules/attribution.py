"""The rule about whose cancel it was: the reported cause names the one that counts."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.asked import taken_actions, verb_of
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import (
    CancelCalled,
    MessageEnd,
    Notice,
    Outcome,
    Record,
    StreamTold,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "true_cause"]

_MARKS = {"shutdown": "shutdown", "quiesce": "quiesce", "dispose": "dispose"}
"""Actions of the framework that end a run, and the word by which a cause names each."""

_RULE = "cancel-attribution"
_NOTE = "interruption"
"""The kind of a notice that says that a caller has stopped a run."""


def true_cause(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the cause of a stopped run is the cancel that counts, and that of a failed none.

    An exception that stands for a stop names it as well, and only a caller's stop leaves a note.
    """
    if contract.cause_precedence is None:
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations = []
    for run in facts.runs.values():
        if run.left or run.queued or facts.overlaps(run, of_session=True):
            continue
        for judge in (_cause, _exception, _note, _failure):
            found = judge(facts, run)
            if found is not None:
                occasions += 1
                violations += found
    return judged(occasions, violations)


def _cause(facts: Facts, run: RunFacts) -> list[Violation] | None:
    """Whether the reported end of a stopped run names whose cancel it was."""
    ends = [end for end in run.ends if end.outcome is Outcome.CANCELLED and end.cause]
    wanted = _wanted(facts, run, ends[0].n) if ends else None
    if ends and "quiesce" in ends[0].cause and _resumed(facts, run, ends[0].n):
        text = f"The cancel of run {run.number} is put down to a quiesce that was over."
        return [Violation(_RULE, text, (ends[0].n,))]
    if wanted is None:
        return None
    if wanted in ends[0].cause:
        return []
    text = f"The cancel of run {run.number} is put down to {ends[0].cause}, not {wanted}."
    return [Violation(_RULE, text, (ends[0].n,))]


def _exception(facts: Facts, run: RunFacts) -> list[Violation] | None:
    """Whether the exception by which an awaiting caller hears of a stop names whose it was."""
    settled = run.settled
    if settled is None or settled.how != "raised" or settled.outcome is not Outcome.CANCELLED:
        return None
    wanted = _wanted(facts, run, run.ends[0].n if run.ends else settled.n)
    if wanted is None or wanted in settled.error:
        return None if wanted is None else []
    text = f"The caller of run {run.number} hears {settled.error!r}, not that it was {wanted}."
    return [Violation(_RULE, text, (settled.n,))]


def _note(facts: Facts, run: RunFacts) -> list[Violation] | None:
    """Whether a note of an interruption claims a stop that no caller has asked for."""
    notes: list[Record] = [n for n in facts.trace.of(Notice, run.number) if n.kind == _NOTE]
    if promised := facts.contract.stop_note:
        told = facts.trace.of(MessageEnd, run.number)
        notes += [end for end in told if end.message.text == promised]
    if not notes:
        return [] if _marks(facts, run, run.over) else None
    if _callers(facts, run, run.over) and not _marks(facts, run, run.over):
        return []
    text = f"A note in run {run.number} claims a stop that no caller has asked for."
    return [Violation(_RULE, text, (notes[0].n,))]


def _failure(facts: Facts, run: RunFacts) -> list[Violation] | None:
    """Whether a failed run is put down to a cancel, which can only be that of another run."""
    ends = [end for end in run.ends if end.outcome is Outcome.FAILED]
    reasons = {called.reason for called in facts.trace.of(CancelCalled)}
    if not ends or not reasons or run.cancels or run.graceful:
        return None
    if ends[0].cause not in reasons:
        return []
    text = f"The failure of run {run.number} is put down to {ends[0].cause}, a cancel not its own."
    return [Violation(_RULE, text, (ends[0].n,))]


def _wanted(facts: Facts, run: RunFacts, end: int) -> str | None:
    """The word that the cause must hold; None if nothing can be said.

    A reason reaches an agent only through its own call. A framework's mark outranks the callers'
    reasons, or whoever was first counts, as declared. Of a stop that lets runs go on first it is
    not known when it was called, unless the model stream shows it; nor, of two, which it was.
    """
    called, marks = _callers(facts, run, end), _marks(facts, run, end)
    if marks and _stops_later(facts, run, marks[0][0]) - {marks[0][1]}:
        return None
    if marks and (facts.contract.cause_precedence != "first" or not called):
        return marks[0][1]
    if marks and marks[0][0] < called[0].n:
        return marks[0][1]
    later = _stops_later(facts, run, end)
    if later:
        return None if called or len(later) > 1 else min(later)
    if not called or any(cancel.way != "api" for cancel in called):
        return None
    return called[0].reason


def _resumed(facts: Facts, run: RunFacts, end: int) -> bool:
    """Whether the operator had resumed when the run was stopped, as far as its stream shows."""
    asked = [a for a in taken_actions(facts.trace, "quiesce", "resume") if a.n < end]
    last = max((a.n for a in asked if verb_of(a) == "quiesce"), default=0)
    told = [t for t in facts.trace.of(StreamTold, run.number) if last < t.n < end]
    return any(last < a.n < told[0].n and a.time < told[0].time for a in asked) if told else False


def _callers(facts: Facts, run: RunFacts, end: int) -> list[CancelCalled]:
    """The cancels of the run's callers before record `end`."""
    return [
        called
        for called in facts.trace.of(CancelCalled, run.number)
        if run.prompted < called.n < end and called.way not in _MARKS
    ]


def _marks(facts: Facts, run: RunFacts, end: int) -> list[tuple[int, str]]:
    """When and by what the framework is known to have stopped the run before record `end`."""
    found = [
        (called.n, _MARKS[called.way])
        for called in facts.trace.of(CancelCalled, run.number)
        if run.prompted < called.n < end and called.way in _MARKS
    ]
    found += [
        (cancel.called, _MARKS[cancel.reason])
        for cancel in run.cancels
        if cancel.way.lower() in _MARKS and cancel.called == cancel.effective < end
    ]
    return sorted(found)


def _stops_later(facts: Facts, run: RunFacts, end: int) -> set[str]:
    """The words for the stops of the framework that were asked for and may have come to pass."""
    return {
        _MARKS[verb_of(action)]
        for action in taken_actions(facts.trace, *_MARKS)
        if action.n < end
        and run.prompted < run.over
        and (verb_of(action) != "quiesce" or action.text)
    }


RULES = (
    Rule(
        id="cancel-attribution",
        tier="declared",
        family="cancel",
        sentence=(
            "The reported cause of a cancelled run is the cancel that counts: the first caller's "
            "own reason, or the framework's shutdown, quiesce or dispose if that outranks it. Only "
            "a caller's stop leaves a note, and a failure is nobody's cancel."
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

"""What a framework asked of an agent besides to run: restarts, pauses, ends of turns, replays.

Read by rules for which these are no cancels and yet explain what a run does. Nothing here judges.
"""

from __future__ import annotations

from collections.abc import Iterator

from simharness.rules.reading import NEVER, Facts, RunFacts
from simharness.trace import (
    ActionTaken,
    RequestMade,
    StreamClosed,
    StreamTold,
    Trace,
    TurnEndAsked,
)

__all__ = [
    "all_cancelled",
    "ever_stopped",
    "given_up",
    "let_go",
    "paused",
    "restarted",
    "shut_out",
    "taken_actions",
    "to_be_stopped",
    "told_at",
    "turn_ended",
    "verb_of",
]


_PAUSES = ("shutdown", "dispose", "quiesce", "resume")


def verb_of(action: ActionTaken) -> str:
    """The verb of an action, whose label may hold its place as well."""
    return action.action.partition(" ")[0]


def taken_actions(trace: Trace, *verbs: str) -> Iterator[ActionTaken]:
    """The actions of some verbs, in order."""
    return (action for action in trace.of(ActionTaken) if verb_of(action) in verbs)


def given_up(facts: Facts, request: RequestMade) -> bool:
    """Whether a stream was given up for another one: told to end, though nobody stopped the run."""
    told = told_at(facts, request)
    closed = _closed(facts, request)
    if told is None or any(stop < closed for stop in _stops(facts, request)):
        return False
    return _restarted_before(facts, request, told)


def let_go(facts: Facts, request: RequestMade) -> int:
    """The record by which an agent told a stream to end by itself, for silence say; else NEVER."""
    told = told_at(facts, request)
    if told is None or any(stop <= told for stop in _stops(facts, request)):
        return NEVER
    return NEVER if _restarted_before(facts, request, told) else told


def _restarted_before(facts: Facts, request: RequestMade, told: int) -> bool:
    """Whether another stream was asked for before one was told: the conversation's is meant."""
    run = facts.runs.get(request.run)
    if run is None or run.session:
        return False
    asked = taken_actions(facts.trace, "context_restart")
    return any(request.n < action.n < told for action in asked)


def restarted(facts: Facts, request: RequestMade) -> bool:
    """Whether the framework asked for another stream while that of a request was open."""
    closed = _closed(facts, request)
    asked = taken_actions(facts.trace, "context_restart")
    return any(request.n < action.n < closed for action in asked)


def _closed(facts: Facts, request: RequestMade) -> int:
    """The record by which a stream was closed: up to there a stop decides what becomes of it."""
    for closed in facts.trace.of(StreamClosed, request.run):
        if closed.request == request.request:
            return closed.n
    return NEVER


def told_at(facts: Facts, request: RequestMade) -> int | None:
    """The record by which a stream was told that it is not wanted any more; None if never."""
    for told in facts.trace.of(StreamTold, request.run):
        if told.request == request.request:
            return told.n
    return None


def _stops(facts: Facts, request: RequestMade) -> list[int]:
    """Where the run of a request was cancelled, or another prompt may have taken its place."""
    run = facts.runs.get(request.run)
    if run is None:
        return []
    prompts = (later.prompted for later in facts.runs.values() if later.session == run.session)
    during = [n for n in prompts if run.replaced and run.prompted < n < run.over]
    return [*(cancel.called for cancel in run.cancels), *during]


def ever_stopped(facts: Facts, run: RunFacts) -> bool:
    """Whether the framework asked for the end of a run at any time, even if it took that back."""
    return any(
        run.prompted < action.n < run.over and (verb_of(action) != "quiesce" or action.text)
        for action in taken_actions(facts.trace, "shutdown", "dispose", "quiesce")
    )


def all_cancelled(facts: Facts) -> Iterator[int]:
    """The records by which a further Ctrl-C cancelled all tasks, whosever run it was meant for."""
    for run in facts.runs.values():
        presses = [cancel.called for cancel in run.cancels if cancel.way == "INTERRUPT"]
        yield from presses[1:]


def to_be_stopped(facts: Facts, run: RunFacts) -> bool:
    """Whether the framework asked for the end of a run, at once or when its time is over."""
    asked = False
    for action in taken_actions(facts.trace, "shutdown", "dispose", "quiesce", "resume"):
        if run.prompted < action.n < run.over:
            resumed = verb_of(action) == "resume"
            asked = not resumed and (asked or verb_of(action) != "quiesce" or bool(action.text))
    return asked


def shut_out(facts: Facts, run: RunFacts) -> tuple[int, int] | None:
    """Where a prompt came to an agent that may begin nothing, and up to where; None if it may.

    Behind a shutdown or dispose that is for ever, in a quiesce until the resume; a fresh agent
    behind a kill knows of neither.
    """
    born = max((kill.n for kill in facts.reloads if kill.n < run.prompted), default=0)
    before = [a for a in taken_actions(facts.trace, *_PAUSES) if born <= a.n < run.prompted]
    gone = [action.n for action in before if verb_of(action) in {"shutdown", "dispose"}]
    if gone:
        return gone[0], NEVER
    if not before or verb_of(before[-1]) == "resume":
        return None
    resumes = (action.n for action in taken_actions(facts.trace, "resume"))
    return before[-1].n, next((n for n in resumes if n > run.prompted), NEVER)


def paused(facts: Facts, first: int, last: int) -> bool:
    """Whether a quiesce was in force at some moment between two records."""
    since: int | None = None
    for action in taken_actions(facts.trace, "quiesce", "resume", "kill", "fork"):
        if verb_of(action) == "quiesce":
            since = action.n if since is None else since
        elif since is not None:
            if since < last and first < action.n:
                return True
            since = None
    return since is not None and since < last


def turn_ended(facts: Facts, run: RunFacts) -> int:
    """The record by which a tool ended the turn of a run; NEVER if none did."""
    return next((asked.n for asked in facts.trace.of(TurnEndAsked, run.number)), NEVER)

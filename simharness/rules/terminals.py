"""Rules about the terminal of a run: that there is one, and that its kind follows the cause."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.asked import ever_stopped, let_go, turn_ended
from simharness.rules.events import torn
from simharness.rules.reading import Cancel, Facts, RunFacts, read
from simharness.rules.rule import Rule, judged
from simharness.trace import (
    ActionTaken,
    AgentEnd,
    AgentStart,
    CancelCalled,
    InputRejected,
    Outcome,
    RequestMade,
    TerminalTaken,
    Trace,
    TurnEnd,
    TurnStart,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "kind", "one_terminal", "reported", "tolerated"]


def one_terminal(trace: Trace, contract: Contract) -> Judgement:
    """Judge that each run and each turn that was started ends with exactly one terminal."""
    facts = read(trace, contract)
    starts: dict[tuple[int, int], int] = {}
    ends: dict[tuple[int, int], list[int]] = {}
    for record in facts.events():
        kind = type(record)
        if kind not in _TERMINALS:
            continue
        key = (record.run, record.turn if isinstance(record, _OF_A_TURN) else _RUN)
        if kind in _STARTS:
            starts[key] = starts.get(key, 0) + 1
        else:
            ends.setdefault(key, []).append(record.n)
    violations: list[Violation] = []
    keys = sorted(starts.keys() | ends.keys())
    for key in keys:
        if starts.get(key) == 1 == len(ends.get(key, ())):
            continue
        run = facts.runs[key[0]]
        if run.settled is not None:
            name = "run" if key[1] == _RUN else f"turn {key[1]} of run"
            violations += _count(facts, run, name, starts.get(key, 0), ends.get(key, []))
    return judged(len(keys), violations)


_RUN = -1
_STARTS = {AgentStart, TurnStart}
_OF_A_TURN = (TurnStart, TurnEnd)
_TERMINALS = {AgentStart, TurnStart, AgentEnd, TurnEnd}


def _count(facts: Facts, run: RunFacts, name: str, starts: int, ends: list[int]) -> list[Violation]:
    """Compare starts and terminals; a torn-down run may owe its last terminal."""
    rule = "one-terminal"
    if len(ends) > max(starts, 1):
        extra = "two terminals" if len(ends) == 2 and starts < 2 else "more terminals than starts"
        return [Violation(rule, f"The {name} {run.number} has {extra}.", tuple(ends))]
    if len(ends) < starts and not torn(run, facts.contract):
        text = f"The {name} {run.number} has no terminal."
        return [Violation(rule, text, (run.over,))]
    return []


def reported(run: RunFacts) -> list[tuple[Outcome, int]]:
    """Every outcome the agent named for the run, with the record that names it."""
    if run.outcomes is None:
        found = [(end.outcome, end.n) for end in run.ends if end.outcome is not None]
        if run.settled is not None and run.settled.outcome is not None:
            found.append((run.settled.outcome, run.settled.n))
        run.outcomes = found
    return run.outcomes


def kind(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the reported outcome follows the cause; what is not reported is not judged."""
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for run in facts.runs.values():
        outcomes = [] if run.left else reported(run)
        if not outcomes:
            continue
        if run.ends and run.cancels and run.ends[0].n < run.cancels[0].called:
            continue  # the terminal was there first
        if run.cancels:
            stopped = run.stopped(run.cancels[0])
            of_cancel = [(outcome, n) for outcome, n in outcomes if n <= stopped]
            wrong = _after_cancel(facts, run, run.cancels[0], of_cancel)
        elif run.graceful:
            continue
        else:
            failure = _failure(facts, run)
            if failure is not None:
                wrong = _after_failure(facts, run, failure, outcomes)
            else:
                wrong = _of_nothing(facts, run, outcomes)
                if not wrong:
                    continue
        occasions += 1
        violations += wrong
    return judged(occasions, violations)


def _after_cancel(
    facts: Facts, run: RunFacts, cancel: Cancel, outcomes: list[tuple[Outcome, int]]
) -> list[Violation]:
    allowed = tolerated(facts, run, cancel)
    if not _failed_despite_a_cancel(facts, run, cancel):
        allowed = allowed | {Outcome.CANCELLED}
    return [
        Violation(
            "terminal-kind",
            f"Run {run.number} was cancelled but reports {outcome}.",
            (cancel.called, n),
        )
        for outcome, n in outcomes
        if outcome not in allowed
    ]


def tolerated(facts: Facts, run: RunFacts, cancel: Cancel) -> set[Outcome]:
    """Outcomes besides cancelled that are true as well, because something else ended the run.

    The last message was committed, a tool ended the turn, a stream failed by itself or the input
    was rejected before the cancel took effect; or other work was queued and done.
    """
    before = cancel.called if cancel.late_from == cancel.called else cancel.effective
    done = run.queued or turn_ended(facts, run) < before
    found = {Outcome.COMPLETED} if done else set()
    if any(record.n < before for record in facts.trace.of(InputRejected, run.number)):
        found.add(Outcome.REJECTED)
    request = run.request_at(min(before, run.over))
    if request is not None and let_go(facts, request) < cancel.called:
        found.add(Outcome.FAILED)
    end = facts.natural_end(request, before) or _ended_before(facts, request, cancel)
    if end is not None and request is not None:
        calls = any(c.kind == "args" for c in facts.taken(run.number, request.request))
        found |= _by_itself(end, calls=calls)
    terminal = None if request is None else facts.terminal(request)
    if _foreign_abort(terminal) and facts.contract.foreign_abort_after_cancel != "stop":
        found.add(Outcome.FAILED)
    return found


def _ended_before(
    facts: Facts, request: RequestMade | None, cancel: Cancel
) -> TerminalTaken | None:
    """The end that a stream gave before anybody cancelled: a silence, say, had its limit."""
    terminal = None if request is None else facts.terminal(request)
    return terminal if terminal is not None and terminal.n < cancel.called else None


def _by_itself(end: TerminalTaken, *, calls: bool) -> set[Outcome]:
    """Where a stream that ended like this leads if nobody cancels."""
    if end.kind != "finish":
        return {Outcome.FAILED, Outcome.COMPLETED} if end.kind == "close" else {Outcome.FAILED}
    if end.detail == "stop" and calls:
        return set()
    if end.detail == "tool_calls":
        return set() if calls else {Outcome.COMPLETED, Outcome.FAILED}
    return {Outcome.COMPLETED} if end.detail == "stop" else {*Outcome} - {Outcome.REJECTED}


def _foreign_abort(terminal: TerminalTaken | None) -> bool:
    return (
        terminal is not None
        and terminal.answering
        and terminal.kind == "aborted"
        and terminal.detail not in {"", "user"}
    )


def _failed_despite_a_cancel(facts: Facts, run: RunFacts, cancel: Cancel) -> bool:
    """Whether the provider aborted for a reason of its own, which is promised to be a failure.

    Known of a stream that a caller of the agent's own cancel has stopped, and nobody else.
    """
    if facts.contract.foreign_abort_after_cancel != "failure" or ever_stopped(facts, run):
        return False
    request = run.request_at(min(cancel.effective, run.over))
    terminal = None if request is None else facts.terminal(request)
    ways = {one.way.lower() for one in run.cancels}
    return ways == {"api"} and terminal is not None and _foreign_abort(terminal)


def _failure(facts: Facts, run: RunFacts) -> TerminalTaken | None:
    """The failed stream with which the run ended, if nothing but the stream can be its cause."""
    if not run.requests or run.settled is None or run.queued or run.replaced:
        return None
    terminal = facts.terminal(run.requests[-1])
    if terminal is None or terminal.n > run.over or terminal.answering:
        return None
    if any(run.prompted < action.n < run.over for action in facts.trace.of(ActionTaken)):
        return None  # a shutdown, a limit placed by the user ...
    if terminal.kind == "close" and facts.contract.silent_close is None:
        return None
    if terminal.kind == "finish" and terminal.detail != "incomplete":
        return None
    return terminal


def _after_failure(
    facts: Facts, run: RunFacts, failure: TerminalTaken, outcomes: list[tuple[Outcome, int]]
) -> list[Violation]:
    wrong = {Outcome.COMPLETED, Outcome.CANCELLED}
    if failure.kind == "close" and facts.contract.silent_close == "completed":
        wrong = {Outcome.CANCELLED, Outcome.FAILED}  # it is an answer
    words = {
        "close": "a silent close",
        "finish": "an incomplete response",
        "aborted": "an abort by the provider",
    }
    cause = words.get(failure.kind, "a provider error")
    return [
        Violation(
            "terminal-kind",
            f"Run {run.number} ended on {cause}, nobody cancelled, but reports {outcome}.",
            (failure.n, n),
        )
        for outcome, n in outcomes
        if outcome in wrong
    ]


def _of_nothing(
    facts: Facts, run: RunFacts, outcomes: list[tuple[Outcome, int]]
) -> list[Violation]:
    """A cancel that is reported though the stream finished and nobody has done anything.

    A cancel that was over before is judged by cancel-flag-reset.
    """
    end = facts.terminal(run.requests[-1]) if run.requests else None
    if end is None or end.kind != "finish" or facts.overlaps(run):
        return []
    disturbed = [*facts.trace.of(CancelCalled), *facts.trace.of(ActionTaken)]
    if any(record.n < run.over for record in disturbed):
        return []
    text = f"Run {run.number} ended on a finish, nobody cancelled, but reports cancelled."
    return [
        Violation("terminal-kind", text, (end.n, n))
        for outcome, n in outcomes
        if outcome is Outcome.CANCELLED
    ]


RULES = (
    Rule(
        id="one-terminal",
        tier="core",
        family="events",
        sentence="Each turn and each run has exactly one terminal event.",
        check=one_terminal,
        reports=("agent", "turn"),
        why=(
            "Whoever waits for the end waits for this event. None leaves the caller waiting; two "
            "release the next caller too early or count the run twice. Cancels that a stream "
            "reports as an error are where both happen. A run that was torn down with its consumer "
            "may owe the event unless the agent promises it (on_dispose: terminal)."
        ),
        good="AgentStart, TurnStart 1, TurnEnd 1, AgentEnd cancelled",
        bad="AgentStart, TurnStart 1, AgentEnd failed, AgentEnd cancelled",
    ),
    Rule(
        id="terminal-kind",
        tier="core",
        family="events",
        sentence=(
            "The kind of the terminal follows the cause: a cancel ends as cancelled, an error or "
            "an incomplete response never as a success, and what nobody cancelled is not cancelled."
        ),
        check=kind,
        why=(
            "Callers branch on the outcome: retry, alert, bill, go on. A cancel that is reported "
            "as failed raises alarms; a broken stream that is reported as completed loses work "
            "silently. If the last message was committed before the cancel took effect both "
            "outcomes are true. A silent close is judged by the declared silent_close."
        ),
        good="text | cancel | stream reports an error | AgentEnd cancelled",
        bad="text | cancel | stream reports an error | AgentEnd failed",
    ),
)

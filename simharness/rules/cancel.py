"""Rules about cancels: a stop is not a failure, and after it nothing is asked of the model."""

from __future__ import annotations

from itertools import zip_longest

from simharness.contract import Contract
from simharness.rules.asked import ever_stopped, given_up, shut_out, turn_ended
from simharness.rules.reading import NEVER, Cancel, Facts, RunFacts, late, read, told
from simharness.rules.rule import Rule, judged
from simharness.rules.terminals import reported, tolerated
from simharness.storing import StoreWrite
from simharness.trace import (
    AgentEnd,
    FailureCounted,
    HookCalled,
    LeftBehind,
    LimitHit,
    LogLost,
    LogRow,
    LoopError,
    MessageEnd,
    Notice,
    Outcome,
    ProviderRetry,
    Record,
    RequestMade,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "late_requests", "not_failure", "surfaced"]

_FAILURE = "cancel-not-failure"
_SURFACED = "failure-surfaced"


def late_requests(trace: Trace, contract: Contract) -> Judgement:
    """Judge that no model request is made after a cancel, nor after the turn of a graceful one, nor
    after a tool has ended the turn."""
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    notes: list[str] = []
    for run in facts.runs.values():
        if run.queued:
            continue
        if run.cancels:
            occasions += 1
            _late_after(run, run.cancels[0], violations, notes)
        shut = shut_out(facts, run)
        if shut is not None:
            occasions += 1
            when = "though nothing might begin"
            violations += [
                _late_request(request, shut[0], when)
                for request in run.requests
                if request.n < shut[1]
            ]
        if turn_ended(facts, run) != NEVER:
            occasions += 1
            when = "though a tool had ended the turn"
            violations += [
                _late_request(request, turn_ended(facts, run), when)
                for request in run.requests
                if request.n > turn_ended(facts, run)
            ]
        if run.graceful:
            occasions += 1
            point = facts.turn_over(run)
            if point is not None:
                when = "after the turn in which it was to stop"
                violations += [
                    _late_request(request, run.graceful[0], when)
                    for request in run.requests
                    if request.n > point
                ]
    return judged(occasions, violations, notes)


def _late_after(
    run: RunFacts, cancel: Cancel, violations: list[Violation], notes: list[str]
) -> None:
    for request in run.requests:
        if request.n < cancel.called:
            continue
        if late(request, cancel):
            when = "by the step that had called the cancel" if told(request) else "after the cancel"
            violations.append(_late_request(request, cancel.called, when))
        else:
            notes.append("late start within the grace of the cancel: a model request")


def _late_request(request: RequestMade, cancelled: int, when: str) -> Violation:
    text = f"In run {request.run} a model request was made {when}."
    return Violation("no-model-call-after-cancel", text, (cancelled, request.n))


def not_failure(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a cancelled run is not retried, counted, alerted or reported as a failure."""
    facts = read(trace, contract)
    cancelled = facts.cancelled()
    occasions, violations = _given_up(facts)
    ended, found = _ended(facts)
    occasions, violations = occasions + ended, violations + found
    for run, cancel in cancelled:
        if run.ends and run.ends[0].n < cancel.called:
            continue  # the terminal was there first
        stopped = run.stopped(cancel)
        for record, what in _treatments(facts, run):
            if cancel.late_from < record.n < stopped:
                text = f"Run {run.number} was cancelled, yet {what}."
                violations.append(Violation(_FAILURE, text, (cancel.called, record.n)))
        if Outcome.FAILED in tolerated(facts, run, cancel):
            continue  # something had failed by itself
        for record, what in _accounts(facts, run):
            if cancel.called < record.n < stopped:
                text = f"Run {run.number} was cancelled, yet {what}."
                violations.append(Violation(_FAILURE, text, (cancel.called, record.n)))
        for outcome, n in reported(run):
            if outcome is Outcome.FAILED and n <= stopped:
                text = f"Run {run.number} was cancelled, yet it is reported as failed."
                violations.append(Violation(_FAILURE, text, (cancel.called, n)))
    return judged(len(cancelled) + occasions, violations)


def _given_up(facts: Facts) -> tuple[int, list[Violation]]:
    """Streams that were given up for another one, and what was done about them as if they failed.

    Up to the next request, or to the end of the run where there should have been one.
    """
    occasions = 0
    found = []
    for run in facts.runs.values():
        stopped = run.cancels or run.replaced or run.left or ever_stopped(facts, run)
        for request, after in zip_longest(run.requests, run.requests[1:]):
            if stopped or not given_up(facts, request):
                continue
            occasions += 1
            end = run.over if after is None else after.n
            done = [*_treatments(facts, run), *_accounts(facts, run)]
            done += [
                (row, "its log row is one of a failure")
                for row in facts.trace.of(LogRow, run.number)
                if not row.success
            ]
            if after is None:
                done += [(at, f"the run ended as {at.outcome}") for at in run.ends]
            text = (
                f"Request {request.request} of run {run.number} was given up for another one, yet"
            )
            found += [
                Violation(_FAILURE, f"{text} {what}.", (request.n, record.n))
                for record, what in done
                if request.n < record.n < end
            ]
    return occasions, found


def _ended(facts: Facts) -> tuple[int, list[Violation]]:
    """Turns that a tool has ended, and what was done about them as if they had failed."""
    occasions = 0
    found = []
    for run in facts.runs.values():
        end = turn_ended(facts, run)
        if end == NEVER or run.cancels or run.left or run.queued:
            continue
        occasions += 1
        done = [*_treatments(facts, run), *_accounts(facts, run)]
        done += [(at, f"it is reported as {at.outcome}") for at in run.ends if _is_failure(at)]
        text = f"A tool ended the turn of run {run.number}, yet"
        found += [
            Violation(_FAILURE, f"{text} {what}.", (end, record.n))
            for record, what in done
            if record.n > end
        ]
    return occasions, found


def _is_failure(end: AgentEnd) -> bool:
    return end.outcome is Outcome.FAILED


def _treatments(facts: Facts, run: RunFacts) -> list[tuple[Record, str]]:
    """What is done about a failure and never after a cancel, whatever happened before.

    Where chains are finished, a hook that others stand in front of does not count.
    """
    finishes = facts.contract.hooks_after_cancel == "rest-of-chain"
    found: list[tuple[Record, str]] = [
        (retry, "a retry was announced")
        for retry in facts.trace.of(ProviderRetry, run.number)
        if not retry.derived
    ]
    found += [
        (hook, f"the hook {hook.name} was called")
        for hook in facts.trace.of(HookCalled, run.number)
        if hook.name == "on_error" and not (finishes and hook.number > 1)
    ]
    if run.queued:
        return found
    for before, request in zip(run.requests, run.requests[1:], strict=False):
        terminal = facts.terminal(before)
        finished = terminal is not None and terminal.kind == "finish" and not terminal.answering
        if before.messages == request.messages and not finished:
            found.append((request, "the same request was made again"))
    return found


def _accounts(facts: Facts, run: RunFacts) -> list[tuple[Record, str]]:
    """How a failure is booked: the streak, the alert and a note where one is declared."""
    found: list[tuple[Record, str]] = [
        (count, "it was counted as a failure")
        for count in facts.trace.of(FailureCounted, run.number)
        if count.streak > 0
    ]
    found += [
        (notice, "an alert was raised")
        for notice in facts.trace.of(Notice, run.number)
        if notice.kind == "alert"
    ]
    note = facts.contract.text_in("failed_final")
    found += [
        (end, "the note of a failure was left")
        for end in facts.trace.of(MessageEnd, run.number)
        if note and end.message.text == note
    ]
    return found


def _unsaved(facts: Facts, write: StoreWrite) -> list[Violation]:
    """A line that the store did not take: it is saved later, or somebody hears of it.

    A run that waits for ever, and not for the model, tells nobody any more.
    """
    run = facts.runs.get(write.run)
    if run is None or (run.settled is not None and run.settled.error):
        return []
    if run.settled is None and not _stuck_alone(facts, run):
        return []
    writes = facts.trace.of(StoreWrite)
    saved = any(
        later.text == write.text and later.how == "saved" and later.n > write.n for later in writes
    )
    # Who has given a write up has told of it then, not when it fails at last.
    since = min(one.n for one in writes if one.number == write.number)
    if saved or any(notice.n > since for notice in facts.trace.of(Notice)):
        return []
    text = f"Write {write.number} of the session failed, and nobody was told."
    return [Violation(_SURFACED, text, (write.n,))]


def _stuck_alone(facts: Facts, run: RunFacts) -> bool:
    """Whether a run waits for something that never comes, with all its streams at their end."""
    deadlock = any(limit.limit == "deadlock" for limit in facts.trace.of(LimitHit))
    ended = all(facts.terminal(request) is not None for request in run.requests)
    return deadlock and ended and run.over == NEVER


def surfaced(trace: Trace, contract: Contract) -> Judgement:
    """Judge that no error ends in a place where nobody looks."""
    facts = read(trace, contract)
    raised = [r.settled.error for r in facts.runs.values() if r.settled and r.settled.error]
    told = " ".join(raised + [notice.text for notice in trace.of(Notice)])
    violations: list[Violation] = []
    occasions = len(raised)
    for lost in trace.of(LogLost):
        occasions += 1
        settled = facts.runs[lost.run].settled if lost.run in facts.runs else None
        noticed = any(notice.n > lost.n and "log" in notice.kind for notice in trace.of(Notice))
        if not noticed and not (settled is not None and settled.error):
            text = f"The log row of attempt {lost.attempt} was lost, and nobody was told."
            violations.append(Violation(_SURFACED, text, (lost.n,)))
    for write in trace.of(StoreWrite):
        if write.how == "failed":
            occasions += 1
            violations += _unsaved(facts, write)
    for error in trace.of(LoopError):
        occasions += 1
        if not (error.error and error.error in told):
            text = f"An error reached only the loop's exception handler: {error.message}."
            violations.append(Violation(_SURFACED, text, (error.n,)))
    for left in trace.of(LeftBehind):
        if left.kind == "unretrieved-exception" and left.final:
            occasions += 1
            if not _told(left.what, told):
                text = f"Nobody looked at an error, {left.kind}: {left.what}."
                violations.append(Violation(_SURFACED, text, (left.n,)))
    for limit in trace.of(LimitHit):
        if limit.limit == "agent-exit":
            occasions += 1
            text = f"The agent ended the process instead of the run: {limit.limit}."
            violations.append(Violation(_SURFACED, text, (limit.n,)))
    return judged(occasions, violations)


def _told(what: str, told: str) -> bool:
    """Whether the type of a lost exception also reached the caller, as it may hold the same."""
    name = what.rpartition(": ")[2]
    return bool(name) and name in told


RULES = (
    Rule(
        id="cancel-not-failure",
        tier="core",
        family="cancel",
        sentence=(
            "A cancel, and a stream that is given up for another one, is never retried, counted, "
            "alerted or reported as a failure, in whatever form the stream reports it."
        ),
        check=not_failure,
        why=(
            "Streams report the same cancel as aborted, as an error, by raising, or by just "
            "closing. A loop that looks at the form instead of at what it was asked to do treats "
            "the stop as a failure: it retries, wakes an operator, or asks a fallback "
            "model."
        ),
        good="text | cancel | stream reports an error | AgentEnd cancelled",
        bad="text | cancel | stream reports an error | ProviderRetry | request again",
    ),
    Rule(
        id="no-model-call-after-cancel",
        tier="core",
        family="cancel",
        sentence=(
            "No model request is made after a cancel has taken effect; after a graceful cancel "
            "none once the current turn has ended. None after a tool that ends the turn, nor for a "
            "prompt to an agent that is shut down or quiesced."
        ),
        check=late_requests,
        why=(
            "Each request costs money and may lead to the next tool. The flag is often looked at "
            "in the stream and forgotten in front of the next request, so a cancel that lands "
            "between two turns is lost. A request between the call and the first quiet moment of "
            "the loop is noted, unless the agent declares cancel_grace 0."
        ),
        good="tool runs | cancel | tool ends | run settles",
        bad="tool runs | cancel | tool ends | request 2",
    ),
    Rule(
        id="failure-surfaced",
        tier="core",
        family="cancel",
        sentence=(
            "An internal error reaches the caller: it is raised or, for bookkeeping inside the "
            "terminal of a stop, reported as a notice."
        ),
        check=surfaced,
        why=(
            "An exception in a task that nobody awaits is printed to a log at best, and the run "
            "goes on or hangs without what the task was there for. The same goes for callbacks of "
            "the loop, and for code that ends the whole process."
        ),
        good="store fails | prompt() raises StoreError",
        bad="store fails in a helper task | prompt() returns as if all were well",
    ),
)

"""Rules about what a cancel touches: all of its run, nothing of another, and once."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.asked import all_cancelled, ever_stopped
from simharness.rules.reading import NEVER, Cancel, Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.rules.terminals import reported, tolerated
from simharness.trace import (
    ActionTaken,
    CancelCalled,
    ClientRenewed,
    ClientUnusable,
    InputRejected,
    LoopError,
    Outcome,
    RequestMade,
    StreamClosed,
    StreamTold,
    ToolEnded,
    ToolStarted,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "flag_reset", "idempotent", "scope"]


def scope(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a cancel reaches the open streams and bodies of its run and no other session."""
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for run, cancel in facts.cancelled():
        if run.settled is None or run.queued:
            continue  # a run that never settles is judged by settles
        streams = _open_streams(facts, run, cancel)
        bodies = _open_bodies(facts, run, cancel)
        others = [other for other in facts.runs.values() if _beside(facts, run, other, cancel)]
        occasions += len(streams) + len(bodies) + len(others)
        violations += _unreached(facts, run, cancel, streams, bodies)
        violations += [
            Violation(
                "cancel-scope",
                f"The cancel of run {run.number} cancelled run {other.number} of another session.",
                (cancel.called, other.over),
            )
            for other in others
            if _was_cancelled(other)
        ]
    return judged(occasions, violations)


def _open_streams(facts: Facts, run: RunFacts, cancel: Cancel) -> list[RequestMade]:
    """Streams that were open when the cancel was called."""
    found = []
    for request in run.requests:
        terminal = facts.terminal(request)
        if request.n < cancel.called and (terminal is None or terminal.n > cancel.called):
            found.append(request)
    return found


def _open_bodies(facts: Facts, run: RunFacts, cancel: Cancel) -> list[ToolStarted]:
    """Tool bodies that ran when the cancel was called; threads cannot be reached."""
    ended = {tool.call_id for tool in facts.trace.of(ToolEnded) if tool.n < cancel.called}
    return [
        body
        for body in facts.trace.of(ToolStarted, run.number)
        if body.n < cancel.called and not body.thread and body.call_id not in ended
    ]


def _unreached(
    facts: Facts,
    run: RunFacts,
    cancel: Cancel,
    streams: list[RequestMade],
    bodies: list[ToolStarted],
) -> list[Violation]:
    """What went on as if there had been no cancel."""
    rule = "cancel-scope"
    trace = facts.trace
    reached = {told.request for told in trace.of(StreamTold, run.number)}
    reached |= {closed.request for closed in trace.of(StreamClosed, run.number)}
    found = [
        Violation(
            rule,
            f"The cancel of run {run.number} did not reach its model stream.",
            (cancel.called, request.n),
        )
        for request in streams
        if request.request not in reached and facts.terminal(request) is None
    ]
    over = {tool.call_id: tool for tool in trace.of(ToolEnded)}
    for body in bodies:
        end = over.get(body.call_id)
        if end is None or (end.n > run.over and end.how != "cancelled"):
            text = (
                f"The cancel of run {run.number} did not end tool {body.name} before the run was "
                "over."
            )
            found.append(Violation(rule, text, (cancel.called, body.n)))
    return found


def _beside(facts: Facts, run: RunFacts, other: RunFacts, cancel: Cancel) -> bool:
    """Whether `other` was open at the cancel, in another session, and nobody had stopped it."""
    return (
        other.session != run.session
        and other.prompted < cancel.called < other.over
        and not (other.cancels or other.graceful or other.left or other.replaced)
        and not ever_stopped(facts, other)
        and not any(other.prompted < n < other.over for n in all_cancelled(facts))
    )


def _was_cancelled(run: RunFacts) -> bool:
    if run.settled is not None and run.settled.how == "cancelled":
        return True
    return any(outcome is Outcome.CANCELLED for outcome, _ in reported(run))


def idempotent(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a second cancel of the same run changes nothing."""
    if len(trace.of(CancelCalled)) < 2:
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for run, cancel in facts.cancelled():
        if len(run.cancels) < 2 or run.settled is None:
            continue
        occasions += 1
        second = run.cancels[1].called
        for problem, n in _disturbed(facts, run, cancel, second):
            text = f"Run {run.number} was cancelled twice and {problem}."
            violations.append(Violation("cancel-idempotent", text, (second, n)))
    return judged(occasions, violations)


def _disturbed(facts: Facts, run: RunFacts, cancel: Cancel, second: int) -> list[tuple[str, int]]:
    """What a second cancel brought about."""
    found = []
    if len(run.ends) > 1 and not run.queued:
        found.append(("reported its end twice", run.ends[1].n))
    if Outcome.FAILED not in tolerated(facts, run, cancel):
        found += [
            ("ended as failed", n)
            for outcome, n in reported(run)
            if outcome is Outcome.FAILED and second < n <= run.stopped(cancel)
        ]
    found += [
        ("the loop had to handle an error", error.n)
        for error in facts.trace.of(LoopError, run.number)
        if second < error.n < run.over
    ]
    return found


def flag_reset(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a run is not touched by a cancel that was over, or hit nothing, before it."""
    called = trace.of(CancelCalled)
    useless = trace.of(ClientUnusable)
    occasions = len(useless) + len(trace.of(ClientRenewed))
    if not called and not occasions:
        return NOTHING
    facts = read(trace, contract)
    first = called[0].n if called else NEVER
    violations = [
        Violation("cancel-flag-reset", _client(request), (request.n,)) for request in useless
    ]
    for run in facts.runs.values():
        if run.prompted < first or run.settled is None or _has_own_cause(facts, run):
            continue
        occasions += 1
        touched = _touched(facts, run)
        if touched:
            text = f"Run {run.number} was not cancelled, but after an earlier cancel it {touched}."
            violations.append(Violation("cancel-flag-reset", text, (first, run.over)))
    return judged(occasions, violations)


def _client(request: ClientUnusable) -> str:
    where = f"Request {request.request} of run {request.run}"
    return f"{where} was made by a client that a cut stream had left of no more use."


def _has_own_cause(facts: Facts, run: RunFacts) -> bool:
    """Whether something of its own may have stopped the run."""
    return (
        bool(run.cancels or run.graceful or run.left)
        or facts.overlaps(run)
        or any(run.prompted < action.n < run.over for action in facts.trace.of(ActionTaken))
    )


def _touched(facts: Facts, run: RunFacts) -> str:
    """How an earlier cancel shows in `run`; "" if it does not."""
    failed = any(
        terminal.run == run.number and terminal.kind != "finish"
        for terminal in facts.terminals.values()
    )
    if _was_cancelled(run) and not failed:
        return "ended as cancelled"
    told = facts.trace.of(StreamTold, run.number)
    if any(record.how == "signal" for record in told):
        return "told its model stream to stop"
    settled = run.settled
    if settled is None or settled.how != "returned" or settled.outcome is Outcome.REJECTED:
        return ""
    asked = any(run.prompted < r.n < run.over for r in facts.trace.of(RequestMade))
    stopped = facts.trace.of(InputRejected, run.number) or any(
        end.outcome in {Outcome.REJECTED, Outcome.LIMIT} for end in run.ends
    )
    continues = not run.text  # which has nothing to do if nothing is kept
    return "" if asked or stopped or continues else "made no request"


RULES = (
    Rule(
        id="cancel-scope",
        tier="core",
        family="tools",
        sentence=(
            "A cancel reaches everything that its run owns, model streams and tools included, and "
            "nothing of another session."
        ),
        check=scope,
        why=(
            "The signal is handed to the first call and forgotten in the second: the remote "
            "request, the tool or the nested run goes on and is paid for. A tool that outlives its "
            "run without being cancelled was never told, or was told and not waited for; a trace "
            "does not show which, and the caller cannot tell, either. The opposite happens where "
            "the flag is shared: stopping one session stops another."
        ),
        good="tool runs | cancel | tool sees it and ends | run settles",
        bad="tool runs | cancel | run settles | tool runs to its end",
    ),
    Rule(
        id="cancel-idempotent",
        tier="core",
        family="cancel",
        sentence="A second cancel, together with the first or later, changes nothing.",
        check=idempotent,
        why=(
            "Impatient users press stop twice, and two observers may both cancel. The second call "
            "then meets half-cleaned state: it raises, reports the end a second time, or turns the "
            "stop into a failure."
        ),
        good="text | cancel | cancel | AgentEnd cancelled",
        bad="text | cancel | cancel | AgentEnd cancelled, AgentEnd cancelled",
    ),
    Rule(
        id="cancel-flag-reset",
        tier="core",
        family="cancel",
        sentence="A cancel that hit no run, or one that has ended, does not touch the next run.",
        check=flag_reset,
        why=(
            "The flag is set while the agent is idle, or not cleared at the end, and the next "
            "prompt is swallowed. It ends at once, as cancelled or without a request, and the user "
            "does not know why."
        ),
        good="run 1 ends | cancel | run 2 is answered",
        bad="run 1 ends | cancel | run 2 ends as cancelled",
    ),
)

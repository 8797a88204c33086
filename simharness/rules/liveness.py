"""Rules about ends: every run settles, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Sequence

from simharness.contract import Contract
from simharness.rules.asked import to_be_stopped
from simharness.rules.conversation import heard, refusals
from simharness.rules.reading import NEVER, Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import (
    ActionTaken,
    CancelCalled,
    HookCalled,
    LeftBehind,
    LimitHit,
    LoopError,
    PhaseChanged,
    RequestMade,
    StreamClosed,
    StreamTold,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "clean_close", "idle_again", "no_leaks", "settles", "streams_closed"]

_STUCK = {
    "deadlock",
    "livelock",
    "step-limit",
    "virtual-time-limit",
    "wall-limit",
    "memory-limit",
    "process-death",
    "child-exit",
    "child-silence",
    "child-garbage",
    "child-flood",
}
_LEAKS = {"leaked-task", "leaked-timer", "leaked-thread", "leaked-generator"}
_SILENT = {"deadlock", "virtual-time-limit"}


def settles(trace: Trace, contract: Contract) -> Judgement:
    """Judge that every run comes to its end, except where the script itself hangs."""
    facts = read(trace, contract)
    settled = sum(run.settled is not None for run in facts.runs.values())
    limits = [limit for limit in trace.of(LimitHit) if limit.limit in _STUCK]
    if not limits:
        return judged(settled)
    limit = limits[0]
    name = _named(limit)
    stuck = [run for run in facts.runs.values() if run.over == NEVER]
    hanging = [run for run in stuck if limit.limit in _SILENT and _script_hangs(facts, run)]
    violations = [
        Violation("settles", f"Run {run.number} does not settle: {name}.", (limit.n,))
        for run in stuck
        if run not in hanging and not _waits_behind(facts, run, hanging)
    ]
    if not stuck:
        text = f"All runs have settled, but the loop does not come to rest: {name}."
        violations = [Violation("settles", text, (limit.n,))]
    occasions = settled + len(violations)
    return judged(occasions, violations)


def _named(limit: LimitHit) -> str:
    """The limit, and how the process died, or what it did, if it is about one."""
    of_process = limit.limit == "process-death" or limit.limit.startswith("child-")
    return f"{limit.limit} ({limit.detail})" if of_process else limit.limit


def _script_hangs(facts: Facts, run: RunFacts) -> bool:
    """Whether the run waits for a stream that stays silent, and nobody asked it to stop.

    A graceful cancel lets the turn end, so it does not end a silent stream either. Nor does one
    that ended the part of the run in front of what was queued.
    """
    if not run.requests or to_be_stopped(facts, run):
        return False
    request = run.requests[-1]
    if any(request.n < run.stopped(cancel) for cancel in run.cancels):
        return False
    if facts.terminal(request) is not None:
        return False
    told = [told.request for told in facts.trace.of(StreamTold, run.number)]
    closed = [closed.request for closed in facts.trace.of(StreamClosed, run.number)]
    return request.request not in told + closed


def _waits_behind(facts: Facts, run: RunFacts, hanging: Sequence[RunFacts]) -> bool:
    """Whether a prompt waits, uncancelled, for a run that the script lets hang."""
    if facts.contract.second_prompt != "queue" or run.requests or run.cancels:
        return False
    return any(one.prompted < run.prompted and one.session == run.session for one in hanging)


def no_leaks(trace: Trace, contract: Contract) -> Judgement:
    """Judge that 30 virtual seconds after the settling nothing of the runs is left."""
    facts = read(trace, contract)
    occasions = sum(run.settled is not None for run in facts.runs.values())
    if not occasions:
        return NOTHING
    left = trace.of(LeftBehind)
    kinds = _LEAKS if contract.generators == "closed" else _LEAKS - {"leaked-generator"}
    violations = tuple(
        Violation("no-leaked-tasks", f"Left behind after 30 s, {one.kind}: {one.what}.", (one.n,))
        for one in left
        if one.final and one.kind in kinds
    )
    notes = tuple(
        f"left behind at the settling, {one.kind}: {one.what}"
        if not one.final
        else f"left behind after 30 s, {one.kind}: {one.what}"
        for one in left
        if one.kind in _LEAKS and not (one.final and one.kind in kinds)
    )
    return judged(occasions, violations, notes)


def streams_closed(trace: Trace, contract: Contract) -> Judgement:
    """Judge that every stream that was not read to its end has been closed."""
    del contract  # no agent may leave a stream open
    requests = len(trace.of(RequestMade))
    ended = sum(closed.by == "end" for closed in trace.of(StreamClosed))
    violations = tuple(
        Violation("upstream-closed", f"Left open after 30 s, {one.kind}: {one.what}.", (one.n,))
        for one in trace.of(LeftBehind)
        if one.final and one.kind == "unclosed-stream"
    )
    occasions = max(requests - ended, len(violations))
    return judged(occasions, violations)


def clean_close(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a consumer which leaves its iterator gets no exception for it."""
    left = [c for c in trace.of(CancelCalled) if c.way.upper() in {"CLOSE", "BREAK"}]
    if not left:
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for cancel in left:
        run = facts.runs.get(cancel.run)
        if run is None or cancel.n > run.over:
            continue
        occasions += 1
        if run.settled is not None and run.settled.error:
            text = f"Closing the iterator of run {run.number} raised {_kind(run.settled.error)}."
            violations.append(Violation("close-is-clean", text, (cancel.n, run.over)))
        for error in trace.of(LoopError):
            if error.n > cancel.n and _of_generator(error):
                text = f"After the consumer left run {run.number}: {error.message}."
                violations.append(Violation("close-is-clean", text, (cancel.n, error.n)))
    return judged(occasions, violations)


def _kind(error: str) -> str:
    """The type of an exception, of which a record holds type and text."""
    return error.partition(":")[0]


def _of_generator(error: LoopError) -> bool:
    text = f"{error.message} {error.error}".lower()
    return "asynchronous generator" in text or "generatorexit" in text or "aclose()" in text


def idle_again(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the agent says it is idle after each run, and accepts the next prompt."""
    facts = read(trace, contract)
    reports = "phase" in contract.reports
    phases = [p for p in trace.of(PhaseChanged) if not p.derived] if reports else []
    occasions = 0
    violations: list[Violation] = []
    broken = {one.run for one in heard(facts) if one.faults and not one.sent}
    refused = {run.number for run in refusals(facts)} - broken  # these are judged by tool-pairing
    for run in facts.runs.values():
        if run.settled is None or run.left:
            continue
        if run.number > 1 and not facts.overlaps(run):
            occasions += 1
            if run.number in refused and not _explained(facts, run):
                kind = _kind(run.settled.error)
                text = f"The idle agent refused the prompt of run {run.number} with {kind}."
                violations.append(Violation("phase-returns-idle", text, (run.prompted, run.over)))
        of_run = [phase for phase in phases if phase.run == run.number]
        if of_run:
            occasions += 1
            if of_run[-1].phase != "idle" and not run.queued:
                text = f"After run {run.number} the phase stays {of_run[-1].phase}."
                evidence = (of_run[-1].n, run.over)
                violations.append(Violation("phase-returns-idle", text, evidence))
    return judged(occasions, violations)


def _explained(facts: Facts, run: RunFacts) -> bool:
    """Whether a hook, or something done to the agent before, may have refused the prompt."""
    trace = facts.trace
    return bool(trace.of(HookCalled, run.number)) or any(
        action.n < run.over and action.action not in _HARMLESS for action in trace.of(ActionTaken)
    )


_HARMLESS = {"wait", "gc"}


RULES = (
    Rule(
        id="settles",
        tier="core",
        family="liveness",
        sentence=(
            "After the last stimulus the run, its iterator and every waiter finish within bounded "
            "virtual time."
        ),
        check=settles,
        why=(
            "A lost wake-up, a queue that is never joined or a callback that raised leaves the "
            "caller waiting for ever, and the user's only way out is to kill the process. A stream "
            "that the script lets hang is the script's while nobody cancels; once the user cancels "
            "the run must end, whatever the stream does."
        ),
        good="stream hangs | cancel | run settles",
        bad="stream hangs | cancel | deadlock",
    ),
    Rule(
        id="no-leaked-tasks",
        tier="core",
        family="liveness",
        sentence=(
            "30 virtual seconds after the settling no task, timer or thread of the runs remains."
        ),
        check=no_leaks,
        why=(
            "Tasks that nobody awaits hold connections, locks and memory, and their exceptions "
            "vanish. What remains at the settling itself is only noted, because winding up takes "
            "a moment; a generator that is left to the garbage collector breaks the rule only for "
            "agents that declare generators: closed."
        ),
        good="cancel | run settles | helper task ends 10 ms later",
        bad="cancel | run settles | 30 s later the helper task still waits",
    ),
    Rule(
        id="upstream-closed",
        tier="core",
        family="liveness",
        sentence=(
            "Every model stream that was opened and not read to its end is closed within 30 "
            "virtual seconds of the settling."
        ),
        check=streams_closed,
        why=(
            "An open response keeps its connection and the provider goes on generating, for "
            "money. It happens where the reading loop is left by break, return or an exception "
            "without closing what it read from."
        ),
        good="cancel | stream closed by aclose | run settles",
        bad="cancel | run settles | the stream stays open",
    ),
    Rule(
        id="close-is-clean",
        tier="core",
        family="liveness",
        sentence="Closing or leaving the consumer's iterator raises nothing.",
        check=clean_close,
        why=(
            "A generator that yields or awaits while it is being closed raises RuntimeError in "
            "the consumer, or in nobody's task at all. Its own clean-up does not run, and what it "
            "held stays open."
        ),
        good="item | consumer closes | run settles",
        bad="item | consumer closes | RuntimeError: generator ignored GeneratorExit",
    ),
    Rule(
        id="phase-returns-idle",
        tier="core",
        family="liveness",
        sentence="After a run has ended in any way the agent is idle and accepts a prompt.",
        check=idle_again,
        why=(
            "The flag that says running is set at the start and cleared on the happy path only. "
            "After a cancel or an error the agent refuses every prompt as already running, and "
            "only a restart helps."
        ),
        good="run 1 is cancelled | phase idle | run 2 is answered",
        bad="run 1 is cancelled | run 2 raises: already running",
    ),
)

"""Rules about declared bounds: how soon a cancel takes effect, how long a stream may be silent.

Both read virtual seconds, so they judge only trials in which no delivery was made late.
"""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.reading import NEVER, Cancel, Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import (
    ChunkArrived,
    ChunkTaken,
    LimitHit,
    Record,
    RequestMade,
    SignTaken,
    StreamClosed,
    StreamTold,
    TerminalTaken,
    ToolEnded,
    ToolStarted,
    Trace,
    UsageTaken,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "cancel_in_time", "silence_ends"]

_EPSILON_S = 1e-6


def cancel_in_time(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a cancelled run has stopped within the bound that the agent declares."""
    word, _, rest = (contract.cancel_bound or "").partition("(")
    bound = _number(rest.removesuffix(")"))
    if bound is None:
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations = []
    for run, cancel in facts.cancelled():
        if run.settled is None or run.queued:
            continue  # a run that never settles is judged by settles
        if _untold(facts, run, cancel):
            continue
        occasions += 1
        if word == "seconds":
            found = _seconds_late(facts, run, cancel, bound)
        else:
            found = _chunks_late(facts, run, cancel, bound)
        if found is not None:
            violations.append(found)
    return judged(occasions, violations)


def _untold(facts: Facts, run: RunFacts, cancel: Cancel) -> bool:
    """Whether a stream kept the CancelledError to itself: the agent could not know until it read
    on, and no bound of its own can begin before that.
    """
    records = facts.trace.records
    return any(
        told.how == "CancelledError" and not isinstance(records[told.n + 1], StreamClosed)
        for told in facts.trace.of(StreamTold, run.number)
        if told.n > cancel.called
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _seconds_late(facts: Facts, run: RunFacts, cancel: Cancel, bound: float) -> Violation | None:
    """The settling, if it comes after the bound and waits for no body that ignores the cancel."""
    deadline = facts.trace.records[cancel.called].time + bound + _EPSILON_S
    settled = run.settled
    if settled is None or settled.time <= deadline or _body_runs(facts, run, deadline):
        return None
    text = f"Run {run.number} settles later than {bound:g} s after its cancel."
    return Violation("cancel-effective", text, (cancel.called, settled.n))


def _body_runs(facts: Facts, run: RunFacts, deadline: float) -> bool:
    """Whether a tool body that had been told still ran at the deadline."""
    ended = {tool.call_id for tool in facts.trace.of(ToolEnded) if tool.time <= deadline}
    return any(
        body.time <= deadline and body.call_id not in ended
        for body in facts.trace.of(ToolStarted, run.number)
    )


def _chunks_late(facts: Facts, run: RunFacts, cancel: Cancel, bound: float) -> Violation | None:
    """The first chunk that was taken beyond the bound."""
    after = [c for c in facts.trace.of(ChunkTaken, run.number) if c.n > cancel.called]
    if len(after) <= bound:
        return None
    text = f"Run {run.number} takes more than {bound:g} chunks after its cancel."
    return Violation("cancel-effective", text, (cancel.called, after[int(bound)].n))


def silence_ends(trace: Trace, contract: Contract) -> Judgement:
    """Judge that no stream is silent for longer than the agent says that it waits."""
    limit = _number(contract.idle_limit_s or "")
    if limit is None:
        return NOTHING
    facts = read(trace, contract)
    signs = _signs(facts)
    occasions = 0
    violations = []
    for run in facts.runs.values():
        for request in run.requests:
            silent = _silence(facts, run, request, signs.get((run.number, request.request), []))
            longest = max(silent, key=lambda gap: gap[0])
            if longest[0] >= limit - _EPSILON_S:
                occasions += 1
            if longest[0] > limit + _EPSILON_S:
                text = (
                    f"The stream of request {request.request} of run {run.number} was silent "
                    f"for longer than {limit:g} s."
                )
                violations.append(Violation("stall-bounded", text, (longest[1],)))
    return judged(occasions, violations)


def _signs(facts: Facts) -> dict[tuple[int, int], list[Record]]:
    """What each stream gave a sign of life with, or was ended by, in order."""
    found: dict[tuple[int, int], list[Record]] = {}
    for record in facts.trace:
        if isinstance(record, _SIGNS):
            found.setdefault((record.run, record.request), []).append(record)
    return found


_ENDS = (TerminalTaken, StreamTold, StreamClosed)
_SIGNS = (ChunkArrived, ChunkTaken, SignTaken, UsageTaken, *_ENDS)


def _silence(
    facts: Facts, run: RunFacts, request: RequestMade, signs: list[Record]
) -> list[tuple[float, int]]:
    """Each pause of an open stream in seconds, with the record behind which it lies."""
    gaps = []
    before: Record = request
    for sign in signs:
        gaps.append((sign.time - before.time, before.n))
        if isinstance(sign, _ENDS):
            return gaps
        before = sign
    end = facts.trace.records[-1 if run.over == NEVER else run.over]
    stuck = any(limit.limit == "deadlock" for limit in facts.trace.of(LimitHit))
    last = float("inf") if stuck and run.over == NEVER else end.time - before.time
    return [*gaps, (last, before.n)]


RULES = (
    Rule(
        id="cancel-effective",
        tier="declared",
        family="cancel",
        sentence=(
            "A cancel that was accepted, in whatever state, takes effect within the bound that the "
            "agent declares."
        ),
        check=cancel_in_time,
        timed=True,
        needs=("cancel_bound",),
        why=(
            "A stop button that works only while text streams is worse than none: the user presses "
            "it during a tool, a backoff or a connect and waits. An agent says how long it may "
            "take, in seconds or in chunks. A tool body that was told and goes on all the same is "
            "not held against it."
        ),
        good="cancel_bound seconds(1): cancel | 0.3 s | run settles",
        bad="cancel_bound seconds(1): cancel during backoff | 8 s | run settles",
    ),
    Rule(
        id="stall-bounded",
        tier="declared",
        family="liveness",
        sentence="A silent open stream is ended when the declared idle limit is over.",
        check=silence_ends,
        timed=True,
        needs=("idle_limit_s",),
        why=(
            "Providers stall: the connection stays open and nothing comes any more. Without a "
            "limit the run is pending until somebody looks. Silence is counted between signs of "
            "life, a keepalive included; agents that declare idle_limit_s: none are not judged."
        ),
        good='idle_limit_s 30: "Hel" | 30 s of silence | stream closed | retry or failure',
        bad='idle_limit_s 30: "Hel" | 9 minutes of silence',
    ),
)

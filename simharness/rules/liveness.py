"""Rules about ends: every run settles, and leaves nothing behind."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule
from simharness.trace import LimitHit, StreamClosed, StreamTold, Trace
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "settles"]

_STUCK = {"deadlock", "livelock", "step-limit", "virtual-time-limit", "wall-limit"}
_SILENT = {"deadlock", "virtual-time-limit"}


def settles(trace: Trace, contract: Contract) -> Judgement:
    """Judge that every run comes to its end, except where the script itself hangs."""
    facts = read(trace, contract)
    settled = sum(run.settled is not None for run in facts.runs.values())
    limits = [limit for limit in trace.of(LimitHit) if limit.limit in _STUCK]
    if not limits:
        return Judgement(settled) if settled else NOTHING
    limit = limits[0]
    stuck = [run for run in facts.runs.values() if run.settled is None]
    violations = [
        Violation("settles", f"Run {run.number} does not settle: {limit.limit}.", (limit.n,))
        for run in stuck
        if not (limit.limit in _SILENT and _script_hangs(facts, run))
    ]
    if not stuck:
        text = f"All runs have settled, but the loop does not come to rest: {limit.limit}."
        violations = [Violation("settles", text, (limit.n,))]
    occasions = settled + len(violations)
    return Judgement(occasions, tuple(violations)) if occasions else NOTHING


def _script_hangs(facts: Facts, run: RunFacts) -> bool:
    """Whether the run waits for a stream that stays silent, and nobody asked it to stop.

    A graceful cancel lets the turn end, so it does not end a silent stream either.
    """
    if run.cancels or not run.requests:
        return False
    request = run.requests[-1]
    if facts.terminal(request) is not None:
        return False
    told = [told.request for told in facts.trace.of(StreamTold, run.number)]
    closed = [closed.request for closed in facts.trace.of(StreamClosed, run.number)]
    return request.request not in told + closed


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
)

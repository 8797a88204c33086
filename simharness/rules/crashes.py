"""Rules about a kill: what it leaves in the store, and what a reload makes of it."""

from __future__ import annotations

from itertools import pairwise

from simharness.contract import Contract
from simharness.rules.conversation import StrictProvider
from simharness.rules.reading import Facts, read
from simharness.rules.rule import Rule, judged
from simharness.rules.stored import State, lacking, loads, state_before, states
from simharness.storing import Killed, SessionLoaded
from simharness.trace import HistoryRead, ToolStarted, Trace
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "consistent", "idempotent", "loadable"]


def consistent(trace: Trace, contract: Contract) -> Judgement:
    """Judge what a kill leaves: all that was settled, calls paired, started tools known."""
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for state in loads(facts):
        kill = state.before
        if not isinstance(kill, Killed) or state.loaded is None or state.loaded.error:
            continue
        occasions += 1
        texts = [
            f"{fault.text}"
            for fault in StrictProvider(state.loaded.messages).faults
            if fault.kind in _UNPAIRED
        ]
        if not lacking(trace, kill.n):
            texts += _lost(facts, kill, state.loaded)
        violations += [
            Violation("crash-consistent", f"After the kill {text}.", (kill.n, state.n))
            for text in texts[:1]
        ]
    return judged(occasions, violations)


_UNPAIRED = {"unanswered", "twice", "orphan", "misplaced"}


def _lost(facts: Facts, kill: Killed, loaded: SessionLoaded) -> list[str]:
    """What had been settled or done before the kill and is not in what was loaded."""
    before = state_before(facts, kill.n)
    settled = () if before is None or before.memory is None else before.memory
    found = []
    if loaded.messages[: len(settled)] != settled:
        found.append("the history does not begin with what earlier runs had left")
    calls = {call.id for message in loaded.messages for call in message.calls}
    # the process before it may have been killed with the same run in progress
    lossy = [one for one in facts.trace.of(Killed) if one.unflushed and one.n <= kill.n]
    owed = set(kill.runs).difference(*(one.runs for one in lossy))
    owed -= {run.number for run in facts.runs.values() if run.session}
    found += [
        f"nothing says that tool {started.name} had started"
        for started in facts.trace.of(ToolStarted)
        if started.run in owed and started.n < kill.n and started.call_id not in calls
    ]
    return found


def loadable(trace: Trace, contract: Contract) -> Judgement:  # noqa: ARG001 - store rules have one form
    """Judge that loading never raises, whatever a kill or a fault has left in the file."""
    found = trace.of(SessionLoaded)
    violations = [
        Violation("history-loadable", f"Loading the session raised {load.error}.", (load.n,))
        for load in found
        if load.error
    ]
    return judged(sum(bool(load.messages or load.error) for load in found), violations)


def idempotent(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a session that was loaded twice in a row, without a run between, is the same."""
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for first, second in _twice(facts):
        occasions += 1
        if first.loaded is not None and first.memory != second.memory:
            text = f"Repairing again changes the history: {_change(first, second)}."
            evidence = (first.n, second.n)
            violations.append(Violation("repair-idempotent", text, evidence))
    return judged(occasions, violations)


def _twice(facts: Facts) -> list[tuple[State, State]]:
    """Pairs of loads of one session with nothing but a kill between them."""
    found = []
    every = states(facts)
    for first, second in pairwise(every):
        between = facts.trace.between(first.n, second.n)
        runs = any(isinstance(record, HistoryRead) for record in between)
        killed = isinstance(second.before, Killed) and second.loaded is not None
        prompted = any(first.n < run.prompted < second.n for run in facts.runs.values())
        failed = any(s.loaded is None or s.loaded.error for s in (first, second))
        if killed and not (runs or prompted or failed):
            found.append((first, second))
    return found


def _change(first: State, second: State) -> str:
    was, now = first.memory or (), second.memory or ()
    return (
        f"it had {len(was)} messages and has {len(now)}"
        if len(was) != len(now)
        else ("a message is another one")
    )


_STORE = ("store",)

RULES = (
    Rule(
        id="crash-consistent",
        tier="store",
        family="history",
        sentence=(
            "After a kill the loaded history begins with all that earlier runs had left, answers "
            "every call, and knows of every tool that had started."
        ),
        check=consistent,
        needs=_STORE,
        why=(
            "A process dies between any two writes. A call without a result then makes every later "
            "request fail, and a call that was not written before its tool began is made again, "
            "with its effect. So the log has to be written ahead, and a reload has to close what "
            "was open."
        ),
        good="store: user, assistant(call c1) | kill | loaded: ..., tool(c1: outcome unknown)",
        bad="store: user, assistant(call c1) | kill | loaded: user, assistant(call c1)",
    ),
    Rule(
        id="history-loadable",
        tier="store",
        family="history",
        sentence="Loading a session never raises, whatever a kill or a fault of the store left.",
        check=loadable,
        needs=_STORE,
        why=(
            "The last line of a log is cut in half, or a result has lost its call, and the loader "
            "raises before any repair could run. The whole conversation is then lost for half a "
            "line."
        ),
        good="store: user, assistant, half a line | loaded: user, assistant",
        bad="store: user, assistant, half a line | loading raises JSONDecodeError",
    ),
    Rule(
        id="repair-idempotent",
        tier="store",
        family="history",
        sentence="Loading a session twice, with nothing done in between, gives the same history.",
        check=idempotent,
        needs=_STORE,
        why=(
            "A program that cannot start is started again and again. If each start adds its marker "
            "that the session was resumed, or answers a call once more, they pile up in the "
            "history. Repair has to see that it was done."
        ),
        good="kill | loaded: user, assistant | kill | loaded: user, assistant",
        bad="kill | loaded: ..., user(resumed) | kill | loaded: ..., user(resumed), user(resumed)",
    ),
)

"""Rules about reported records: what starts must end, once, and in order."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from simharness.contract import Contract
from simharness.rules.conversation import between_runs
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.storing import SessionLoaded
from simharness.trace import (
    AgentEnd,
    AgentStart,
    BatchPending,
    BatchSettled,
    MessageEnd,
    MessageStart,
    Reported,
    ToolExecutionEnd,
    ToolExecutionStart,
    Trace,
    TurnEnd,
    TurnStart,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "paired", "torn"]

_IDENTITY: dict[type[Reported], Callable[[Any], object]] = {
    AgentStart: lambda _: "",
    AgentEnd: lambda _: "",
    TurnStart: attrgetter("turn"),
    TurnEnd: attrgetter("turn"),
    MessageStart: lambda _: "",  # messages have no name and are taken in order
    MessageEnd: lambda _: "",
    ToolExecutionStart: attrgetter("call_id"),
    ToolExecutionEnd: attrgetter("call_id"),
    BatchPending: lambda batch: ("batch", batch.calls),
    BatchSettled: lambda batch: ("batch", batch.calls),
}
"""What an end has in common with its start, besides family and run."""

_STARTS = {AgentStart, TurnStart, MessageStart, ToolExecutionStart, BatchPending}

_Opened = dict[tuple[int, str, object], list[Reported]]


def paired(trace: Trace, contract: Contract) -> Judgement:
    """Judge that each reported start has exactly one end, and each end a start before it."""
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    opened: _Opened = {}
    for record in facts.events():
        kind = type(record)
        identity = _IDENTITY.get(kind)
        if identity is None:
            continue
        occasions += 1
        key = (record.run, record.family, identity(record))
        if kind in _STARTS:
            opened.setdefault(key, []).append(record)
        elif opened.get(key):
            opened[key].pop()
        else:
            text = f"In run {record.run} the end of {_name(record)} was reported without a start."
            violations.append(Violation("start-end-paired", text, (record.n,)))
    if not occasions:
        return NOTHING
    violations += _never_ended(facts, opened)
    if "message" in contract.reports:
        violations += _silent(facts)
    return judged(occasions, violations)


def _never_ended(facts: Facts, opened: _Opened) -> list[Violation]:
    """Starts without an end; a run that never settles is the business of `settles`."""
    found = []
    for (number, _, _), waiting in opened.items():
        if not waiting:
            continue
        run = facts.runs[number]
        if run.settled is None or torn(run, facts.contract):
            continue
        for record in waiting:
            text = f"In run {number} the start of {_name(record)} has no end."
            found.append(Violation("start-end-paired", text, (record.n,)))
    return found


def _name(record: Reported) -> str:
    if isinstance(record, TurnStart | TurnEnd):
        return f"turn {record.turn}"
    if isinstance(record, ToolExecutionStart | ToolExecutionEnd):
        return f"call {record.call_id} of {record.name}"
    if isinstance(record, MessageStart | MessageEnd):
        return f"the {record.message.role} message"
    if isinstance(record, BatchPending | BatchSettled):
        return f"the batch of {', '.join(record.calls)}"
    return "the run"


def torn(run: RunFacts, contract: Contract) -> bool:
    """Whether the run was torn down from outside, so that its last events may have no reader.

    An agent that declares `on_dispose: terminal` promises its terminals in this case too.
    """
    if contract.on_dispose == "terminal" or run.settled is None:
        return False
    return run.settled.how in {"cancelled", "closed", "broke"}


def _silent(facts: Facts) -> list[Violation]:
    """Messages that the next prompt's first request holds without having had their events.

    Events may reach their reader later than the request that follows them, so it is looked at
    when the run is over; and only at roles whose messages the agent reports at all.
    """
    histories = between_runs(facts)
    if not histories or any(run.left for run in facts.runs.values()):
        return []  # a run that carries on without its consumer reports to nobody
    if any(load.messages for load in facts.trace.of(SessionLoaded)):
        return []  # what was loaded is shown as a whole
    numbers: dict[str, list[int]] = {"assistant": [], "tool": []}
    for end in facts.trace.of(MessageEnd):
        if end.message.role in numbers and not (end.derived or end.discarded):
            numbers[end.message.role].append(end.n)
    found = []
    for role, told in numbers.items():
        for one in histories if told else ():
            if one.roles.count(role) > bisect(told, one.n):
                text = f"In {one.place} there is a message of role {role} that had no events."
                found.append(Violation("start-end-paired", text, (one.n,)))
                break
    return found


RULES = (
    Rule(
        id="start-end-paired",
        tier="core",
        family="events",
        sentence=(
            "Every reported start of a run, turn, message, tool or batch of results has exactly "
            "one end, and every message that is appended has its pair."
        ),
        check=paired,
        reports=("agent", "turn", "message", "tool"),
        why=(
            "A client draws what the events tell it. A start without an end is a spinner that "
            "never stops; a message that was appended silently is missing on the screen and "
            "present in the next request. Errors and limits are where ends are forgotten."
        ),
        good="TurnStart 1, MessageStart, MessageEnd, TurnEnd 1",
        bad="TurnStart 1, MessageStart, AgentEnd failed      <- two ends are missing",
    ),
)

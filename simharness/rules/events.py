"""Rules about reported records: what starts must end, once, and in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from simharness.contract import Contract
from simharness.rules.conversation import heard
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule
from simharness.trace import (
    AgentEnd,
    AgentStart,
    MessageEnd,
    MessageStart,
    Record,
    Reported,
    ToolExecutionEnd,
    ToolExecutionStart,
    Trace,
    TurnEnd,
    TurnStart,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "paired", "torn"]

_PAIRS: dict[str, tuple[type[Reported], type[Reported]]] = {
    "agent": (AgentStart, AgentEnd),
    "turn": (TurnStart, TurnEnd),
    "message": (MessageStart, MessageEnd),
    "tool": (ToolExecutionStart, ToolExecutionEnd),
}


def paired(trace: Trace, contract: Contract) -> Judgement:
    """Judge that each reported start has exactly one end, and each end a start before it."""
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for family, (start, end) in _PAIRS.items():
        if family not in contract.reports:
            continue
        records = sorted((*trace.of(start), *trace.of(end)), key=_number)
        records = [record for record in records if not record.derived]
        occasions += len(records)
        violations += _unpaired(facts, family, start, records)
    if not occasions:
        return NOTHING
    if "message" in contract.reports:
        violations += _silent(facts)
    return Judgement(occasions, tuple(violations))


def _number(record: Record) -> int:
    return record.n


def _unpaired(
    facts: Facts, family: str, start: type[Reported], records: Iterable[Reported]
) -> list[Violation]:
    """Walk the starts and ends of one family and report what does not match."""
    found = []
    opened: dict[tuple[int, str], list[Reported]] = {}
    for record in records:
        run = facts.runs.get(record.run)
        if run is None or run.left:
            continue
        name = _name(family, record)
        waiting = opened.setdefault((record.run, "" if family == "message" else name), [])
        if type(record) is start:
            waiting.append(record)
        elif waiting:
            waiting.pop()
        else:
            text = f"In run {record.run} the end of {name} was reported without a start."
            found.append(Violation("start-end-paired", text, (record.n,)))
    for (number, _), waiting in opened.items():
        run = facts.runs[number]
        if run.settled is None or torn(run, facts.contract):
            continue  # a run that never settles is judged by settles
        for record in waiting:
            text = f"In run {number} the start of {_name(family, record)} has no end."
            found.append(Violation("start-end-paired", text, (record.n,)))
    return found


def _name(family: str, record: Reported) -> str:
    if isinstance(record, TurnStart | TurnEnd):
        return f"turn {record.turn}"
    if isinstance(record, ToolExecutionStart | ToolExecutionEnd):
        return f"call {record.call_id} of {record.name}"
    if isinstance(record, MessageStart | MessageEnd):
        return f"the {record.message.role} message"
    return f"the {family}"


def torn(run: RunFacts, contract: Contract) -> bool:
    """Whether the run was torn down from outside, so that its last events may have no reader.

    An agent that declares `on_dispose: terminal` promises its terminals in this case too.
    """
    if contract.on_dispose == "terminal" or run.settled is None:
        return False
    return run.settled.how in {"cancelled", "closed", "broke"}


def _silent(facts: Facts) -> list[Violation]:
    """Messages that a later request holds without having had their events.

    Only roles are looked at whose messages the agent reports at all.
    """
    ends = [end for end in facts.trace.of(MessageEnd) if not end.derived]
    roles = {end.message.role for end in ends} & {"assistant", "tool"}
    found = []
    for role in sorted(roles):
        numbers = [end.n for end in ends if end.message.role == role and not end.discarded]
        for one in heard(facts):
            run = facts.runs.get(one.run)
            if run is None or any(other.left for other in facts.runs.values()):
                break
            held = Counter(message.role for message in one.messages)[role]
            if held > sum(1 for n in numbers if n < one.n):
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
            "Every reported start of a run, turn, message or tool has exactly one end, and every "
            "message that is appended has its pair."
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

"""Rules about the order of what is reported: blocks nest, and the end comes last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from simharness.contract import Contract
from simharness.rules.reading import NEVER, Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import (
    AgentEnd,
    AgentStart,
    ChunkTaken,
    MessageEnd,
    MessageStart,
    Record,
    Reported,
    RequestMade,
    Shown,
    ToolEffect,
    ToolEnded,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolStarted,
    Trace,
    TurnEnd,
    TurnStart,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "last_word", "nested", "nothing_after"]


@attrs.define
class _Open:
    """What is open in one run. Starts that never end are the business of start-end-paired.

    `marks` is what the agent declares to add behind a cancelled or failed turn; None: it does not
    say. `turned`: a turn has ended.
    """

    marks: frozenset[str] | None = None
    turn: bool = False
    turned: bool = False
    message: bool = False
    tools: int = 0

    def block(self) -> str:
        """The block inside which nothing may end or begin; "" if there is none."""
        if self.message:
            return "a message"
        return "a tool call" if self.tools else ""


def nested(trace: Trace, contract: Contract) -> Judgement:
    """Judge that no terminal, turn or message is reported while a block is open."""
    facts = read(trace, contract)
    opened: dict[int, _Open] = {}
    marks: frozenset[str] | None = None
    if contract.declares("cancel_marker"):
        marks = frozenset(map(contract.text_in, ("cancel_marker", "failed_final")))
    occasions = 0
    violations: list[Violation] = []
    for record in facts.events():
        step = _STEPS.get(type(record))
        if step is None:
            continue
        occasions += 1
        state = opened.get(record.run)
        if state is None:
            state = opened[record.run] = _Open(marks)
        problem = step(state, record)
        if problem:
            text = f"In run {record.run} {problem}."
            violations.append(Violation("nested-order", text, (record.n,)))
    return judged(occasions, violations)


# One function per record: it opens or closes what the record says, and returns what it found open
# and should not have.


def _message_start(state: _Open, record: Any) -> str:
    inside, state.message = state.message, True
    if inside:
        return "a message started inside a message"
    stray = state.turned and not state.turn
    if stray and state.marks is not None and record.message.text not in state.marks:
        return "a message that no contract declares started behind its turn"
    return ""


def _message_end(state: _Open, _: Any) -> str:
    state.message = False
    return ""


def _tool_start(state: _Open, _: Any) -> str:
    state.tools += 1
    return ""


def _tool_end(state: _Open, _: Any) -> str:
    state.tools = max(0, state.tools - 1)
    return ""


def _turn_start(state: _Open, record: Any) -> str:
    block = state.block() or ("a turn" if state.turn else "")
    state.turn = True
    return f"turn {record.turn} started inside {block}" if block else ""


def _turn_end(state: _Open, record: Any) -> str:
    block = state.block()
    state.turn, state.turned = False, True
    return f"turn {record.turn} ended inside {block}" if block else ""


def _agent_end(state: _Open, _: Any) -> str:
    block = state.block() or ("a turn" if state.turn else "")
    state.turned = False
    return f"the run was reported as over inside {block}" if block else ""


_STEPS: dict[type[Reported], Callable[[_Open, Any], str]] = {
    MessageStart: _message_start,
    MessageEnd: _message_end,
    ToolExecutionStart: _tool_start,
    ToolExecutionEnd: _tool_end,
    TurnStart: _turn_start,
    TurnEnd: _turn_end,
    AgentEnd: _agent_end,
}


def nothing_after(trace: Trace, contract: Contract) -> Judgement:
    """Judge that nothing of a run is reported or shown behind its terminal, nor in another run."""
    facts = read(trace, contract)
    closed: dict[int, int] = {}
    occasions = 0
    violations: list[Violation] = []
    for record in facts.events() if trace.of(AgentEnd) else ():
        kind = type(record)
        if kind is AgentEnd:
            closed[record.run] = record.n
            occasions += 1
        elif kind is AgentStart:
            closed.pop(record.run, None)  # a queued message begins the agent anew
        elif record.run in closed:
            text = f"{kind.__name__} of run {record.run} came after its terminal."
            evidence = (closed[record.run], record.n)
            violations.append(Violation("no-event-after-terminal", text, evidence))
    shown = trace.of(Shown)
    occasions += len({record.run for record in shown})
    violations += _shown_late(facts, shown)
    return judged(occasions, violations)


def _shown_late(facts: Facts, shown: list[Shown]) -> list[Violation]:
    """Text that reached the consumer when its run was over, or as part of another run."""
    rule = "no-event-after-terminal"
    found = [
        Violation(rule, f"Text of run {record.run} was shown after it had settled.", (record.n,))
        for record in shown
        if facts.behind(record)
    ]
    if len(facts.runs) < 2 or not shown or shown[0].run == shown[-1].run:
        return found
    taken: dict[int, str] = {}
    for chunk in facts.trace.of(ChunkTaken):
        taken[chunk.run] = taken.get(chunk.run, "") + chunk.text
    for record in shown:
        text = record.text.strip()
        if len(text) < 3 or text in taken.get(record.run, ""):
            continue
        source = [run for run, sent in taken.items() if run < record.run and text in sent]
        if source:
            words = f"Text of run {source[0]} was shown as part of run {record.run}."
            found.append(Violation(rule, words, (record.n,)))
    return found


def last_word(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a run is reported as over only when its tools and requests are."""
    facts = read(trace, contract)
    occasions = 0
    points: dict[int, int] = {}
    for run in facts.runs.values():
        if run.settled is not None and not run.left:
            occasions += 1
            points[run.number] = _completed(run)
    if not occasions:
        return NOTHING
    threads = {body.call_id for body in trace.of(ToolStarted) if body.thread}
    violations = []
    for kind in (ToolStarted, ToolEffect, ToolEnded, RequestMade):
        for record in trace.of(kind):
            if record.n > points.get(record.run, NEVER) and _changes(record, threads):
                text = f"Run {record.run} was reported as over before {_WORDS[kind]}."
                evidence = (points[record.run], record.n)
                violations.append(Violation("settle-order", text, evidence))
    return judged(occasions, violations)


_WORDS: dict[type[Record], str] = {
    ToolStarted: "its last tool started",
    ToolEffect: "the last effect of a tool",
    ToolEnded: "its last tool ended",
    RequestMade: "its last model request",
}


def _completed(run: RunFacts) -> int:
    """Where the agent first said that the run is over."""
    if run.queued or not run.ends:
        return run.over
    return min(run.ends[0].n, run.over)


def _changes(record: Record, threads: set[str]) -> bool:
    """Whether `record` is work; a body that is being torn down, or a thread, only winds up."""
    if isinstance(record, ToolEnded) and record.how == "cancelled":
        return False
    return getattr(record, "call_id", "") not in threads


RULES = (
    Rule(
        id="nested-order",
        tier="core",
        family="events",
        sentence=(
            "No terminal, turn or message is reported while another block is open, and behind a "
            "turn no message but the declared cancel marker."
        ),
        check=nested,
        reports=("agent", "turn", "message", "tool"),
        why=(
            "Clients keep a stack of open blocks. A turn that ends while its message is still open "
            "leaves that message on the screen, and the next one is drawn inside it. A message "
            "between turns has no place there at all; whether an agent that says what it adds "
            "after a cancel keeps to it is judged, of others nothing is known."
        ),
        good="TurnStart 1, MessageStart, MessageEnd, TurnEnd 1",
        bad="TurnStart 1, MessageStart, TurnEnd 1, MessageEnd",
    ),
    Rule(
        id="no-event-after-terminal",
        tier="core",
        family="events",
        sentence=(
            "After its terminal no event of a run is reported and none of its text is shown, nor "
            "credited to another run."
        ),
        check=nothing_after,
        why=(
            "A consumer that has seen the end stops listening, and a client that has started the "
            "next turn puts whatever comes into that turn. Buffers that are flushed late and "
            "streams that nobody closed are where such events come from."
        ),
        good="cancel | MessageEnd, TurnEnd, AgentEnd",
        bad="cancel | AgentEnd | MessageUpdate",
    ),
    Rule(
        id="settle-order",
        tier="core",
        family="liveness",
        sentence="A run is reported as over only after its last tool, effect and request.",
        check=last_word,
        why=(
            "Whoever waits for the end acts on it at once: reads the files, starts the next run, "
            "exits. If the end is reported when the stop was merely asked for, that work is "
            "overtaken by what the run still does."
        ),
        good="cancel | tool ends | AgentEnd",
        bad="cancel | AgentEnd | tool has an effect",
    ),
)

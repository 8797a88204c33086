"""The rule about what stored tool results say: what happened, and nothing else."""

from __future__ import annotations

import re

import attrs

from simharness.contract import Contract
from simharness.rules.asked import taken_actions
from simharness.rules.conversation import heard
from simharness.rules.reading import NEVER, Facts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.rules.stored import lacking
from simharness.storing import SessionLoaded, StoreWrite
from simharness.trace import (
    ActionTaken,
    CancelCalled,
    Message,
    PromptCalled,
    ToolEnded,
    ToolExecutionEnd,
    ToolStarted,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "true_results"]

_FAULTY = re.compile(
    r"abort|cancel|interrupt|not run|not execut|skip|stopp|denied|reject|refus|unknown|invalid"
    r"|no tool|not found|error|fail|exception|time",
    re.IGNORECASE,
)
"""Words by which a result says that it is none, for agents that do not flag errors."""
_BLAMES_USER = re.compile(
    r"(cancel|interrupt|abort)\w* by (the )?user|user (has )?(cancel|interrupt|abort)",
    re.IGNORECASE,
)
_NOT_RUN = re.compile(r"not run|not started|never started|not execut", re.IGNORECASE)
_DENIED = re.compile(
    r"user (has )?(reject|declin|denied)|(rejected|denied|declined) by (the )?user", re.IGNORECASE
)


@attrs.define
class _Body:
    """What became of one call: the body's start and end, if it had them."""

    started: ToolStarted | None = None
    ended: ToolEnded | None = None


def true_results(trace: Trace, contract: Contract) -> Judgement:
    """Judge that each stored result agrees with what the body of its call did."""
    if contract.unstarted_call is None or contract.late_tool_result is None:
        return NOTHING
    facts = read(trace, contract)
    bodies = _bodies(facts) | dict.fromkeys(_from_before(facts))
    judged_calls: set[_Key] = set()
    violations = []
    for one in heard(facts):
        for message in one.messages:
            if message.role != "tool":
                continue
            key = _key(facts, one.run, message.call_id)
            if key in judged_calls:
                continue
            body = bodies.get(key, _Body())
            if body is None:
                continue  # the id names several calls, or one of before the trial
            judged_calls.add(key)
            problem = _untrue(facts, message, body, one.n)
            if problem:
                text = f"In {one.place} the result of call {message.call_id} {problem}."
                violations.append(Violation("result-truthful", text, (one.n,)))
    return judged(len(judged_calls), violations)


_Key = tuple[str, str]
"""A session and a call id: what an agent makes up in one may come again in another."""


def _key(facts: Facts, run: int, call_id: str) -> _Key:
    known = facts.runs.get(run)
    return known.session if known is not None else "", call_id


def _bodies(facts: Facts) -> dict[_Key, _Body | None]:
    """The bodies by call; None for an id that more than one body or answer of a session bears."""
    found: dict[_Key, _Body | None] = {}
    for start in facts.trace.of(ToolStarted):
        key = _key(facts, start.run, start.call_id)
        found[key] = None if key in found else _Body(started=start)
    for end in facts.trace.of(ToolEnded):
        body = found.get(_key(facts, end.run, end.call_id))
        if body is not None:
            body.ended = end
    streams: dict[_Key, set[tuple[int, int]]] = {}
    for chunk in facts.args_taken():
        key = _key(facts, chunk.run, chunk.call_id)
        streams.setdefault(key, set()).add((chunk.run, chunk.request))
    return found | {call: None for call, sent in streams.items() if len(sent) > 1}


def _from_before(facts: Facts) -> set[_Key]:
    """The calls whose results were in the session that the trial began with: nobody saw them run.

    Where the agent wrote something while it loaded, a result may be one that it has made up.
    """
    for record in facts.trace:
        if isinstance(record, SessionLoaded):
            return {("", message.call_id) for message in record.messages if message.role == "tool"}
        if isinstance(record, PromptCalled | StoreWrite):
            break
    return set()


def _untrue(facts: Facts, result: Message, body: _Body, n: int) -> str:
    """In what a result is not true; "" if it is."""
    flagged = result.is_error or _FAULTY.search(result.text) is not None
    if body.started is None:
        if not flagged:
            return "looks like a success, but the tool never ran"
        return _wrong_label(facts, result, n)
    end = body.ended
    if (
        result.is_error
        and _NOT_RUN.search(result.text)
        and _killed(facts, body.started)
        and not _lost_in_a_kill(facts, body.started.n, n)
    ):
        return "says that the tool did not run, but it had started when the process was killed"
    if end is None or end.n > n:
        live = end is not None and end.how == "returned" and not _disturbed(facts, n)
        return "is there while the tool still runs" if live else _wrong_label(facts, result, n)
    given_up = _given_up(facts, end, flagged=flagged)
    if given_up or end.how == "returned":
        return given_up or _lost_output(facts, result, end, n)
    if end.how == "raised" and end.result in result.text:
        return ""
    if not flagged:
        return f"looks like a success, but the tool {_ENDED[end.how]}"
    return _wrong_label(facts, result, n)


_ENDED = {"raised": "failed", "cancelled": "was cancelled"}


def _killed(facts: Facts, started: ToolStarted) -> bool:
    run = facts.runs.get(started.run)
    return run is not None and run.killed != NEVER


def _lost_in_a_kill(facts: Facts, since: int, n: int) -> bool:
    """Whether a kill between two records may have taken what the agent had tried to write down."""
    return any(since < kill.n < n and lacking(facts.trace, kill.n) for kill in facts.reloads)


def _given_up(facts: Facts, end: ToolEnded, *, flagged: bool) -> str:
    """Whether a result that was promised to be given up with the run stands as if it had not."""
    run = facts.runs.get(end.run)
    if run is None or not any(cancel.late_from < end.n for cancel in run.cancels):
        return ""
    match facts.contract.late_tool_result:
        case "dropped":
            return "is there, but the tool ended after the cancel"
        case "aborted-error" if end.how == "returned" and not flagged:
            return "looks like a success, but the tool ended after the cancel"
    return ""


def _lost_output(facts: Facts, result: Message, end: ToolEnded, n: int) -> str:
    """Whether a tool that returned has lost its output, where it was promised to be kept."""
    run = facts.runs.get(end.run)
    killed = run is not None and run.killed != NEVER
    if result.is_error and (killed or _lost_in_a_kill(facts, end.n, n)):
        return ""  # the output died with the process
    if facts.contract.late_tool_result != "real" and _late(facts, end):
        return ""
    output, stored = end.result.strip(), result.text.strip()
    kept = output in stored or (bool(stored) and stored in output)
    return "" if kept else "does not hold what the tool returned"


def _late(facts: Facts, end: ToolEnded) -> bool:
    """Whether the run was stopped before the agent had taken what the tool returned."""
    run = facts.runs.get(end.run)
    if run is None:
        return False
    told = [t.n for t in facts.trace.of(ToolExecutionEnd, end.run) if t.call_id == end.call_id]
    taken = [n for n in (*told, *(request.n for request in run.requests)) if n > end.n]
    stops = [cancel.called for cancel in run.cancels]
    stops += [action.n for action in taken_actions(facts.trace, "shutdown", "dispose", "quiesce")]
    if facts.contract.second_prompt in {"interrupt", "rollback"}:
        stops += [other.prompted for other in facts.runs.values() if other.session == run.session]
    return any(run.prompted < n < min(taken, default=run.over) for n in stops)


def _wrong_label(facts: Facts, result: Message, n: int) -> str:
    """Whether a result blames the user for what he did not do."""
    denied = any(action.action.startswith("deny") for action in facts.trace.of(ActionTaken))
    if _DENIED.search(result.text) and not denied:
        return "says that the user rejected the call, which nobody did"
    if _BLAMES_USER.search(result.text) and not _by_user(facts, n):
        return "says that the user cancelled, which nobody did"
    return ""


def _by_user(facts: Facts, n: int) -> bool:
    """Whether a user had interfered before record `n`: what a framework does is not his."""
    cancels = (c for c in facts.trace.of(CancelCalled) if c.way.upper() not in _BY_FRAMEWORK)
    actions = (
        action
        for action in facts.trace.of(ActionTaken)
        if action.action.partition(" ")[0].upper() not in _BY_FRAMEWORK
    )
    return any(record.n < n for record in (*cancels, *actions))


_BY_FRAMEWORK = frozenset(
    {"SHUTDOWN", "DISPOSE", "QUIESCE", "RESUME", "KILL", "FORK", "WAIT", "CONTEXT_RESTART"}
)


def _disturbed(facts: Facts, n: int) -> bool:
    """Whether anybody had done anything but prompt before record `n`."""
    kinds = (CancelCalled, ActionTaken)
    return any(record.n < n for kind in kinds for record in facts.trace.of(kind))


RULES = (
    Rule(
        id="result-truthful",
        tier="declared",
        family="tools",
        sentence=(
            "A stored result says what happened: a tool that returned keeps its output, one that "
            "failed or never ran does not look like a success, and nobody is blamed for what he "
            "did not do."
        ),
        check=true_results,
        needs=("unstarted_call", "late_tool_result"),
        why=(
            "Repairing a history after a stop is easy to overdo: every open call is labelled as "
            "cancelled by the user, the finished ones included, or gets an empty success. The "
            "model then repeats work that was done or builds on work that was not. A result that "
            "comes after the cancel is judged by the declared late_tool_result."
        ),
        good='search returns "3 hits" | cancel | next request: result "3 hits"',
        bad='search returns "3 hits" | cancel | next request: result "interrupted"',
    ),
)

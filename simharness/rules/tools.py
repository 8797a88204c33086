"""Rules about tool bodies: when they may start, and that nothing runs on behind the run's back."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.reading import Cancel, Facts, late, read, told
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import (
    HookCalled,
    Record,
    RequestMade,
    ToolEffect,
    ToolEnded,
    ToolStarted,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "late_starts", "orphan_work"]

_TOOL_HOOKS = ("middleware", "before_tool", "before-tool")


def late_starts(trace: Trace, contract: Contract) -> Judgement:
    """Judge that no tool body, nor a hook in front of one, starts after the cancel."""
    facts = read(trace, contract)
    cancelled = facts.cancelled()
    graceful = [run for run in facts.runs.values() if run.graceful]
    if not cancelled and not graceful:
        return NOTHING
    starts: list[Record] = [*trace.of(ToolStarted), *_tool_hooks(trace, contract)]
    with_tools = {record.run for record in starts} | {c.run for c in facts.args_taken()}
    occasions = 0
    violations: list[Violation] = []
    notes: list[str] = []
    for run, cancel in cancelled:
        if run.number in with_tools and not run.queued:
            occasions += 1
            for record in starts:
                if record.run == run.number and record.n > cancel.called:
                    _place(record, cancel, violations, notes)
    for run in graceful:
        point = facts.turn_over(run)
        if run.number in with_tools and not run.queued and point is not None:
            occasions += 1
            violations += [
                _late_start(record, run.graceful[0], "after the turn in which the run was to stop")
                for record in starts
                if record.run == run.number and record.n > point
            ]
    return judged(occasions, violations, notes)


def _tool_hooks(trace: Trace, contract: Contract) -> list[HookCalled]:
    """Hooks that run in front of a tool; only the first of a chain where chains are finished."""
    finishes = contract.hooks_after_cancel == "rest-of-chain"
    return [
        hook
        for hook in trace.of(HookCalled)
        if hook.name.startswith(_TOOL_HOOKS) and not (finishes and hook.number > 1)
    ]


def _place(record: Record, cancel: Cancel, violations: list[Violation], notes: list[str]) -> None:
    """Sort one start behind a cancel: too late, or still within the fair grace."""
    if not late(record, cancel):
        notes.append(f"late start within the grace of the cancel: {_named(record)}")
        return
    when = "by the step that had called the cancel" if told(record) else "after the cancel"
    violations.append(_late_start(record, cancel.called, when))


def _late_start(record: Record, cancelled: int, when: str) -> Violation:
    text = f"In run {record.run} {_named(record)} was started {when}."
    return Violation("no-tool-start-after-cancel", text, (cancelled, record.n))


def _named(record: Record) -> str:
    if isinstance(record, ToolStarted):
        return f"tool {record.name}"
    return f"hook {record.name}" if isinstance(record, HookCalled) else type(record).__name__


def orphan_work(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a settled run starts nothing, asks for nothing and has no further effect."""
    facts = read(trace, contract)
    occasions = sum(run.settled is not None and not run.left for run in facts.runs.values())
    if not occasions:
        return NOTHING
    violations: list[Violation] = []
    notes: list[str] = []
    bodies: dict[str, ToolStarted] = {}
    for start in trace.of(ToolStarted):
        bodies[start.call_id] = start
        if facts.behind(start):
            violations.append(_orphan(start, f"tool {start.name} was started"))
    violations += [
        _orphan(request, "a model request was made")
        for request in trace.of(RequestMade)
        if facts.behind(request) and not _serves_a_later_prompt(facts, request)
    ]
    for effect in trace.of(ToolEffect):
        if facts.behind(effect):
            what = _body(bodies, effect.call_id)
            _sort(effect, f"{what} had an effect", bodies.get(effect.call_id), violations, notes)
    for end in trace.of(ToolEnded):
        if facts.behind(end):
            text = f"{_body(bodies, end.call_id)} {_ENDINGS.get(end.how, end.how)}"
            body = None if end.how == "cancelled" else bodies.get(end.call_id)
            if end.how == "cancelled":
                notes.append(f"after run {end.run} had settled {text}")
            else:
                _sort(end, text, body, violations, notes)
    return judged(occasions, violations, notes)


_ENDINGS = {"returned": "ran to its end", "raised": "raised", "cancelled": "was cancelled"}


def _body(bodies: dict[str, ToolStarted], call_id: str) -> str:
    return f"tool {bodies[call_id].name}" if call_id in bodies else f"call {call_id}"


def _sort(
    record: Record,
    text: str,
    body: ToolStarted | None,
    violations: list[Violation],
    notes: list[str],
) -> None:
    """A thread body cannot be stopped from asyncio, so what it still does is only noted."""
    if body is not None and body.thread:
        notes.append(f"after run {record.run} had settled the thread of {text}")
    else:
        violations.append(_orphan(record, text))


def _orphan(record: Record, text: str) -> Violation:
    words = f"After run {record.run} had settled {text}."
    return Violation("no-orphan-work", words, (record.n,))


def _serves_a_later_prompt(facts: Facts, request: RequestMade) -> bool:
    """Whether a worker that outlives its first prompt makes this request for a later one.

    What such a worker does is stamped with the prompt under which it was created.
    """
    asked = [message.text for message in request.messages if message.role == "user"]
    return bool(asked) and any(
        run.prompted < request.n
        and run.number != request.run
        and run.text == asked[-1]
        and run.prompted > facts.runs[request.run].over
        and not run.requests
        for run in facts.runs.values()
    )


RULES = (
    Rule(
        id="no-tool-start-after-cancel",
        tier="core",
        family="tools",
        sentence=(
            "No tool body, and no hook in front of one, starts after the cancel has taken effect; "
            "queued and capped calls included."
        ),
        check=late_starts,
        why=(
            "The user stops the agent because of what it is about to do, and it does it all the "
            "same: the flag is looked at between turns but not in front of each tool. A start that "
            "lies between the call and the first quiet moment of the loop is noted, not broken, "
            "unless the agent declares cancel_grace 0. A finish of the hook chain is allowed where "
            "it is declared."
        ),
        good="call c1, call c2 | c1 runs | cancel | c1 ends; c2 is answered as not run",
        bad="call c1, call c2 | c1 runs | cancel | c1 ends | c2 starts",
    ),
    Rule(
        id="no-orphan-work",
        tier="core",
        family="tools",
        sentence=(
            "When a run has settled, no tool, sub-run or sibling of it starts, has an effect or "
            "makes a request."
        ),
        check=orphan_work,
        why=(
            "The caller was told that the run is over and acts on it: it edits the files, starts "
            "the next run, shuts down. A task that nobody awaits goes on behind its back. A thread "
            "that had started before is only noted, because asyncio cannot stop it."
        ),
        good="tool runs | cancel | tool ends | run settles",
        bad="tool runs | cancel | run settles | tool has an effect",
    ),
)

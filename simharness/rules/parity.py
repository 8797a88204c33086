"""The rule about pairs: whether an agent streams must not change what it does.

It reads two traces of one script. A single trace shows nothing here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import attrs

from simharness.contract import Contract
from simharness.rules.reading import Facts, RunFacts
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.rules.terminals import reported
from simharness.trace import (
    ChunkTaken,
    HistoryRead,
    LimitHit,
    Message,
    ToolStarted,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "alone", "same_either_way"]

_ID = "streaming-parity"


def alone(trace: Trace, contract: Contract) -> Judgement:
    """Judge nothing: it takes two traces."""
    del trace, contract
    return NOTHING


def same_either_way(streamed: Trace, plain: Trace, contract: Contract) -> Judgement:
    """Judge that a streamed and a plain trial have equal tools, histories and outcomes.

    Of each the first difference is told. A script that breaks off an answer is no occasion: what
    a user saw of it is a reason not to try again, and a plain run shows nothing before its end.
    """
    both = (Facts(streamed, contract), Facts(plain, contract))
    if any(_broken_off(facts) for facts in both):
        return NOTHING
    violations = [
        found
        for compare in (_tools, _histories, _outcomes)
        if (found := compare(*both)) is not None
    ]
    return judged(len(streamed.runs()), violations)


def _broken_off(facts: Facts) -> bool:
    """Whether a trial has no proper end, or an answer broke off.

    An answer that failed counts if something of it had been read. One that just ends counts in any
    case: a plain answer that came has come whole.
    """
    if facts.trace.of(LimitHit) or any(run.settled is None for run in facts.runs.values()):
        return True
    begun = {(chunk.run, chunk.request) for chunk in facts.trace.of(ChunkTaken)}
    return any(
        terminal.kind == "close" or (terminal.kind != "finish" and key in begun)
        for key, terminal in facts.terminals.items()
    )


def _tools(streamed: Facts, plain: Facts) -> Violation | None:
    for number, run in streamed.runs.items():
        mine, theirs = _executed(streamed, number), _executed(plain, number)
        if mine != theirs:
            text = (
                f"Run {number} executes {_names(mine)} when it is streamed "
                f"and {_names(theirs)} when it is not."
            )
            return Violation(_ID, text, (run.prompted, run.over))
    return None


def _executed(facts: Facts, run: int) -> list[tuple[str, object]]:
    """The tools of a run with their arguments, in an order that no race between them changes."""
    started = [(tool.name, _value(tool.args)) for tool in facts.trace.of(ToolStarted, run)]
    return sorted(started, key=repr)


def _names(executed: Sequence[tuple[str, object]]) -> str:
    return ", ".join(name for name, _ in executed) or "no tool"


def _histories(streamed: Facts, plain: Facts) -> Violation | None:
    mine, theirs = _Ids(), _Ids()
    for number, run in streamed.runs.items():
        other = plain.runs.get(number)
        requests = [] if other is None else other.requests
        for one, two in zip(run.requests, requests, strict=False):
            if mine.read(one.messages) != theirs.read(two.messages):
                text = (
                    f"Request {one.request} of run {number} holds another history when it is "
                    "streamed than when it is not."
                )
                return Violation(_ID, text, (one.n,))
        if len(run.requests) != len(requests):
            text = (
                f"Run {number} makes {len(run.requests)} requests when it is streamed "
                f"and {len(requests)} when it is not."
            )
            return Violation(_ID, text, (run.prompted, run.over))
    return _displayed(streamed, plain, mine, theirs)


def _displayed(streamed: Facts, plain: Facts, mine: _Ids, theirs: _Ids) -> Violation | None:
    """What the agents display at the end, if they display anything."""
    one, two = (facts.trace.of(HistoryRead)[-1:] for facts in (streamed, plain))
    if one and two and mine.read(one[0].messages) != theirs.read(two[0].messages):
        text = "The displayed history is another when the runs are streamed than when they are not."
        return Violation(_ID, text, (one[0].n,))
    return None


@attrs.define
class _Ids:
    """Reads histories with call ids replaced by the order in which they first appear."""

    known: dict[str, int] = attrs.field(factory=dict)

    def read(self, messages: Sequence[Message]) -> list[tuple[object, ...]]:
        """What counts of each message; how text was cut into blocks does not."""
        return [self._message(message) for message in messages]

    def _message(self, message: Message) -> tuple[object, ...]:
        calls = [(self._id(call.id), call.name, _value(call.args)) for call in message.calls]
        answered = self._id(message.call_id) if message.call_id else None
        return message.role, message.text, message.reasoning, calls, answered, message.is_error

    def _id(self, call_id: str) -> int:
        return self.known.setdefault(call_id, len(self.known))


def _value(args: str) -> object:
    """Arguments by what they say; blank text means none, and broken text stands for itself."""
    try:
        return json.loads(args or "{}")
    except ValueError:
        return args


def _outcomes(streamed: Facts, plain: Facts) -> Violation | None:
    for number, run in streamed.runs.items():
        other = plain.runs.get(number)
        mine, theirs = _ends(run, other)
        if mine != theirs:
            text = f"Run {number} is {mine} when it is streamed and {theirs} when it is not."
            return Violation(_ID, text, (run.prompted, run.over))
    return None


def _ends(run: RunFacts, other: RunFacts | None) -> tuple[str, str]:
    """The outcomes that the agent names; where it names only one, how both prompts came back."""
    if other is None or run.settled is None or other.settled is None:
        return "settled", "never prompted"
    mine, theirs = reported(run), reported(other)
    if mine and theirs:
        return mine[-1][0].value, theirs[-1][0].value
    return run.settled.how, other.settled.how


RULES = (
    Rule(
        id=_ID,
        tier="core",
        family="events",
        sentence=(
            "A streamed and a plain run of one script give the same history, the same tool "
            "executions and the same outcome."
        ),
        check=alone,
        pair=same_either_way,
        needs=("streaming",),
        why=(
            "Many frameworks have two code paths, one that reads a stream and one that takes a "
            "whole response, and only one of them is in daily use. The classic fault: text comes "
            "before a tool call, and one path takes the text for the final answer and never runs "
            "the tool. Each case that only prompts is played twice on the default schedule, "
            "streamed and plain, for agents that declare streaming: both."
        ),
        good=(
            'streamed: "Let me see." call search | search runs | "Done."\n'
            'plain:    "Let me see." call search | search runs | "Done."'
        ),
        bad=(
            'streamed: "Let me see." call search | run settles\n'
            'plain:    "Let me see." call search | search runs | "Done."'
        ),
    ),
)

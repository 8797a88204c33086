"""The rule about calls that must not run: those of an answer that was too long, or refused."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.answers import calls_of, heeded
from simharness.rules.conversation import Heard, assistants, next_history
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import RequestMade, TerminalTaken, ToolStarted, Trace
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "unrun"]

_RULE = "unrun-calls"
_FIELDS = {"length": "calls_after_length", "refusal": "calls_after_refusal"}
"""What becomes of the calls, by the reason for which the provider finished."""

_ANSWERS = {"length": "an answer that was too long", "refusal": "a refusal"}


def unrun(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the calls of a cut or refused answer do not run and are left as declared."""
    if not any(_reason(end) in _FIELDS for end in trace.of(TerminalTaken)):
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for run in facts.runs.values():
        for request in run.requests:
            end = facts.terminal(request)
            if end is None or _reason(end) not in _FIELDS:
                continue
            calls = _calls(facts, request)
            if calls:
                occasions += 1
                violations += _started(facts, end, calls)
                owed = _owed(facts, request, calls)
                violations += _left(facts, run, end, calls, owed)
    return judged(occasions, violations)


def _reason(end: TerminalTaken) -> str:
    return end.detail if end.kind == "finish" else ""


def _calls(facts: Facts, request: RequestMade) -> list[str]:
    """The ids of the calls in one answer, without those that another answer makes as well."""
    others = {
        chunk.call_id
        for chunk in facts.args_taken()
        if (chunk.run, chunk.request) != (request.run, request.request)
    }
    chunks = facts.taken(request.run, request.request)
    made = (chunk.call_id for chunk in chunks if chunk.kind == "args" and chunk.call_id)
    return [call for call in dict.fromkeys(made) if call not in others]


def _started(facts: Facts, end: TerminalTaken, calls: list[str]) -> list[Violation]:
    """The calls that were begun behind the end of their answer; before it nobody knew."""
    started = [tool for tool in facts.trace.of(ToolStarted, end.run) if tool.call_id in calls]
    return [
        Violation(
            _RULE, f"{tool.name} was run for a call of {_ANSWERS[end.detail]}.", (end.n, tool.n)
        )
        for tool in started
        if tool.n > end.n
    ]


def _owed(facts: Facts, request: RequestMade, calls: list[str]) -> list[str]:
    """The calls that need an answer where one is promised: those that came before the end.

    None of them if the answer came too late to be heeded.
    """
    made = calls_of(facts, request) if heeded(facts, request) else {}
    return [call for call in calls if call in made]


def _left(
    facts: Facts, run: RunFacts, end: TerminalTaken, calls: list[str], owed: list[str]
) -> list[Violation]:
    """What the next history makes of the calls. What a cancel leaves is for other rules."""
    if run.cancels or run.left or run.queued or run.replaced or facts.overlaps(run):
        return []
    history = next_history(facts, run, end.n)
    if history is None:
        return []
    field = _FIELDS[end.detail]
    dropped = getattr(facts.contract, field) == "dropped"
    wrong = _kept(history, calls) if dropped else _unanswered(history, owed)
    if not wrong:
        return []
    text = f"The calls of {_ANSWERS[end.detail]} are {wrong} in {history.place}."
    return [Violation(_RULE, text, (end.n, history.n))]


def _kept(history: Heard, calls: list[str]) -> str:
    held = {call.id for message in assistants(history.messages) for call in message.calls}
    return "kept" if held & set(calls) else ""


def _unanswered(history: Heard, calls: list[str]) -> str:
    results = {message.call_id for message in history.messages if message.role == "tool"}
    return "not answered" if set(calls) - results else ""


RULES = (
    Rule(
        id=_RULE,
        tier="declared",
        family="tools",
        sentence=(
            "The calls of an answer that was too long, or that the model refused to give, are not "
            "run, and are dropped or answered as declared."
        ),
        check=unrun,
        needs=("calls_after_length", "calls_after_refusal"),
        why=(
            "At the output limit the last call may lack the half of its arguments that mattered, "
            "and still parse: a loop that runs it deletes more than it was asked to. A call that "
            "came with a refusal is one that the model took back."
        ),
        good="call rm {} | finish length | run ends, limit",
        bad="call rm {} | finish length | rm runs",
    ),
)

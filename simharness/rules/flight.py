"""The rule about prompts during a run: the declared policy, and no two runs in one history."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.asked import paused
from simharness.rules.reading import NEVER, Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.rules.stored import accepted
from simharness.rules.terminals import reported
from simharness.trace import (
    ChunkTaken,
    Outcome,
    Record,
    RequestMade,
    Shown,
    StreamTold,
    ToolStarted,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "one_at_a_time"]

_RULE = "single-flight"


def one_at_a_time(trace: Trace, contract: Contract) -> Judgement:
    """Judge each prompt that came during a run of its session by the declared policy."""
    policy = contract.second_prompt
    if policy is None:
        return NOTHING
    facts = read(trace, contract)
    pairs = [
        (run, later)
        for later in facts.runs.values()
        for run in facts.runs.values()
        if run.prompted < later.prompted < run.over
        and run.session == later.session
        and not paused(facts, later.prompted, _first_step(later))
    ]
    violations = []
    for run, later in pairs:
        problem = _interleaved(facts, run, later) or _POLICIES[policy](facts, run, later)
        if problem:
            text = f"Run {later.number} was prompted during run {run.number}, and {problem}."
            violations.append(Violation(_RULE, text, (later.prompted,)))
    return judged(len(pairs), violations)


def _first_step(run: RunFacts) -> int:
    """Where a prompt is let in or comes back: of what waits in a pause, the pause decides."""
    return run.requests[0].n if run.requests else run.over


def _interleaved(facts: Facts, run: RunFacts, later: RunFacts) -> str:
    """Whether the earlier run goes on after the later one has made its first request."""
    if not later.requests:
        return ""
    begun = later.requests[0].n
    kinds: tuple[type[Record], ...] = (RequestMade, ToolStarted, Shown)
    if any(record.n > begun for kind in kinds for record in facts.trace.of(kind, run.number)):
        return "both make progress at once"
    return ""


def _rejected(facts: Facts, run: RunFacts, later: RunFacts) -> str:
    """The later prompt is refused: no request, and its caller hears of it.

    A run that was cancelled, or that nobody reads any more, may be over before its caller hears of
    it. So may one that has told of its end; what it does all the same is no end.
    """
    if run.cancels or run.left:
        return ""
    at_work = any(r.n > later.prompted for r in facts.trace.of(ChunkTaken, run.number)) or any(
        r.n > later.prompted for r in run.requests
    )
    if later.requests:
        return "is not rejected" if at_work else ""
    if not at_work and any(end.n < later.prompted for end in run.ends[-1:]):
        return ""  # whatever the later run came to, it had its turn
    settled = later.settled
    refused = settled is None or settled.how == "raised"
    refused = refused or any(outcome is Outcome.REJECTED for outcome, _ in reported(later))
    return "" if refused or later.cancels else "its caller does not hear that it was rejected"


def _queued(facts: Facts, run: RunFacts, later: RunFacts) -> str:
    """The later prompt waits; that it runs is judged by queue-progress."""
    del facts
    if later.requests and not run.requests and not run.cancels:
        return "overtakes it"
    return ""


def _interrupts(facts: Facts, run: RunFacts, later: RunFacts) -> str:
    """The earlier run is stopped: it makes no request that is answered to its end.

    Unless the later prompt had given up waiting before: then there is nothing to stop for.
    """
    told = {(told.run, told.request) for told in facts.trace.of(StreamTold, run.number)}
    given_up = NEVER if later.settled is None else later.settled.n
    for request in run.requests:
        if request.n > given_up:
            break
        end = facts.terminal(request)
        whole = end is not None and end.kind == "finish" and not end.answering
        if request.n > later.prompted and whole and (run.number, request.request) not in told:
            return "the earlier run is not interrupted"
    return ""


def _rolls_back(facts: Facts, run: RunFacts, later: RunFacts) -> str:
    """The earlier run is stopped, and nothing of it is left in the history."""
    problem = _interrupts(facts, run, later)
    over_before = any(end.n < later.prompted for end in run.ends)  # what goes on was queued
    if problem or over_before or not (accepted(run) and later.requests):
        return problem  # a text that a filter has changed cannot be told from another
    before = _said(run.requests[0], run.text)
    after = _said(later.requests[0], run.text) - (run.text in later.text)
    return "the earlier prompt is still in the history" if after >= before else ""


def _said(request: RequestMade, text: str) -> int:
    """How often the user says `text` in a request."""
    return sum(message.role == "user" and text in message.text for message in request.messages)


_POLICIES = {
    "reject": _rejected,
    "queue": _queued,
    "interrupt": _interrupts,
    "rollback": _rolls_back,
}

RULES = (
    Rule(
        id=_RULE,
        tier="declared",
        family="liveness",
        sentence=(
            "A prompt during a run is rejected, queued, interrupts the run or rolls it back, as "
            "the agent declares; two runs never make progress in one history at once."
        ),
        check=one_at_a_time,
        needs=("second_prompt",),
        why=(
            "Users send the next message before the answer is there. Two runs on one history "
            "answer each other's tool calls and leave messages in an order that no provider "
            "accepts. Which of the four policies is right is a matter of taste, so each agent is "
            "judged by its own."
        ),
        good='second_prompt reject: run 1 streams | prompt "b" raises | run 1 ends',
        bad='second_prompt reject: run 1 streams | prompt "b" makes a request | run 1 goes on',
    ),
)

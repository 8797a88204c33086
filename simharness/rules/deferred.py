"""The rule about prompts that wait in a quiesce: acknowledged, they are heard once, kill or not.

What becomes of prompts that nobody has acknowledged is for the rules about stores and queues.
"""

from __future__ import annotations

import json

from simharness.contract import Contract
from simharness.rules.asked import taken_actions
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.rules.stored import State, lacking, says, states
from simharness.storing import Forked, StoreFlushed, StoreWrite
from simharness.trace import (
    ActionTaken,
    ContextCompacted,
    HookCalled,
    InputRejected,
    PromptCalled,
    PromptDeferred,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "heard_once"]

_TAKEN = {"saved", "dropped"}
"""How writes end that the store calls saved."""


def heard_once(trace: Trace, contract: Contract) -> Judgement:
    """Judge that each acknowledged prompt was flushed first, and then is kept exactly once."""
    if contract.second_prompt == "rollback" or trace.of(ContextCompacted):
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for said in trace.of(PromptDeferred):
        run = facts.runs.get(said.run)
        if run is None:
            continue
        occasions += 1
        text, n = _unsafe(facts, run, said) or _miscounted(facts, run, said) or ("", 0)
        if text:
            words = f'The deferred prompt "{said.text}" {text}.'
            violations.append(Violation("deferred-prompt-once", words, (said.n, n)))
    return judged(occasions, violations)


def _unsafe(facts: Facts, run: RunFacts, said: PromptDeferred) -> tuple[str, int] | None:
    """What is wrong if the store had not taken and flushed a prompt that was acknowledged."""
    flushes = facts.trace.of(StoreFlushed)
    if not any(run.prompted < flush.n < said.n for flush in flushes):
        return "was acknowledged before the store had flushed it", said.n
    words = (said.text, json.dumps(said.text)[1:-1])
    writes = [
        write
        for write in facts.trace.of(StoreWrite)
        if run.prompted < write.n < said.n and any(word in write.text for word in words)
    ]
    if writes and all(write.how not in _TAKEN for write in writes):
        return "was acknowledged although the store had not taken it", writes[-1].n
    return None


def _miscounted(facts: Facts, run: RunFacts, said: PromptDeferred) -> tuple[str, int] | None:
    """What is wrong with how often the prompt is in history and store, and where."""
    trace = facts.trace
    if _said_elsewhere(trace, said.text):
        return None
    for state in states(facts):
        failed = state.loaded is not None and state.loaded.error
        if state.n < said.n or failed or lacking(trace, state.n):
            continue
        if any(fork.n < state.n for fork in trace.of(Forked)):
            break
        owed = _owed(facts, run, state)
        for messages, place in ((state.memory, "history"), (state.store, "store")):
            count = sum(m.role == "user" and says(m, said.text) for m in messages or ())
            if count > 1:
                return f"is in the {place} more than once {state.place}", state.n
            if owed and messages is not None and not count:
                return f"is not in the {place} {state.place}", state.n
    return None


def _said_elsewhere(trace: Trace, text: str) -> bool:
    """Whether the user said the same more than once, so that none of them can be told apart."""
    prompts = [prompt.text for prompt in trace.of(PromptCalled)]
    actions = [action.text for action in trace.of(ActionTaken)]
    return [*prompts, *actions].count(text) > 1


def _owed(facts: Facts, run: RunFacts, state: State) -> bool:
    """Whether the prompt must have been heard by now.

    Its own run has returned; or its process was killed, and a run of a later one has asked the
    model and settled. Who stops it, or is told that it was turned away, is owed nothing, and a
    filter may have made other words of it.
    """
    filtered = any(hook.name == "input_filter" for hook in facts.trace.of(HookCalled))
    if run.cancels or run.graceful or run.left or filtered:
        return False
    if run.settled is not None:
        rejected = facts.trace.of(InputRejected, run.number)
        return run.over < state.n and run.settled.how == "returned" and not rejected
    return not _perhaps_turned_away(facts, run) and any(
        run.over < later.prompted and later.over < state.n
        for later in facts.runs.values()
        if later.requests and later.settled is not None and not later.session
    )


def _perhaps_turned_away(facts: Facts, run: RunFacts) -> bool:
    """Whether a resume may have met it with another run, where one at a time is let in."""
    if facts.contract.second_prompt != "reject":
        return False
    resumes = [action.n for action in taken_actions(facts.trace, "resume")]
    return any(
        run.prompted < n < run.over and other.prompted < n < other.over
        for n in resumes
        for other in facts.runs.values()
        if other is not run
    )


RULES = (
    Rule(
        id="deferred-prompt-once",
        tier="store",
        family="history",
        sentence=(
            "A prompt that waits in a quiesce is acknowledged only when the store has flushed it, "
            "and is then in history and store exactly once, also behind a kill."
        ),
        check=heard_once,
        needs=("store",),
        why=(
            "A paused agent takes prompts that it does not do yet. If it says so before they are "
            "safe, a kill takes what the user was told would be done. If it crosses one off in "
            "another write than the one that makes it part of the history, a kill between the two "
            "loses it or does it twice."
        ),
        good='prompt "b" waits | flushed, acknowledged | kill | prompt "c" | store: "b", "c", ...',
        bad='prompt "b" waits | flushed, acknowledged | kill | prompt "c" | store: "c", ...',
    ),
)

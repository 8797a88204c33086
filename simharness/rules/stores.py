"""Rules about a session store: what is in it, what a kill leaves, and what a reload makes of it."""

from __future__ import annotations

from itertools import pairwise

from simharness.contract import Contract
from simharness.rules.conversation import StrictProvider, assistants
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.rules.stored import State, accepted, loads, says, spoilt, states
from simharness.storing import Forked, Killed, SessionLoaded
from simharness.trace import (
    ActionTaken,
    ContextCompacted,
    HistoryRead,
    Message,
    ToolStarted,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = [
    "RULES",
    "consistent",
    "delivered_only",
    "durable_input",
    "equal",
    "idempotent",
    "loadable",
]


def equal(trace: Trace, contract: Contract) -> Judgement:
    """Judge that history and store agree whenever a run has settled or a session was loaded."""
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for state in states(facts):
        failed = state.loaded is not None and state.loaded.error
        if state.memory is None or failed or spoilt(trace, state.n):
            continue
        occasions += 1
        if state.memory != state.store:
            text = f"The store and the history differ {state.place}: {_difference(state)}."
            violations.append(Violation("session-equals-history", text, (state.n,)))
    violations += _forks(facts)
    return judged(occasions, violations)


def _difference(state: State) -> str:
    memory, store = state.memory or (), state.store
    same = 0
    while same < min(len(memory), len(store)) and memory[same] == store[same]:
        same += 1
    here = memory[same] if same < len(memory) else "nothing"
    there = store[same] if same < len(store) else "nothing"
    return f"message {same + 1} is {here!r} in the history and {there!r} in the store"


def _forks(facts: Facts) -> list[Violation]:
    """A fork begins with a part of what it forks from; all of it, if no turn is named."""
    found: list[Violation] = []
    for state in loads(facts):
        fork = state.before
        if not isinstance(fork, Forked) or state.memory is None or fork.runs:
            continue
        source = _state_before(facts, fork.n)
        if source is None or source.memory is None or spoilt(facts.trace, fork.n):
            continue
        part = source.memory[: len(state.memory)]
        if state.memory != part or (fork.turn is None and state.memory != source.memory):
            text = "The fork does not begin with what the session held that it forks from."
            found.append(Violation("session-equals-history", text, (fork.n, state.n)))
    return found


def durable_input(trace: Trace, contract: Contract) -> Judgement:
    """Judge that what the user said is kept exactly once from the first request with it on."""
    facts = read(trace, contract)
    if contract.second_prompt == "rollback" or trace.of(ContextCompacted):
        return NOTHING
    steered = {action.text for action in trace.of(ActionTaken)}
    occasions = 0
    violations: list[Violation] = []
    for state in states(facts):
        for text, runs in _said(facts, state).items():
            if text in steered:
                continue
            occasions += 1
            for kept, place in _kept_in(facts, state):
                count = sum(one.role == "user" and says(one, text) for one in kept)
                if count != len(runs):
                    words = f'"{text}" is in the {place} {_times(count)} {state.place}'
                    words += "" if len(runs) == 1 else f", and was said {_times(len(runs))}"
                    evidence = (runs[0].prompted, state.n)
                    violations.append(Violation("user-input-durable", f"{words}.", evidence))
        if violations:
            break
    return judged(occasions, violations)


def _times(count: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _said(facts: Facts, state: State) -> dict[str, list[RunFacts]]:
    """The prompts that were accepted before a state, by text; those of a left session do not
    count, nor do those whose prompt was still in line."""
    since = _forked_before(facts, state.n)
    said: dict[str, list[RunFacts]] = {}
    for run in facts.runs.values():
        if since is None and run.over <= state.n and not run.left and accepted(run):
            said.setdefault(run.text, []).append(run)
    return said


def _forked_before(facts: Facts, n: int) -> Forked | None:
    return next((fork for fork in facts.trace.of(Forked) if fork.n < n), None)


def _kept_in(facts: Facts, state: State) -> list[tuple[tuple[Message, ...], str]]:
    """What must hold what the user said: the history, and a store that took what it was given."""
    found = [] if state.memory is None else [(state.memory, "history")]
    if spoilt(facts.trace, state.n):
        return [] if state.loaded is not None else found
    return [*found, (state.store, "store")]


def delivered_only(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the store holds no answer that never came, and none of them twice."""
    facts = read(trace, contract)
    if not states(facts) or trace.of(ContextCompacted):
        return NOTHING
    given = _given(facts)
    mark = _mark(contract)
    occasions = 0
    for state in states(facts):
        came = _came(facts, state.n)
        texts = [_unmarked(message.text, mark) for message in assistants(state.store)]
        texts = _without(texts, given)
        occasions += bool(texts)
        unknown = [text for text in texts if text and not any(c.startswith(text) for c in came)]
        if unknown:
            words = f'The store holds "{unknown[0]}" {state.place}, which no stream had sent.'
            return judged(occasions, [Violation("persist-eq-delivered", words, (state.n,))])
        twice = next((t for t in texts if t and _more(texts, came, t)), None)
        if twice is not None:
            words = f'The store holds "{twice}" more often than it came, {state.place}.'
            return judged(occasions, [Violation("persist-eq-delivered", words, (state.n,))])
    return judged(occasions)


def _given(facts: Facts) -> list[str]:
    """The answers that the store held at the beginning."""
    first = states(facts)[0]
    scripted = first.loaded is not None and first.before is None
    return [message.text.strip() for message in assistants(first.store)] if scripted else []


def _came(facts: Facts, n: int) -> list[str]:
    """The text that the agent had taken from each stream before record `n`."""
    requests = [request for run in facts.runs.values() for request in run.requests]
    return [
        "".join(
            c.text for c in facts.taken(r.run, r.request) if c.kind == "text" and c.n < n
        ).strip()
        for r in requests
    ]


def _more(texts: list[str], came: list[str], text: str) -> bool:
    return texts.count(text) > sum(one.startswith(text) for one in came)


def _without(texts: list[str], given: list[str]) -> list[str]:
    """`texts` without those that the store held at the beginning."""
    left = list(texts)
    for text in given:
        if text in left:
            left.remove(text)
    return left


def _mark(contract: Contract) -> str:
    declared = contract.cut_mark or ""
    return declared[5:-1] if declared.startswith("text(") and declared.endswith(")") else ""


def _unmarked(text: str, mark: str) -> str:
    return (text.replace(mark, "", 1) if mark else text).strip()


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
        if not spoilt(trace, kill.n):
            texts += _lost(facts, kill, state.loaded)
        violations += [
            Violation("crash-consistent", f"After the kill {text}.", (kill.n, state.n))
            for text in texts[:1]
        ]
    return judged(occasions, violations)


_UNPAIRED = {"unanswered", "twice", "orphan", "misplaced"}


def _lost(facts: Facts, kill: Killed, loaded: SessionLoaded) -> list[str]:
    """What had been settled or done before the kill and is not in what was loaded."""
    before = _state_before(facts, kill.n)
    settled = () if before is None or before.memory is None else before.memory
    found = []
    if loaded.messages[: len(settled)] != settled:
        found.append("the history does not begin with what earlier runs had left")
    calls = {call.id for message in loaded.messages for call in message.calls}
    found += [
        f"nothing says that tool {started.name} had started"
        for started in facts.trace.of(ToolStarted)
        if started.run in kill.runs and started.n < kill.n and started.call_id not in calls
    ]
    return found


def _state_before(facts: Facts, n: int) -> State | None:
    return next((state for state in reversed(states(facts)) if state.n < n), None)


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
        if killed and not (runs or prompted or failed) and not spoilt(facts.trace, second.n):
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
        id="session-equals-history",
        tier="store",
        family="history",
        sentence=(
            "When a run has settled, and when a session was loaded or forked, the store holds the "
            "history that is in memory."
        ),
        check=equal,
        needs=_STORE,
        why=(
            "The user goes on tomorrow with what the store holds, not with what was in memory. "
            "Where the two are written by different code they drift apart: at a cancel, at an "
            "error, at a rollback. A store that refused a line, or lost it, is not held against "
            "the agent."
        ),
        good="settled; history: user, assistant | store: user, assistant",
        bad="settled; history: user, assistant | store: user",
    ),
    Rule(
        id="user-input-durable",
        tier="store",
        family="history",
        sentence=(
            "Once the model was asked, what the user said is in history and store exactly once, "
            "however the run ends."
        ),
        check=durable_input,
        needs=_STORE,
        why=(
            "Loops that save a turn when it completes lose the prompt of a turn that was cut: the "
            "user stops an answer, and the question is gone as well. Others save it twice, when it "
            "comes and when the turn ends. A prompt that was turned away, or killed before the "
            "first request, was never acknowledged."
        ),
        good="prompt | request | cancel | store: user, assistant (interrupted)",
        bad="prompt | request | cancel | store: nothing",
    ),
    Rule(
        id="persist-eq-delivered",
        tier="store",
        family="history",
        sentence=(
            "Nothing is stored as an answer that no stream had sent, and each answer is stored "
            "once."
        ),
        check=delivered_only,
        needs=_STORE,
        why=(
            "A buffer that is not reset stores the end of another answer, and a store that keeps "
            "drafts keeps both the draft and the answer. Nobody sees it on the screen. After a "
            "reload the model reads words that it has never said."
        ),
        good='stream "Hello" | store: user, assistant "Hello"',
        bad='stream "Hello" | store: user, assistant "Hel", assistant "Hello"',
    ),
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

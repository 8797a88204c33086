"""Rules about a session store: that it holds what was said, all of it, once and nothing else."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.conversation import assistants
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.rules.stored import (
    State,
    accepted,
    lacking,
    loads,
    says,
    spoilt,
    state_before,
    states,
)
from simharness.storing import Forked, Killed
from simharness.trace import (
    ActionTaken,
    ContextCompacted,
    Message,
    MessageEnd,
    Trace,
    TurnEnd,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "delivered_only", "durable_input", "equal"]


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
        source = state_before(facts, fork.n)
        if source is None or source.memory is None or lacking(facts.trace, fork.n):
            continue
        wanted = _part(facts, fork, source)
        if state.memory != source.memory[: len(state.memory) if wanted is None else wanted]:
            text = "The fork does not begin with what the session held that it forks from."
            found.append(Violation("session-equals-history", text, (fork.n, state.n)))
    return found


def _part(facts: Facts, fork: Forked, source: State) -> int | None:
    """How many messages of its source a fork has; None if nobody says where the turn ended."""
    if fork.turn is None:
        return len(source.memory or ())
    trace, families = facts.trace, facts.contract.reports
    ends = [end.n for end in trace.of(TurnEnd) if end.n < fork.n]
    reloaded = any(kill.n < fork.n for kill in facts.reloads)
    if (
        not {"turn", "message"} <= families
        or reloaded
        or _held_before(facts)
        or facts.contract.second_prompt == "rollback"
    ):
        return None
    last = ends[fork.turn - 1] if fork.turn <= len(ends) else fork.n
    return sum(end.n < last and not end.discarded for end in trace.of(MessageEnd))


def _held_before(facts: Facts) -> bool:
    """Whether the session held anything at the beginning, the turns of which are in no trace."""
    return any(state.before is None and bool(state.store) for state in loads(facts))


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
    """The prompts of the conversation that were accepted before a state, by text, as far as their
    runs are over."""
    said: dict[str, list[RunFacts]] = {}
    for run in facts.runs.values():
        over = run.over <= state.n and not (run.left or run.session)
        if over and accepted(run) and not _left_behind(facts, run, state.n):
            said.setdefault(run.text, []).append(run)
    return said


def _left_behind(facts: Facts, run: RunFacts, n: int) -> bool:
    """Whether the session was forked behind a run, or killed when the store lacked what it was
    given, or had yet to flush what the run had written."""
    for kill in facts.reloads:
        if run.prompted < kill.n < n:
            unsafe = isinstance(kill, Killed) and kill.unflushed and run.number in kill.runs
            if isinstance(kill, Forked) or unsafe or lacking(facts.trace, kill.n):
                return True
    return False


def _kept_in(facts: Facts, state: State) -> list[tuple[tuple[Message, ...], str]]:
    """What must hold what the user said: the history, and a store that took what it was given."""
    if state.loaded is not None and lacking(facts.trace, state.n):
        return []
    found = [] if state.memory is None else [(state.memory, "history")]
    return found if spoilt(facts.trace, state.n) else [*found, (state.store, "store")]


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
)

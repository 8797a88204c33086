"""What the rules about stores ask of a trace: the states of a session, and what went wrong in it.

A *state* is a moment at which history and store can be compared: a run has settled, or a session
was loaded. Nothing here judges.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import attrs

from simharness.rules.reading import Facts, RunFacts
from simharness.storing import Forked, Killed, SessionLoaded, SessionRead, StoreFlushed, StoreWrite
from simharness.trace import HistoryRead, Message, Trace

__all__ = ["State", "accepted", "lacking", "loads", "says", "spoilt", "state_before", "states"]


@attrs.frozen(eq=False)
class State:
    """The history in memory and the session in the store at one moment, and the record of it.

    `loaded`: a fresh agent has just taken the session up. `before` is the kill or fork that led to
    it, or None where the store was loaded at the very beginning.
    """

    n: int
    run: int
    memory: tuple[Message, ...] | None
    store: tuple[Message, ...]
    loaded: SessionLoaded | None = None
    before: Killed | Forked | None = None

    @property
    def place(self) -> str:
        """How to name the moment."""
        if self.loaded is None:
            return f"when run {self.run} had settled"
        if self.before is None:
            return "when the store was loaded first"
        verb = "kill" if isinstance(self.before, Killed) else "fork"
        return f"when the session was loaded after the {verb} in record {self.before.n}"


@lru_cache(maxsize=1)
def states(facts: Facts) -> list[State]:
    """All quiescent states of the trace, in order: no run is in progress."""
    trace = facts.trace
    found: list[State] = []
    if not trace.of(SessionRead):
        return found
    memory: tuple[Message, ...] | None = None
    loaded: SessionLoaded | None = None
    before: Killed | Forked | None = None
    for record in trace:
        if isinstance(record, Killed | Forked):
            before, memory, loaded = record, None, None
        elif isinstance(record, SessionLoaded):
            loaded, memory = record, record.messages
        elif isinstance(record, HistoryRead):
            memory, loaded = record.messages, None
        elif isinstance(record, SessionRead):
            of_load = None if loaded is None else before
            if not facts.busy(record.n):
                found.append(State(record.n, record.run, memory, record.messages, loaded, of_load))
            loaded = None
    return found


def loads(facts: Facts) -> list[State]:
    """The states at which a session that its own agent had written was taken up."""
    return [state for state in states(facts) if state.loaded is not None]


def state_before(facts: Facts, n: int) -> State | None:
    """The latest state before record `n`."""
    return next((state for state in reversed(states(facts)) if state.n < n), None)


def spoilt(trace: Trace, n: int) -> bool:
    """Whether the store, at record `n`, lacks lines although the agent did what it could.

    It was told that a write failed and could not write any other line since, or gave up waiting
    for one that took too long; or the store said saved, wrote nothing, and did so again when the
    agent, which had noticed, wrote the line once more.
    """
    missing = _missing(trace, n)
    saved = [write.n for write in trace.of(StoreWrite) if write.how == "saved" and write.n < n]
    latest = max(saved, default=0)
    dropped = Counter(write.text for write in missing if write.how == "dropped")
    if any(times > 1 for times in dropped.values()):
        return True
    return _given_up(trace, n) or any(
        write.how == "failed" and write.n > latest for write in missing
    )


def lacking(trace: Trace, n: int) -> bool:
    """Whether the store, at record `n`, lacks a line for whatever fault of its own."""
    return bool(_missing(trace, n)) or _given_up(trace, n)


def _missing(trace: Trace, n: int) -> list[StoreWrite]:
    """The writes before record `n` that left no line, as far as the agent can know.

    One that failed is made again, even if an earlier one that the agent gave up came through.
    """
    writes = [write for write in trace.of(StoreWrite) if write.n < n]
    saved = {write.text: write.n for write in writes if write.how == "saved"}
    return [
        write
        for write in writes
        if (write.how == "dropped" and write.text not in saved)
        or (write.how == "failed" and saved.get(write.text, -1) < write.n)
    ]


def _given_up(trace: Trace, n: int) -> bool:
    """Whether something was given up before record `n` that no flush has followed.

    A flush that was given up comes through itself, but the agent does not hear of it; if it was in
    that very moment, it has come through.
    """
    given_up, unheard = False, 0
    for record in trace.records[:n]:
        if isinstance(record, StoreWrite) and record.how in {"abandoned", "unheard"}:
            given_up = True
            unheard += record.number == 0 and record.how == "abandoned"
        elif isinstance(record, StoreFlushed):
            given_up = given_up and unheard > 0
            unheard = max(0, unheard - 1)
        elif isinstance(record, Killed | Forked):
            unheard = 0  # it died with its process
    return given_up


def accepted(run: RunFacts) -> bool:
    """Whether the prompt of a run was taken as it is: a request was made with it."""
    return bool(run.text) and any(
        message.role == "user" and says(message, run.text)
        for request in run.requests[:1]
        for message in request.messages[-1:]
    )


def says(message: Message, text: str) -> bool:
    """Whether a user message is `text`, with whatever the agent adds on lines of its own."""
    return message.text == text or message.text.startswith(f"{text}\n")

"""Reads message lists: the strict provider checker, and what a run left in the history.

A history is judged as the fake model receives it: the messages of the next request. What the agent
displays is judged in its place only if the next prompt was refused before it made a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import attrs

from simharness.rules.argtext import parses
from simharness.rules.reading import Facts, RunFacts
from simharness.trace import Call, HistoryRead, InputRejected, Message, Outcome, RequestMade

__all__ = [
    "Fault",
    "Heard",
    "StrictProvider",
    "after_run",
    "assistants",
    "between_runs",
    "heard",
    "next_history",
    "refusals",
]


@attrs.frozen
class Fault:
    """One thing a strict provider refuses.

    `kind` is unanswered, twice, orphan, misplaced, system, id, args or empty; `call_id` is "" where
    it does not matter.
    """

    kind: str
    call_id: str
    text: str


@attrs.frozen(eq=False)
class Heard:
    """A history to judge: the messages, the record that shows them, and how to name the place.

    `sent`: the model received it; otherwise it was only displayed. `faults` is what a strict
    provider refuses in it, `calls` and `roles` count what it holds.
    """

    messages: tuple[Message, ...]
    n: int
    run: int
    place: str
    sent: bool
    faults: tuple[Fault, ...]
    calls: int
    roles: tuple[str, ...]


class StrictProvider:
    """Reads messages as a provider does that accepts nothing ill-formed; collects `faults`."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.faults: list[Fault] = []
        self.calls = 0
        self._names: dict[str, str] = {}  # every call so far
        self._waiting: dict[str, str] = {}  # calls of the latest assistant message, unanswered
        self._answered: set[str] = set()
        begun = False
        for message in messages:
            role = message.role
            if role == "system":
                if begun:
                    self._fault("system", "", "a system message is not first")
                elif message.empty:
                    self._fault("system", "", "a system message is empty")
                continue
            begun = True
            if role == "tool":
                self._result(message.call_id)
                continue
            self._expect_nothing()
            if role == "assistant":
                self._assistant(message)
        self._expect_nothing()

    def _fault(self, kind: str, call_id: str, text: str) -> None:
        self.faults.append(Fault(kind, call_id, text))

    def _expect_nothing(self) -> None:
        """No call may be left without a result where the next message begins."""
        if self._waiting:
            for call_id, name in self._waiting.items():
                self._fault("unanswered", call_id, f"call {call_id} of {name} has no result")
            self._waiting.clear()

    def _result(self, call_id: str) -> None:
        name = self._names.get(call_id)
        if self._waiting.pop(call_id, None) is not None:
            self._answered.add(call_id)
        elif call_id in self._answered:
            self._fault("twice", call_id, f"call {call_id} of {name} has a second result")
        elif name is not None:
            text = f"the result of call {call_id} of {name} does not follow its call"
            self._fault("misplaced", call_id, text)
        else:
            self._fault("orphan", call_id, f"a result for {call_id} has no call before it")

    def _assistant(self, message: Message) -> None:
        calls = [block for block in message.blocks if type(block) is Call]
        if not calls and message.empty:
            self._fault("empty", "", "an assistant message is empty")
        self.calls += len(calls)
        for call in calls:
            if call.id in self._names:
                self._fault("id", call.id, f"the id {call.id} names two calls")
            if not parses(call.args):
                text = f"the arguments of call {call.id} of {call.name} do not parse"
                self._fault("args", call.id, text)
            self._names[call.id] = self._waiting[call.id] = call.name


@lru_cache(maxsize=1)
def heard(facts: Facts) -> list[Heard]:
    """Every history to judge: all requests, and what a refused prompt leaves only displayed."""
    found = [_sent(request) for request in facts.trace.of(RequestMade)]
    for run in refusals(facts):
        record = _displayed_before(facts, run)
        if record is not None:
            found.append(_displayed(record, run))
    return found


def _sent(request: RequestMade) -> Heard:
    place = f"request {request.request} of run {request.run}"
    return _read(request.messages, request.n, request.run, place, sent=True)


def _displayed(record: HistoryRead, refused: RunFacts) -> Heard:
    place = f"the history displayed when the prompt of run {refused.number} was refused"
    return _read(record.messages, record.n, refused.number, place, sent=False)


def _read(messages: tuple[Message, ...], n: int, run: int, place: str, *, sent: bool) -> Heard:
    provider = StrictProvider(messages)
    roles = tuple([message.role for message in messages])
    return Heard(messages, n, run, place, sent, tuple(provider.faults), provider.calls, roles)


@lru_cache(maxsize=1)
def between_runs(facts: Facts) -> list[Heard]:
    """The first request of each later run that began when all runs before it had settled."""
    firsts = {
        run.requests[0].n
        for run in facts.runs.values()
        if run.number > 1 and run.requests and not facts.overlaps(run)
    }
    return [one for one in heard(facts) if one.n in firsts]


def refusals(facts: Facts) -> list[RunFacts]:
    """Prompts to an idle agent that raised before a request was made, uncancelled.

    A prompt that its agent calls rejected may have met a filter, of which an agent that reports
    notices would have told.
    """
    refusing = {None, Outcome.FAILED}
    if "notice" in facts.contract.reports:
        refusing.add(Outcome.REJECTED)
    return [
        run
        for run in facts.runs.values()
        if run.number > 1
        and not run.requests
        and run.settled is not None
        and run.settled.how == "raised"
        and run.settled.outcome in refusing
        and not run.cancels
        and not run.left
        and not facts.trace.of(InputRejected, run.number)
        and not facts.overlaps(run)
    ]


def _displayed_before(facts: Facts, run: RunFacts) -> HistoryRead | None:
    found = None
    for record in facts.trace.of(HistoryRead):
        if record.n > run.prompted:
            break
        found = record
    return found


def assistants(messages: Sequence[Message]) -> list[Message]:
    """The assistant messages, in order."""
    return [message for message in messages if message.role == "assistant"]


def next_history(facts: Facts, run: RunFacts, n: int) -> Heard | None:
    """The first history behind record `n`: of `run` itself, or the one that it left."""
    for one in heard(facts):
        if one.n > n and one.run == run.number:
            return one
    return after_run(facts, run)


def after_run(facts: Facts, run: RunFacts) -> Heard | None:
    """The history that `run` left: as the next prompt of its session sent it, or displayed it."""
    later = facts.next_run(run)
    if later is None:
        return None
    for one in heard(facts):
        if one.run == later.number and one.n > run.over:
            return one
    return None

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
from simharness.trace import HistoryRead, InputRejected, Message, Outcome, RequestMade

__all__ = [
    "Fault",
    "Heard",
    "after_run",
    "assistants",
    "faults",
    "heard",
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


@attrs.frozen
class Heard:
    """A history to judge: the messages, the record that shows them, and how to name the place.

    `sent`: the model received it; otherwise it was only displayed. `faults` is what a strict
    provider refuses in it.
    """

    messages: tuple[Message, ...]
    n: int
    run: int
    place: str
    sent: bool
    faults: tuple[Fault, ...]


def faults(messages: Sequence[Message]) -> tuple[Fault, ...]:
    """Everything a strict provider refuses in `messages`, in order."""
    found: list[Fault] = []
    names: dict[str, str] = {}  # every call so far
    waiting: dict[str, str] = {}  # calls of the latest assistant message without a result
    answered: set[str] = set()
    begun = False
    for message in messages:
        role = message.role
        if role == "tool":
            _judge_result(message.call_id, names, waiting, answered, found)
            begun = True
            continue
        if role == "system":
            if begun:
                found.append(Fault("system", "", "a system message is not first"))
            continue
        begun = True
        if waiting:
            found += _unanswered(waiting)
            waiting.clear()
        if role == "assistant":
            _judge_assistant(message, names, waiting, found)
    if waiting:
        found += _unanswered(waiting)
    return tuple(found)


def _unanswered(waiting: dict[str, str]) -> list[Fault]:
    return [
        Fault("unanswered", call_id, f"call {call_id} of {name} has no result")
        for call_id, name in waiting.items()
    ]


def _judge_result(
    call_id: str,
    names: dict[str, str],
    waiting: dict[str, str],
    answered: set[str],
    found: list[Fault],
) -> None:
    if waiting.pop(call_id, None) is not None:
        answered.add(call_id)
    elif call_id in answered:
        name = names[call_id]
        found.append(Fault("twice", call_id, f"call {call_id} of {name} has a second result"))
    elif call_id in names:
        text = f"the result of call {call_id} of {names[call_id]} does not follow its call"
        found.append(Fault("misplaced", call_id, text))
    else:
        found.append(Fault("orphan", call_id, f"a result for {call_id} has no call before it"))


def _judge_assistant(
    message: Message, names: dict[str, str], waiting: dict[str, str], found: list[Fault]
) -> None:
    calls = message.calls
    if not calls:
        if message.empty:
            found.append(Fault("empty", "", "an assistant message is empty"))
        return
    for call in calls:
        if call.id in names:
            found.append(Fault("id", call.id, f"the id {call.id} names two calls"))
        if not parses(call.args):
            text = f"the arguments of call {call.id} of {call.name} do not parse"
            found.append(Fault("args", call.id, text))
        names[call.id] = waiting[call.id] = call.name


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
    messages = request.messages
    return Heard(messages, request.n, request.run, place, True, faults(messages))


def _displayed(record: HistoryRead, refused: RunFacts) -> Heard:
    place = f"the history displayed when the prompt of run {refused.number} was refused"
    messages = record.messages
    return Heard(messages, record.n, refused.number, place, False, faults(messages))


def refusals(facts: Facts) -> list[RunFacts]:
    """Prompts to an idle agent that raised before a request was made, uncancelled."""
    return [
        run
        for run in facts.runs.values()
        if run.number > 1
        and not run.requests
        and run.settled is not None
        and run.settled.how == "raised"
        and run.settled.outcome in {None, Outcome.FAILED}
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


def after_run(facts: Facts, run: RunFacts) -> Heard | None:
    """The history that `run` left: as the next prompt of its session sent it, or displayed it."""
    later = facts.next_run(run)
    if later is None:
        return None
    for one in heard(facts):
        if one.run == later.number and one.n > run.over:
            return one
    return None

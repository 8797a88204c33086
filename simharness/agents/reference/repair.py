"""Repair: what a session that was cut off lacks to be a history again. Pure functions.

A kill leaves calls without results, and a store that loses lines leaves results without calls.
Repairing what is in order changes nothing, so repairing twice is repairing once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.trace import Message, tool_result

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["NOT_STARTED", "OUTCOME_UNKNOWN", "in_order", "missing_results"]

NOT_STARTED = "not run: the program ended before it started"
OUTCOME_UNKNOWN = "outcome unknown: the program ended while it ran"


def in_order(messages: Sequence[Message]) -> list[Message]:
    """`messages` with each result behind its call; one without a call, or a second one, is left
    out. What a result says calls nothing."""
    places = {
        call.id: place
        for place, message in enumerate(messages)
        if message.role != "tool"
        for call in message.calls
    }
    results: dict[int, list[Message]] = {}
    answered: set[str] = set()
    for message in messages:
        call_id = message.call_id
        if message.role == "tool" and call_id in places and call_id not in answered:
            answered.add(call_id)
            results.setdefault(places[call_id], []).append(message)
    found: list[Message] = []
    for place, message in enumerate(messages):
        if message.role != "tool":
            found += [message, *results.get(place, [])]
    return found


def missing_results(messages: Sequence[Message], began: Collection[str]) -> list[Message]:
    """A result for each call that has none. `began` are the calls whose bodies may have run."""
    answered = {message.call_id for message in messages if message.role == "tool"}
    return [
        tool_result(call.id, OUTCOME_UNKNOWN if call.id in began else NOT_STARTED, is_error=True)
        for message in messages
        if message.role != "tool"
        for call in message.calls
        if call.id not in answered
    ]

"""Entries of the session log, and their form as lines of JSON.

Every entry has a number, so that one that was written twice counts once, and one that had to be
written again later still has its place. What the entries add up to is the business of `session`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from simharness.trace import Block, Call, Message, Opaque, Reasoning, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Began",
    "Deferred",
    "Entry",
    "Kept",
    "TakenBack",
    "TurnOver",
    "Withdrawn",
    "from_line",
    "to_line",
]


@attrs.frozen
class Kept:
    """A message entered the history. `deferred` is the number of the prompt that waits no more.

    That both stand in one line is what makes a deferred prompt be done once: a kill can come
    before a line or behind it, but not between two halves of what it says.
    """

    message: Message
    deferred: int = 0


@attrs.frozen
class Began:
    """The body of a call may have begun: what it did from here on is not known without a result."""

    call_id: str


@attrs.frozen
class TurnOver:
    """A turn has ended, however it went."""


@attrs.frozen
class TakenBack:
    """The history is what its first `length` messages were."""

    length: int


@attrs.frozen
class Deferred:
    """A prompt came that has to wait. `number` is that of the entry."""

    number: int
    text: str


@attrs.frozen
class Withdrawn:
    """Deferred prompt `number` waits no more and will not be done; who prompted was told."""

    number: int


Entry = Kept | Began | TurnOver | TakenBack | Deferred | Withdrawn


def to_line(number: int, entry: Entry) -> str:
    """An entry as one line. Pure ASCII, so that it has as many bytes as characters."""
    return json.dumps({"n": number, **_said(entry)})


def from_line(line: str) -> tuple[int, Entry] | None:
    """The entry of a line with its number; None for anything that `to_line` has not written."""
    try:
        said = json.loads(line)
        return _count(said["n"]), _entry(said)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _count(said: object) -> int:
    if not isinstance(said, int) or said < 0:
        raise ValueError("no count")
    return said


def _said(entry: Entry) -> dict[str, object]:
    match entry:
        case Kept(message, deferred):
            ahead = {"was_deferred": deferred} if deferred else {}
            return {"message": _message_words(message), **ahead}
        case Began(call_id):
            return {"began": call_id}
        case TakenBack(length):
            return {"taken_back": length}
        case Deferred(_, text):
            return {"deferred": text}
        case Withdrawn(number):
            return {"withdrawn": number}
        case TurnOver():
            return {"turn": "over"}


def _entry(said: Mapping[str, Any]) -> Entry:
    if "message" in said:
        return Kept(_message(said["message"]), _count(said.get("was_deferred", 0)))
    if "began" in said:
        return Began(str(said["began"]))
    if "taken_back" in said:
        return TakenBack(_count(said["taken_back"]))
    if "deferred" in said:
        return Deferred(_count(said["n"]), str(said["deferred"]))
    if "withdrawn" in said:
        return Withdrawn(_count(said["withdrawn"]))
    if said["turn"] == "over":
        return TurnOver()
    raise ValueError("no entry")


_BLOCKS: dict[str, type[Text | Reasoning | Opaque]] = {
    "text": Text,
    "reasoning": Reasoning,
    "opaque": Opaque,
}
_ROLES = ("system", "user", "assistant", "tool")


def _message_words(message: Message) -> dict[str, object]:
    marks = {
        "call_id": message.call_id,
        "is_error": message.is_error,
        "interrupted": message.interrupted,
    }
    blocks = [_block_words(block) for block in message.blocks]
    return {"role": message.role, "blocks": blocks, **{k: v for k, v in marks.items() if v}}


def _message(said: Mapping[str, Any]) -> Message:
    role = said["role"]
    if role not in _ROLES:
        raise ValueError("no role")
    return Message(
        role,
        tuple(_block(block) for block in said["blocks"]),
        call_id=str(said.get("call_id", "")),
        is_error=bool(said.get("is_error", False)),
        interrupted=bool(said.get("interrupted", False)),
    )


def _block_words(block: Block) -> dict[str, str]:
    if isinstance(block, Call):
        return {"call": block.id, "name": block.name, "args": block.args}
    name = next(name for name, kind in _BLOCKS.items() if isinstance(block, kind))
    return {name: block.text}


def _block(said: Mapping[str, Any]) -> Block:
    if "call" in said:
        return Call(str(said["call"]), str(said["name"]), str(said["args"]))
    (name,) = said
    return _BLOCKS[name](str(said[name]))

"""What a provider is sent: unique call ids, arguments that parse, notes for one request.

Models do send broken arguments, and some providers reuse or omit ids. A history that holds such a
call as it came is refused with the next request, and with every one after it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs

from simharness.trace import Block, Call, Message, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["with_notes", "with_parsable_args", "with_unique_ids"]


def with_unique_ids(message: Message, history: Iterable[Message]) -> Message:
    """`message` with a fresh id for each call whose id is empty or was used before."""
    used = {call.id for earlier in history for call in earlier.calls}
    blocks: list[Block] = []
    for block in message.blocks:
        if isinstance(block, Call):
            block = attrs.evolve(block, id=_fresh(block.id, used))
            used.add(block.id)
        blocks.append(block)
    return attrs.evolve(message, blocks=tuple(blocks))


def with_parsable_args(message: Message) -> Message:
    """`message` with broken argument text wrapped, so that the model still sees what it wrote.

    Blank text is how providers say "no arguments".
    """
    return attrs.evolve(message, blocks=tuple(_parsable(block) for block in message.blocks))


def with_notes(history: Sequence[Message], notes: Sequence[str]) -> tuple[Message, ...]:
    """`history` with `notes` behind the text of its latest user message."""
    places = [place for place, message in enumerate(history) if message.role == "user"]
    if not places:
        return tuple(history)
    latest = history[places[-1]]
    noted = attrs.evolve(latest, blocks=latest.blocks + tuple(Text(f"\n\n{n}") for n in notes))
    return (*history[: places[-1]], noted, *history[places[-1] + 1 :])


def _fresh(wanted: str, used: set[str]) -> str:
    stem = wanted or "call"
    names = (f"{stem}-{number}" for number in range(len(used) + 1))
    return next(name for name in (wanted, *names) if name and name not in used)


def _parsable(block: Block) -> Block:
    if not isinstance(block, Call):
        return block
    if not block.args.strip():
        return attrs.evolve(block, args="{}")
    try:
        json.loads(block.args)
    except ValueError:
        return attrs.evolve(block, args=json.dumps({"INVALID_JSON": block.args}))
    return block

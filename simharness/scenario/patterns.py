"""Patterns of messages and records, as `history:` and `timeline:` write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import attrs

from simharness.scenario.model import MessagePattern, RecordPattern
from simharness.scenario.nodes import MapNode, Node, ScalarNode, plain_data
from simharness.scenario.problems import did_you_mean, listed
from simharness.scenario.vocabulary import RECORDS
from simharness.trace import Reported, Role

if TYPE_CHECKING:
    from simharness.scenario.fields import Keys, Reader

__all__ = ["GAP", "read_message", "read_record"]

GAP = "..."
"""Any number of messages or records."""

_ROLES: tuple[str, ...] = get_args(Role)
_DETAILS = ("text", "reasoning", "interrupted", "is_error", "calls", "blocks")
_BLOCKS = ("text", "reasoning", "opaque", "call")
_STAMPS = frozenset({"n", "time", "run", "derived"})


def read_message(reader: Reader, node: Node) -> MessagePattern:
    """Read `user`, `{assistant: "text", interrupted: true}` or `...`."""
    if isinstance(node, ScalarNode):
        if node.text == GAP:
            return MessagePattern(GAP, place=node.place)
        role = reader.word(node, "role", _ROLES)
        return MessagePattern(role or "user", place=node.place)
    keys = reader.keys(node, "a message", (*_ROLES, *_DETAILS))
    roles = [name for name in keys if name in _ROLES]
    if len(roles) != 1:
        reader.wrong(node, f"a message needs one role ({listed(_ROLES)})")
        return MessagePattern("user", place=node.place)
    return MessagePattern(
        roles[0],
        text=_message_text(keys, roles[0]),
        reasoning=keys.text("reasoning") if "reasoning" in keys else None,
        interrupted=keys.flag("interrupted") if "interrupted" in keys else None,
        is_error=keys.flag("is_error") if "is_error" in keys else None,
        calls=keys.texts("calls") if "calls" in keys else None,
        blocks=_message_blocks(keys),
        place=node.place,
    )


def _message_text(keys: Keys, role: str) -> str | None:
    """The text stands behind the role; nothing there means any text."""
    keys.only_one_of("text")
    under_role = keys.get(role)
    anything = isinstance(under_role, ScalarNode) and under_role.value is None
    if "text" in keys:
        if not anything:
            keys.reader.wrong(keys.at("text"), f'the text stands behind "{role}" already')
        return keys.text("text")
    return None if anything else keys.text(role)


def _message_blocks(keys: Keys) -> tuple[tuple[str, str | None], ...] | None:
    """The blocks of a message in order: a kind, or a kind and its text; of a call its arguments."""
    node = keys.get("blocks")
    return None if node is None else tuple(_block(keys.reader, n) for n in keys.reader.some(node))


def _block(reader: Reader, node: Node) -> tuple[str, str | None]:
    if isinstance(node, ScalarNode):
        return reader.word(node, "kind of block", _BLOCKS) or "text", None
    keys = reader.keys(node, "a block", _BLOCKS)
    kinds = list(keys)
    if len(kinds) != 1:
        reader.wrong(node, f"a block has one kind ({listed(_BLOCKS)})")
        return "text", None
    return kinds[0], keys.text(kinds[0])


def read_record(reader: Reader, node: Node, *, projected: bool) -> RecordPattern:
    """Read `TurnStart`, `{AgentEnd: {outcome: cancelled}}` or `...`.

    `projected`: the words are those of a profile's projection, so any text is a name.
    """
    if isinstance(node, ScalarNode):
        if node.text != GAP and not projected:
            _known(reader, node)
        return RecordPattern(reader.filled(node, "a record"))
    mapping = reader.mapping(node, "a record")
    if len(mapping.pairs) != 1 or projected:
        reader.wrong(node, "a record is a name or {Name: {field: value}}")
        return RecordPattern(GAP)
    name, fields = mapping.pairs[0]
    kind = _known(reader, name)
    if kind is None or not isinstance(fields, MapNode):
        if kind is not None:
            reader.mapping(fields, f'what follows "{name.text}"')
        return RecordPattern(name.text)
    known = [field.name for field in attrs.fields(kind) if field.name not in _STAMPS]
    keys = reader.keys(fields, f'the record "{name.text}"', known)
    return RecordPattern(
        name.text, {field: _field(reader, field, value) for field, value in _given(keys, known)}
    )


def _known(reader: Reader, name: ScalarNode) -> type[Reported] | None:
    kind = RECORDS.get(name.text)
    if kind is None:
        guess = did_you_mean(name.text, RECORDS)
        reader.wrong(name, f'unknown record "{name.text}"{guess} Known: {listed(RECORDS)}')
    return kind


def _given(keys: Keys, known: list[str]) -> list[tuple[str, Node]]:
    return [(name, value) for name in known if (value := keys.get(name)) is not None]


def _field(reader: Reader, field: str, node: Node) -> object:
    """A message is read as a pattern of one, everything else as plain data; null is no message."""
    nothing = isinstance(node, ScalarNode) and node.value is None
    return read_message(reader, node) if field == "message" and not nothing else plain_data(node)

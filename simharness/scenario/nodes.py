"""The node tree of a scenario file: scalars, lists and mappings that know where they stand.

Only what the language needs of YAML: a plain scalar may be null, true or false, a number or text;
a quoted one is always text. `yes`, `on` and dates are text. Nothing here reads or writes YAML.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from simharness.scenario.model import Place

__all__ = ["ListNode", "MapNode", "Node", "Plain", "ScalarNode", "plain_data", "resolve", "same"]

_INT = re.compile(r"[-+]?[0-9]{1,18}|0x[0-9a-fA-F]{1,15}|0o[0-7]{1,20}")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

Plain = bool | int | float | str | list["Plain"] | dict[str, "Plain"] | None
"""Data without places, as JSON has it."""


@attrs.frozen(eq=False)
class ScalarNode:
    """One scalar. `style` is "" for a plain one, else its quote or block mark."""

    place: Place
    text: str
    style: str = ""

    @property
    def plain(self) -> bool:
        """Whether it was written without quotes."""
        return not self.style

    @property
    def value(self) -> bool | int | float | str | None:
        """What the scalar means: YAML 1.2 with text for everything else."""
        return resolve(self.text) if self.plain else self.text


@attrs.frozen(eq=False)
class ListNode:
    """A list. `flow`: written in brackets."""

    place: Place
    items: tuple[Node, ...] = ()
    flow: bool = True


@attrs.frozen(eq=False)
class MapNode:
    """A mapping with unique keys, in the order of the file."""

    place: Place
    pairs: tuple[tuple[ScalarNode, Node], ...] = ()
    flow: bool = True

    def get(self, name: str) -> Node | None:
        """The value of `name`, or None."""
        return next((value for key, value in self.pairs if key.text == name), None)

    def key(self, name: str) -> ScalarNode:
        """The key node of `name`, which must be there."""
        return next(key for key, _ in self.pairs if key.text == name)

    def names(self) -> tuple[str, ...]:
        """The keys as text."""
        return tuple(key.text for key, _ in self.pairs)

    def without(self, *names: str) -> MapNode:
        """The same mapping less `names`."""
        kept = tuple(pair for pair in self.pairs if pair[0].text not in names)
        return attrs.evolve(self, pairs=kept)


Node = ScalarNode | ListNode | MapNode


def resolve(text: str) -> bool | int | float | str | None:
    """Return what a plain scalar means. Numbers that do not fit a float or 18 digits stay text."""
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if _INT.fullmatch(text):
        return int(text, 0) if text[:2] in {"0x", "0o"} else int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text


def plain_data(node: Node) -> Plain:
    """Return the node as plain data."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, ListNode):
        return [plain_data(item) for item in node.items]
    return {key.text: plain_data(value) for key, value in node.pairs}


def same(one: Node, other: Node) -> bool:
    """Whether two nodes mean the same: places and kinds of quotes aside."""
    if isinstance(one, ScalarNode) and isinstance(other, ScalarNode):
        return one.plain == other.plain and one.text == other.text
    if isinstance(one, ListNode) and isinstance(other, ListNode):
        return len(one.items) == len(other.items) and all(map(same, one.items, other.items))
    if isinstance(one, MapNode) and isinstance(other, MapNode):
        return one.names() == other.names() and all(
            same(mine, yours) for (_, mine), (_, yours) in zip(one.pairs, other.pairs, strict=True)
        )
    return False

"""Typed reading of nodes: text, words, numbers, durations, lists and keys.

Every reader notes what is wrong and returns a usable default, so that the rest of the file is read
as well. Knows YAML nodes and how to complain, but no key of the scenario language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

import attrs

from simharness.scenario.nodes import ListNode, MapNode, Node, Plain, ScalarNode, plain_data
from simharness.scenario.problems import Placed, Problems, did_you_mean, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simharness.scenario.model import Place

__all__ = ["Keys", "Reader", "duration", "kind_of"]

SECONDS_MAX = 1e7
"""About four months of virtual time; more is a slip of the pen."""

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)(ms|s|m)?")
_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, None: 1.0}

T = TypeVar("T")


def duration(text: str) -> float | None:
    """Return the seconds of `50ms`, `1s`, `2m` or a bare number; None if it is none of them."""
    match = _DURATION.fullmatch(text)
    return round(float(match[1]) * _UNITS_S[match[2]], 9) if match else None


def kind_of(node: Node) -> str:
    """Say what a node is, for messages."""
    if isinstance(node, ListNode):
        return "a list"
    if isinstance(node, MapNode):
        return "a mapping"
    if node.value is None:
        return "nothing"
    return f'"{_short(node.text)}"'


@attrs.frozen
class Reader:
    """Reads nodes of one file and notes what is wrong with them."""

    problems: Problems

    def wrong(self, where: Placed | Place, message: str) -> None:
        """Note a problem."""
        self.problems.add(where, message)

    def text(self, node: Node, what: str) -> str:
        """Any scalar but null, as it is written."""
        if isinstance(node, ScalarNode) and node.value is not None:
            return node.text
        self.wrong(node, f"{what} must be text, not {kind_of(node)}")
        return ""

    def filled(self, node: Node, what: str) -> str:
        """Text that is not blank."""
        text = self.text(node, what)
        if isinstance(node, ScalarNode) and node.value is not None and not text.strip():
            self.wrong(node, f"{what} is blank")
        return text

    def flag(self, node: Node, what: str) -> bool:
        """True or false."""
        if isinstance(node, ScalarNode) and isinstance(node.value, bool):
            return node.value
        self.wrong(node, f"{what} must be true or false, not {kind_of(node)}")
        return False

    def whole(self, node: Node, what: str, *, least: int = 0) -> int:
        """A whole number of at least `least`."""
        value = node.value if isinstance(node, ScalarNode) else None
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self.wrong(node, f"{what} must be a whole number of at least {least}, not {kind_of(node)}")
        return least

    def seconds(self, node: Node, what: str) -> float:
        """A duration in seconds: `50ms`, `1s`, `2m`; a bare number is seconds."""
        found = duration(node.text) if isinstance(node, ScalarNode) else None
        if found is None:
            self.wrong(
                node, f"{what} must be a duration such as 50ms, 1s or 2m, not {kind_of(node)}"
            )
            return 0.0
        if found > SECONDS_MAX:
            self.wrong(node, f"{what} is longer than {SECONDS_MAX:.0f} seconds")
            return 0.0
        return found

    def word(self, node: Node, what: str, known: Iterable[str]) -> str | None:
        """One of `known`, or None after a complaint that lists them."""
        known = tuple(known)
        if isinstance(node, ScalarNode) and node.text in known:
            return node.text
        if isinstance(node, ScalarNode) and node.value is not None:
            guess = did_you_mean(node.text, known)
            self.wrong(node, f'unknown {what} "{_short(node.text)}"{guess} Known: {listed(known)}')
        else:
            self.wrong(node, f"{what} must be one of {listed(known)}, not {kind_of(node)}")
        return None

    def items(self, node: Node, what: str) -> tuple[Node, ...]:
        """The items of a list."""
        if isinstance(node, ListNode):
            return node.items
        self.wrong(node, f"{what} must be a list, not {kind_of(node)}")
        return ()

    def some(self, node: Node) -> tuple[Node, ...]:
        """The items of a list; anything else is a list of one."""
        return node.items if isinstance(node, ListNode) else (node,)

    def mapping(self, node: Node, what: str) -> MapNode:
        """A mapping; an empty one after a complaint."""
        if isinstance(node, MapNode):
            return node
        self.wrong(node, f"{what} must be a mapping, not {kind_of(node)}")
        return MapNode(node.place)

    def keys(self, node: Node, what: str, known: Iterable[str]) -> Keys:
        """Open a mapping of which only the `known` keys are allowed."""
        known = tuple(known)
        mapping = self.mapping(node, what)
        for key, _ in mapping.pairs:
            if key.text not in known:
                guess = did_you_mean(key.text, known)
                name = _short(key.text)
                self.wrong(
                    key, f'unknown key "{name}" of {what}{guess} Known keys: {listed(known)}'
                )
        return Keys(self, mapping, known)

    def plain(self, node: Node, what: str) -> dict[str, Plain]:
        """A mapping of plain data."""
        found = plain_data(self.mapping(node, what))
        assert isinstance(found, dict)
        return found

    def settings(self, node: Node, what: str) -> dict[str, object]:
        """A mapping of plain data in which unquoted durations become seconds."""
        found = _settings(self.mapping(node, what))
        assert isinstance(found, dict)
        return found


@attrs.frozen
class Keys:
    """An opened mapping: the values of its known keys."""

    reader: Reader
    node: MapNode
    known: tuple[str, ...]

    @property
    def place(self) -> Place:
        """Where the mapping begins."""
        return self.node.place

    def __contains__(self, name: str) -> bool:
        return self.node.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.node.names())

    def get(self, name: str) -> Node | None:
        """The value of a key, or None if it is not there."""
        return self.node.get(name)

    def required(self, name: str, message: str) -> None:
        """Complain that `name` is missing, unless a misspelt key explains it."""
        if name not in self and all(key in self.known for key in self):
            self.reader.wrong(self.node, message)

    def at(self, name: str) -> Place:
        """The place of a key, or of the mapping if it is not there."""
        return self.node.key(name).place if name in self else self.place

    def text(self, name: str, default: str = "") -> str:
        """The text of a key."""
        node = self.get(name)
        return default if node is None else self.reader.text(node, self._called(name))

    def flag(self, name: str, *, default: bool = False) -> bool:
        """True or false."""
        node = self.get(name)
        return default if node is None else self.reader.flag(node, self._called(name))

    def whole(self, name: str, default: int = 0, *, least: int = 0) -> int:
        """A whole number."""
        node = self.get(name)
        return default if node is None else self.reader.whole(node, self._called(name), least=least)

    def seconds(self, name: str, default: float = 0.0) -> float:
        """A duration in seconds."""
        node = self.get(name)
        return default if node is None else self.reader.seconds(node, self._called(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; one text is a list of one."""
        node = self.get(name)
        if node is None:
            return ()
        return tuple(self.reader.text(item, self._called(name)) for item in self.reader.some(node))

    def only_one_of(self, *names: str) -> bool:
        """Whether at most one of `names` is given; complains at the second."""
        given = [name for name in self if name in names]
        if len(given) > 1:
            self.reader.wrong(
                self.node.key(given[1]), f'"{given[0]}" and "{given[1]}" cannot be given together'
            )
        return len(given) <= 1

    def _called(self, name: str) -> str:
        return f'"{name}"'


def _settings(node: Node) -> object:
    if isinstance(node, ScalarNode):
        value = node.value
        seconds = duration(node.text) if node.plain and isinstance(value, str) else None
        return value if seconds is None else seconds
    if isinstance(node, ListNode):
        return [_settings(item) for item in node.items]
    return {key.text: _settings(value) for key, value in node.pairs}


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= 40 else one_line[:37] + "..."

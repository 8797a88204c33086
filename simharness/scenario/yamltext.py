"""YAML text to node tree and back.

Built from parser events, not from a composed document: that keeps hostile input (deep nesting,
aliases that multiply) within bounds without recursion. Nothing here knows the scenario language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import attrs
import yaml

from simharness.scenario.model import Place
from simharness.scenario.nodes import ListNode, MapNode, Node, ScalarNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.scenario.problems import Problems

__all__ = ["DEPTH_MAX", "NODES_MAX", "parse", "write"]

DEPTH_MAX = 50
"""Deeper nesting is no scenario; also bounds every recursive walk over a tree."""

NODES_MAX = 50_000
"""Nodes of one file, aliases counted as often as they are used."""

# The C parser is some ten times faster; a PyYAML without it reads the same language.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _StopReadingError(Exception):
    """The file cannot be read further; the problem is noted already."""


def parse(text: str, problems: Problems) -> Node | None:
    """Return the tree of `text`, or None after noting why there is none.

    Duplicate keys, tags and unknown aliases are noted and reading goes on; a syntax error ends it.
    """
    bad = _FORBIDDEN.search(text)
    if bad:
        problems.add(_place_of(text, bad.start(), problems), f"character {bad[0]!r} is not allowed")
        return None
    builder = _Builder(problems)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as exc:
        problems.add(_marked(exc, problems), f"this is not YAML: {_words(exc)}")
        return None
    except yaml.YAMLError as exc:
        problems.add(Place(problems.file), f"this is not YAML: {exc}")
        return None
    except _StopReadingError:
        return None
    if builder.root is None:
        problems.add(Place(problems.file), "the file is empty")
    return builder.root


def write(node: Node) -> str:
    """Return YAML text that parses to the same tree, places aside."""
    events = [
        yaml.StreamStartEvent(),
        yaml.DocumentStartEvent(explicit=False),
        *_events(node),
        yaml.DocumentEndEvent(explicit=False),
        yaml.StreamEndEvent(),
    ]
    text: str = yaml.emit(events, Dumper=_DUMPER, allow_unicode=True, width=100)
    return text


# --- reading ----------------------------------------------------------------------------------


@attrs.define
class _Frame:
    """A list or mapping that is still open."""

    place: Place
    anchor: str | None
    flow: bool
    mapping: bool
    children: list[Node] = attrs.field(factory=list)


class _Builder:
    """Turns events into a tree, one at a time."""

    def __init__(self, problems: Problems) -> None:
        self.root: Node | None = None
        self._problems = problems
        self._open: list[_Frame] = []
        self._anchors: dict[str, Node] = {}
        self._count = 0
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        """Add what `event` says."""
        place = self._place(event)
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._stop(place, "a scenario file holds one document, this is the second")
        elif isinstance(event, yaml.ScalarEvent):
            self._check_tag(event, place)
            node = ScalarNode(place, event.value, _style(event))
            self._done(node, event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor or "", place)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event, place)
        elif isinstance(event, yaml.CollectionEndEvent):
            frame = self._open.pop()
            self._done(self._closed(frame), frame.anchor)

    def _begin(self, event: yaml.CollectionStartEvent, place: Place) -> None:
        self._check_tag(event, place)
        if len(self._open) >= DEPTH_MAX:
            self._stop(place, f"nested deeper than {DEPTH_MAX} levels")
        mapping = isinstance(event, yaml.MappingStartEvent)
        self._open.append(_Frame(place, event.anchor, bool(event.flow_style), mapping))

    def _done(self, node: Node, anchor: str | None) -> None:
        self._grow(1, node.place)
        if anchor:
            self._anchors[anchor] = node
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node

    def _closed(self, frame: _Frame) -> Node:
        if not frame.mapping:
            return ListNode(frame.place, tuple(frame.children), frame.flow)
        pairs: dict[str, tuple[ScalarNode, Node]] = {}
        for key, value in zip(frame.children[::2], frame.children[1::2], strict=True):
            if not isinstance(key, ScalarNode):
                self._problems.add(key, "a key must be a word, not a list or mapping")
            elif key.text in pairs:
                first = pairs[key.text][0].place.line
                self._problems.add(
                    key, f'the key "{key.text}" is given twice, first in line {first}'
                )
            else:
                pairs[key.text] = (key, value)
        return MapNode(frame.place, tuple(pairs.values()), frame.flow)

    def _alias(self, anchor: str, place: Place) -> None:
        node = self._anchors.get(anchor)
        if node is None:
            self._problems.add(place, f'the alias "*{anchor}" has no anchor "&{anchor}" before it')
            node = ScalarNode(place, "")
        size, depth = _extent(node)
        self._grow(size, place)
        if len(self._open) + depth > DEPTH_MAX:
            self._stop(place, f"nested deeper than {DEPTH_MAX} levels")
        self._done(_copy(node), None)

    def _grow(self, nodes: int, place: Place) -> None:
        self._count += nodes
        if self._count > NODES_MAX:
            self._stop(place, f"more than {NODES_MAX} values (each use of an alias counts)")

    def _check_tag(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, place: Place) -> None:
        if event.tag is not None:
            self._problems.add(place, f'tags such as "{event.tag}" mean nothing here')

    def _place(self, event: yaml.Event) -> Place:
        return _at(event.start_mark, self._problems)

    def _stop(self, place: Place, message: str) -> None:
        self._problems.add(place, message)
        raise _StopReadingError


def _style(event: yaml.ScalarEvent) -> str:
    return "" if event.style in {None, ""} else str(event.style)


def _extent(node: Node) -> tuple[int, int]:
    """The number of nodes and the depth of a tree."""
    if isinstance(node, ScalarNode):
        return 1, 0
    children = node.items if isinstance(node, ListNode) else [value for _, value in node.pairs]
    extents = [_extent(child) for child in children]
    keys = len(node.pairs) if isinstance(node, MapNode) else 0
    return 1 + keys + sum(size for size, _ in extents), 1 + max(
        (depth for _, depth in extents), default=0
    )


def _copy(node: Node) -> Node:
    """A tree of its own, so that an `each` under two aliases is two choices."""
    if isinstance(node, ListNode):
        return attrs.evolve(node, items=tuple(_copy(item) for item in node.items))
    if isinstance(node, MapNode):
        return attrs.evolve(node, pairs=tuple((key, _copy(value)) for key, value in node.pairs))
    return attrs.evolve(node)


def _place_of(text: str, index: int, problems: Problems) -> Place:
    before = text[:index].splitlines() or [""]
    if text[:index].endswith("\n"):
        before.append("")
    return Place(problems.file, len(before), len(before[-1]) + 1)


def _marked(exc: yaml.MarkedYAMLError, problems: Problems) -> Place:
    return _at(exc.problem_mark or exc.context_mark, problems)


def _at(mark: Any, problems: Problems) -> Place:
    return Place(problems.file, mark.line + 1, mark.column + 1) if mark else Place(problems.file)


def _words(exc: yaml.MarkedYAMLError) -> str:
    return ", ".join(word for word in (exc.context, exc.problem) if word)


# --- writing ----------------------------------------------------------------------------------


def _events(node: Node, *, key: bool = False) -> Iterator[yaml.Event]:
    if isinstance(node, ScalarNode):
        # an empty plain scalar would come back as quoted text inside brackets
        text = "null" if node.plain and not node.text and not key else node.text
        yield yaml.ScalarEvent(None, None, (node.plain, True), text, style=node.style or None)
    elif isinstance(node, ListNode):
        yield yaml.SequenceStartEvent(None, None, implicit=True, flow_style=node.flow)
        for item in node.items:
            yield from _events(item)
        yield yaml.SequenceEndEvent()
    else:
        yield yaml.MappingStartEvent(None, None, implicit=True, flow_style=node.flow)
        for name, value in node.pairs:
            yield from _events(name, key=True)
            yield from _events(value)
        yield yaml.MappingEndEvent()

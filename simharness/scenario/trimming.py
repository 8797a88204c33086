"""Trims of a node tree: every way to leave one thing out, or to say it in its shorter form.

Works on trees of any content, biggest parts first. Whether what is left is a scenario is for the
loader to say; `smaller` asks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.scenario.nodes import ListNode, MapNode, Node

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Path", "hoists", "omissions", "replaced", "walk"]

Path = tuple[int, ...]
"""Where a node stands: the number of the item or pair at each level, from the root."""

Found = tuple[Path, tuple[str, ...], Node]
"""A node, its path, and the keys that lead to it."""

_LONG_FORMS = frozenset({"stream", "name", "report", "message", "returns", "text"})
"""Keys whose mapping, with nothing else in it, may be written as the value alone."""


def walk(root: Node) -> Iterator[Found]:
    """Yield every node below `root`, parents before children, level by level."""
    level: list[Found] = [((), (), root)]
    while level:
        below: list[Found] = []
        for path, keys, node in level:
            for number, (name, child) in enumerate(_children(node)):
                below.append(((*path, number), (*keys, name) if name else keys, child))
        yield from below
        level = below


def omissions(root: MapNode, *, keep: frozenset[str] = frozenset()) -> Iterator[MapNode]:
    """Leave out parts of lists, largest first, and single pairs of mappings, level by level.

    Pairs whose key is in `keep` go only with all that they stand in.
    """
    for path, _, node in [((), (), root), *walk(root)]:
        if isinstance(node, ListNode):
            for items in _shorter(node.items):
                yield replaced(root, path, attrs.evolve(node, items=items))
        elif isinstance(node, MapNode):
            for number in range(len(node.pairs) - 1, -1, -1):
                if node.pairs[number][0].text not in keep:
                    pairs = node.pairs[:number] + node.pairs[number + 1 :]
                    yield replaced(root, path, attrs.evolve(node, pairs=pairs))


def hoists(root: MapNode) -> Iterator[MapNode]:
    """Write `{stream: [a]}` as `[a]`, `{name: search}` as `search` and so on."""
    for path, _, node in walk(root):
        if isinstance(node, MapNode) and len(node.pairs) == 1:
            key, value = node.pairs[0]
            if key.text in _LONG_FORMS:
                yield replaced(root, path, value)


def replaced(root: MapNode, path: Path, new: Node) -> MapNode:
    """Return `root` with `new` at `path`."""
    done = _replaced(root, path, new)
    assert isinstance(done, MapNode), "a scenario is a mapping"
    return done


def _replaced(node: Node, path: Path, new: Node) -> Node:
    if not path:
        return new
    first, rest = path[0], path[1:]
    if isinstance(node, ListNode):
        items = list(node.items)
        items[first] = _replaced(items[first], rest, new)
        return attrs.evolve(node, items=tuple(items))
    assert isinstance(node, MapNode), "a scalar has no children"
    pairs = list(node.pairs)
    key, value = pairs[first]
    pairs[first] = (key, _replaced(value, rest, new))
    return attrs.evolve(node, pairs=tuple(pairs))


def _children(node: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(node, ListNode):
        yield from (("", item) for item in node.items)
    elif isinstance(node, MapNode):
        yield from ((key.text, value) for key, value in node.pairs)


def _shorter(items: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Leave out halves, quarters ... at last single items, the later ones first."""
    width = len(items) // 2 or len(items)
    while width:
        for end in range(len(items), 0, -width):
            yield items[: max(end - width, 0)] + items[end:]
        width //= 2

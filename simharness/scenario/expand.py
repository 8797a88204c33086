"""The matrix: from a file with `each` and `for_each` to one tree for each case.

`{each: [a, b]}` stands for a value anywhere in a file; every value gives a case, several `each`
multiply. `for_each` names a value once and `$name` uses it in several places. Knows nothing of what
the values mean.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING

import attrs

from simharness.scenario.nodes import ListNode, MapNode, Node, ScalarNode, same
from simharness.scenario.problems import did_you_mean, listed
from simharness.scenario.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simharness.scenario.fields import Reader

__all__ = ["CASES_MAX", "Variant", "expand"]

CASES_MAX = 2000
"""More cases in one file are a slip: nobody can read their results."""

VALUES_MAX = 500_000
"""Values of all cases of a file together; a case is a copy of the file, so they multiply."""

_TEXT = 10  # characters of a text that count as one value more

_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_OUTSIDE = ("for_each", "expect_if", "scenario", "case")  # keys in which no `each` may stand


@attrs.frozen
class Variant:
    """A tree without `each` and `$name`, and the word of each choice that led to it."""

    values: Mapping[str, str]
    root: MapNode


@attrs.frozen
class _Choice:
    """An `each` or a `for_each` name, with its values and a word for each."""

    name: str
    words: tuple[str, ...]
    nodes: tuple[Node, ...]

    def pairs(self) -> Iterator[tuple[str, Node]]:
        return zip(self.words, self.nodes, strict=True)


def expand(reader: Reader, root: MapNode) -> list[Variant]:
    """Return a variant for every combination of choices, in the order of the file."""
    fixed = root.get("case")
    if fixed is not None:
        return [Variant(_given_values(reader, fixed), _Matrix(reader, root, fixed=True).root)]
    matrix = _Matrix(reader, root)
    cases, values = matrix.extent()
    if cases > CASES_MAX:
        reader.wrong(root, f"this makes more than {CASES_MAX} cases")
        return []
    if cases * values > VALUES_MAX:
        text = f"a text counts as one value for each {_TEXT} characters"
        reader.wrong(root, f"the cases hold more than {VALUES_MAX} values together ({text})")
        return []
    return list(matrix.variants())


def _given_values(reader: Reader, node: Node) -> dict[str, str]:
    mapping = reader.mapping(node, '"case"')
    return {key.text: reader.text(value, "a word of a case") for key, value in mapping.pairs}


class _Matrix:
    """The choices of one file."""

    def __init__(self, reader: Reader, root: MapNode, *, fixed: bool = False) -> None:
        self._reader = reader
        self._each: dict[int, _Choice] = {}
        self._used: set[str] = set()
        self.root = root.without("for_each")
        self._shared: dict[str, _Choice] = {}
        self._read_shared(root.get("for_each"))
        self._names = set(self._shared)
        for key, value in self.root.pairs:
            self._walk(value, key.text, allowed=key.text not in _OUTSIDE and not fixed)
        for name in set(self._shared) - self._used:
            reader.wrong(root.key("for_each"), f'"${name}" is never used')

    def extent(self) -> tuple[int, float]:
        """How many cases there are, and how many values each holds on average, a long text counted
        as several. Known without making any: there may be too many, or too much in them.
        """
        cases = 1
        averages: dict[str, float] = {}
        for choice in self._shared.values():
            cases *= len(choice.nodes)
            sizes = [self._extent(node, averages)[1] for node in choice.nodes]
            averages[choice.name] = sum(sizes) / max(len(sizes), 1)
        of_tree, size = self._extent(self.root, averages)
        return cases * of_tree, size

    def _extent(self, node: Node, averages: Mapping[str, float]) -> tuple[int, float]:
        """The same of one tree, given the sizes of the shared values."""
        if isinstance(node, ScalarNode):
            return 1, averages.get(_name_of(node) or "", 1 + len(node.text) / _TEXT)
        if id(node) in self._each:
            options = [self._extent(option, averages) for option in self._each[id(node)].nodes]
            cases = sum(count for count, _ in options)
            return cases, sum(count * size for count, size in options) / max(cases, 1)
        children = node.items if isinstance(node, ListNode) else [value for _, value in node.pairs]
        extents = [self._extent(child, averages) for child in children]
        keys = 0 if isinstance(node, ListNode) else len(node.pairs)
        return math.prod(c for c, _ in extents), 1 + keys + sum(size for _, size in extents)

    def variants(self) -> Iterator[Variant]:
        shared = [[(c.name, word, node) for word, node in c.pairs()] for c in self._shared.values()]
        for picked in itertools.product(*shared):
            words = {name: word for name, word, _ in picked}
            nodes: dict[str, Node] = {}
            for name, _, node in picked:
                nodes[name] = _fill(node, nodes)
            for values, root in self._choices(self.root):
                assert isinstance(root, MapNode), "the root is no choice"
                yield Variant(words | values, self._filled(root, nodes))

    # --- reading ------------------------------------------------------------------------------

    def _read_shared(self, node: Node | None) -> None:
        """Read the shared values, which may use the names of those before them."""
        if node is None:
            return
        for key, value in self._reader.mapping(node, '"for_each"').pairs:
            inner = _first_each(value)
            if inner is not None:
                self._reader.wrong(inner, '"each" cannot stand inside "for_each"')
            else:
                self._walk(value, key.text, allowed=False)
            self._shared[key.text] = self._choice(key.text, value)

    def _choice(self, name: str, node: Node) -> _Choice:
        """Read the values: a list, or a mapping that names them."""
        if isinstance(node, MapNode):
            keys = tuple(key.text for key, _ in node.pairs)
            nodes = tuple(value for _, value in node.pairs)
            words = tuple(words_of([key for key, _ in node.pairs])) if keys else ()
        else:
            nodes = self._reader.items(node, f'the values of "{name}"')
            words = words_of(nodes)
        if not nodes:
            self._reader.wrong(node, f'"{name}" has no values')
        nodes, words = nodes[: CASES_MAX + 1], words[: CASES_MAX + 1]
        for first, second in itertools.combinations(nodes[:100], 2):
            if same(first, second):
                self._reader.wrong(second, f'"{name}" has the same value twice')
                break
        return _Choice(name, words, nodes)

    def _walk(self, node: Node, key: str, *, allowed: bool) -> None:
        """Find each `each` and `$name`; `key` is the nearest key above."""
        if isinstance(node, ScalarNode):
            self._variable(node)
        elif isinstance(node, ListNode):
            for item in node.items:
                self._walk(item, key, allowed=allowed)
        else:
            if "each" in node.names():
                self._found_each(node, key, allowed=allowed)
            for name, value in node.pairs:
                inside = key if name.text == "each" else name.text
                self._walk(value, inside, allowed=allowed)

    def _found_each(self, node: MapNode, key: str, *, allowed: bool) -> None:
        reader = self._reader
        if not allowed:
            reader.wrong(node, f'"each" cannot stand here (inside "{key}")')
        if len(node.pairs) > 1:
            reader.wrong(node, '"each" stands alone: {each: [...]}')
        numbered = (f"{key}{number}" for number in itertools.count(2))
        name = next(n for n in itertools.chain([key], numbered) if n not in self._names)
        self._names.add(name)
        values = node.get("each")
        assert values is not None, "the key is there"
        self._each[id(node)] = self._choice(name, values)

    def _variable(self, node: ScalarNode) -> None:
        name = _name_of(node)
        if name is None:
            return
        self._used.add(name)
        if name not in self._shared:
            guess = did_you_mean(name, self._shared)
            known = listed(self._shared) or "none"
            self._reader.wrong(
                node, f'unknown variable "${name}"{guess} Quote it if it is text. Known: {known}'
            )

    # --- choosing -----------------------------------------------------------------------------

    def _choices(self, node: Node) -> Iterator[tuple[dict[str, str], Node]]:
        """Every way to fix the choices inside `node`, the last one varying fastest."""
        if isinstance(node, ScalarNode):
            yield {}, node
        elif id(node) in self._each:
            choice = self._each[id(node)]
            for word, option in choice.pairs():
                for values, chosen in self._choices(option):
                    yield {choice.name: word} | values, chosen
        elif isinstance(node, ListNode):
            for values, items in self._product(node.items):
                yield values, attrs.evolve(node, items=items)
        else:
            keys = [key for key, _ in node.pairs]
            for values, items in self._product([value for _, value in node.pairs]):
                yield values, attrs.evolve(node, pairs=tuple(zip(keys, items, strict=True)))

    def _product(
        self, nodes: tuple[Node, ...] | list[Node]
    ) -> Iterator[tuple[dict[str, str], tuple[Node, ...]]]:
        ways = [list(self._choices(node)) for node in nodes]
        for picked in itertools.product(*ways):
            values: dict[str, str] = {}
            for words, _ in picked:
                values |= words
            yield values, tuple(node for _, node in picked)

    def _filled(self, root: MapNode, nodes: Mapping[str, Node]) -> MapNode:
        filled = _fill(root, nodes) if nodes else root
        assert isinstance(filled, MapNode), "a mapping stays one"
        return filled


def _fill(node: Node, nodes: Mapping[str, Node]) -> Node:
    """Put values in the place of `$name`."""
    if isinstance(node, ScalarNode):
        return nodes.get(_name_of(node) or "", node)
    if isinstance(node, ListNode):
        return attrs.evolve(node, items=tuple(_fill(item, nodes) for item in node.items))
    pairs = tuple((key, _fill(value, nodes)) for key, value in node.pairs)
    return attrs.evolve(node, pairs=pairs)


def _name_of(node: ScalarNode) -> str | None:
    match = _VARIABLE.fullmatch(node.text) if node.plain else None
    return match[1] if match else None


def _first_each(node: Node) -> MapNode | None:
    if isinstance(node, ScalarNode):
        return None
    if isinstance(node, MapNode) and "each" in node.names():
        return node
    children = node.items if isinstance(node, ListNode) else [value for _, value in node.pairs]
    return next((found for child in children if (found := _first_each(child))), None)

"""`expect_if`: expectations of the cases that differ from the rest of their file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.scenario.nodes import MapNode, Node, ScalarNode
from simharness.scenario.problems import did_you_mean, listed
from simharness.scenario.words import full_word, word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simharness.scenario.expand import Variant
    from simharness.scenario.fields import Reader

__all__ = ["apply_overrides"]

Matrix = dict[str, dict[str, None]]  # name -> its words, in order


@attrs.frozen
class _Override:
    """One entry of `expect_if`: for which words, and what is expected then."""

    node: Node
    when: Mapping[str, frozenset[str]]
    expect: MapNode

    def fits(self, values: Mapping[str, str]) -> bool:
        return all(values.get(name) in words for name, words in self.when.items())


def apply_overrides(reader: Reader, variants: Sequence[Variant]) -> list[Variant]:
    """Merge the entries that fit into `expect` of each variant, key by key; later ones win."""
    node = variants[0].root.get("expect_if")
    if node is None:
        return list(variants)
    matrix: Matrix = {}
    for variant in variants:
        for name, chosen in variant.values.items():
            matrix.setdefault(name, {})[chosen] = None
    overrides = [_read(reader, entry, matrix) for entry in reader.items(node, '"expect_if"')]
    for override in overrides:
        read = override.when and all(override.when.values())
        if read and not any(override.fits(variant.values) for variant in variants):
            reader.wrong(override.node, "no case has this combination of values")
    return [attrs.evolve(variant, root=_merged(variant, overrides)) for variant in variants]


def _read(reader: Reader, node: Node, matrix: Matrix) -> _Override:
    mapping = reader.mapping(node, 'an entry of "expect_if"')
    when = mapping.get("when")
    expect = mapping.without("when")
    if when is None:
        reader.wrong(node, 'an entry of "expect_if" needs "when: {name: word}"')
        return _Override(node, {}, expect)
    conditions = reader.mapping(when, '"when"')
    if isinstance(when, MapNode) and not when.pairs:
        reader.wrong(when, '"when" is empty')
    return _Override(
        node,
        {key.text: _words(reader, key, value, matrix) for key, value in conditions.pairs},
        expect,
    )


def _words(reader: Reader, key: ScalarNode, value: Node, matrix: Matrix) -> frozenset[str]:
    """The words that `value` (one or a list) can mean for the choice `key`."""
    known = matrix.get(key.text)
    if known is None:
        guess = did_you_mean(key.text, matrix)
        names = listed(matrix) or "none"
        reader.wrong(key, f'this file has no choice "{key.text}"{guess} Choices: {names}')
        return frozenset()
    found = set()
    for item in reader.some(value):
        hits = {word(item), full_word(item)} & set(known)
        if not hits:
            guess = did_you_mean(word(item), known)
            reader.wrong(
                item, f'"{key.text}" is never "{word(item)}"{guess} Its values: {listed(known)}'
            )
        found |= hits
    return frozenset(found)


def _merged(variant: Variant, overrides: Sequence[_Override]) -> MapNode:
    root = variant.root.without("expect_if")
    fitting = [
        override for override in overrides if override.when and override.fits(variant.values)
    ]
    for override in fitting:
        root = _with_expect(root, override.expect)
    return root


def _with_expect(root: MapNode, changes: MapNode) -> MapNode:
    expect = root.get("expect")
    if expect is None:
        key = ScalarNode(changes.place, "expect")
        return attrs.evolve(root, pairs=(*root.pairs, (key, changes)))
    if not isinstance(expect, MapNode):
        return root
    kept = expect.without(*changes.names())
    merged = attrs.evolve(expect, pairs=(*kept.pairs, *changes.pairs))
    pairs = [(key, merged if key.text == "expect" else value) for key, value in root.pairs]
    return attrs.evolve(root, pairs=tuple(pairs))

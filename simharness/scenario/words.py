"""Short words for values, so that case ids can be read: `aborted+50ms` for a mapping of two."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from simharness.scenario.nodes import ListNode, Node, ScalarNode

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["full_word", "word", "words_of"]

_WORD_MAX = 40  # characters; an id must fit a line

_BREAKING = re.compile(r"[\s\[\],=]+")  # would break an id or a shell word


def word(node: Node) -> str:
    """The word of a value; values of a mapping are joined, keys left out."""
    return _cut(_word(node, full=False))


def full_word(node: Node) -> str:
    """The same with the keys of a mapping, for values that differ only in their keys."""
    return _cut(_word(node, full=True))


def words_of(nodes: Sequence[Node]) -> tuple[str, ...]:
    """A different word for each value: with keys, then numbered, only where that is needed."""
    short = [word(node) for node in nodes]
    twice = {text for text, count in Counter(short).items() if count > 1}
    found: dict[str, None] = {}
    last: dict[str, int] = {}  # the highest number that was tried for a word
    for node, text in zip(nodes, short, strict=True):
        best = full = full_word(node) if text in twice else text
        while best in found:
            last[full] = last.get(full, 1) + 1
            best = f"{full}~{last[full]}"
        found[best] = None
    return tuple(found)


def _word(node: Node, *, full: bool) -> str:
    if isinstance(node, ScalarNode):
        text = "null" if node.value is None else node.text
        return _BREAKING.sub("_", text.strip()) or "blank"
    if isinstance(node, ListNode):
        return "+".join(_word(item, full=full) for item in node.items) or "nothing"
    parts = [_pair(key.text, value, full=full) for key, value in node.pairs]
    return "+".join(parts) or "nothing"


def _pair(key: str, value: Node, *, full: bool) -> str:
    """`close: true` is `close`, `close: false` is `no-close`."""
    if isinstance(value, ScalarNode) and isinstance(value.value, bool):
        return key if value.value else f"no-{key}"
    text = _word(value, full=full)
    return f"{key}:{text}" if full else text


def _cut(text: str) -> str:
    return text if len(text) <= _WORD_MAX else text[: _WORD_MAX - 2] + ".."

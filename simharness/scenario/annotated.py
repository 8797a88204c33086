"""A case as a file that somebody will read: its text with a schedule, and what it shows, in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.scenario.model import Place
from simharness.scenario.nodes import ListNode, MapNode, Node, ScalarNode
from simharness.scenario.problems import Problems
from simharness.scenario.yamltext import parse, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.choices import WordedDeviation
    from simharness.scenario.model import Case

__all__ = ["annotated"]

_HERE = Place("<written>")
_HEAD = ("scenario", "case", "about")
"""Keys that stand before all others."""


def annotated(
    case: Case,
    schedule: Sequence[WordedDeviation],
    *,
    about: str = "",
    strategy: str = "",
    mode: str = "",
) -> str:
    """The text of `case` with this schedule in it.

    `about`, `strategy` and `mode` replace what the scenario says; empty ones change nothing.
    """
    root = parse(case.source, Problems(_HERE.file, case.source))
    assert isinstance(root, MapNode), "a case can be loaded from its source"
    root = _with(root, "schedule", _list(schedule) if schedule else None)
    if about:
        root = _with(root, "about", ScalarNode(_HERE, about))
    if mode not in {"", case.mode or "strict"}:
        root = _with(root, "mode", ScalarNode(_HERE, mode))
    if strategy:
        root = _with(root, "explore", _mapping({"strategy": strategy}))
    first = [pair for name in _HEAD for pair in root.pairs if pair[0].text == name]
    rest = [pair for pair in root.pairs if pair[0].text not in _HEAD]
    return write(attrs.evolve(root, pairs=(*first, *rest)))


def _with(root: MapNode, key: str, value: Node | None) -> MapNode:
    pairs = root.without(key).pairs
    if value is not None:
        pairs = (*pairs, (ScalarNode(_HERE, key), value))
    return attrs.evolve(root, pairs=pairs)


def _list(schedule: Sequence[WordedDeviation]) -> Node:
    return ListNode(_HERE, tuple(_deviation(one) for one in schedule), flow=False)


def _deviation(one: WordedDeviation) -> Node:
    words = {"take": one.takes, "before": one.before, "after": one.after}
    if one.place > 1:
        words["place"] = str(one.place)
    return _mapping({key: word for key, word in words.items() if word})


def _mapping(words: dict[str, str]) -> Node:
    pairs = ((ScalarNode(_HERE, key), ScalarNode(_HERE, word)) for key, word in words.items())
    return MapNode(_HERE, tuple(pairs))

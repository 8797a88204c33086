"""`schedule:` of a scenario: deviations in words, such as `{take: cancel anywhere, after: search}`.

The words are labels of what the world offers. Which there are only a trial shows, so a wrong one is
not found here: the case is then not exercised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.choices import WordedDeviation
from simharness.scenario.nodes import MapNode

if TYPE_CHECKING:
    from simharness.scenario.fields import Reader
    from simharness.scenario.nodes import Node

__all__ = ["read_schedule"]

_KEYS = ("take", "before", "after", "place")


def read_schedule(reader: Reader, node: Node | None) -> tuple[WordedDeviation, ...]:
    """Read the list, in the order in which it is played; none is no schedule."""
    if node is None:
        return ()
    items = reader.items(node, '"schedule"')
    return tuple(one for item in items if (one := _deviation(reader, item)) is not None)


def _deviation(reader: Reader, node: Node) -> WordedDeviation | None:
    if not isinstance(node, MapNode):
        reader.wrong(
            node, "a deviation is a mapping such as {take: cancel anywhere, after: chunk 2}"
        )
        return None
    keys = reader.keys(node, "a deviation", _KEYS)
    keys.required("take", "a deviation says what it takes: {take: cancel anywhere}")
    keys.only_one_of("before", "after")
    return WordedDeviation(
        keys.text("take"),
        before=keys.text("before"),
        after=keys.text("after"),
        place=keys.whole("place", 1, least=1),
    )

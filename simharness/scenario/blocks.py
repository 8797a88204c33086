"""Blocks of a stream: which block a delta or a mark belongs to, where a scenario says so.

Without a number a delta continues the block that is open, so numbers are only for streams that
go back to an earlier block, or mark the same one twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.scenario.model import Mark
from simharness.scenario.nodes import MapNode, Node, ScalarNode

if TYPE_CHECKING:
    from simharness.scenario.fields import Reader

__all__ = ["BLOCK_MARKS", "read_block", "read_delta"]

BLOCK_MARKS = frozenset(
    {Mark.TEXT_START, Mark.TEXT_END, Mark.REASONING_START, Mark.REASONING_END, Mark.CALL_END}
)
"""The marks that may name a block."""


def read_delta(reader: Reader, node: Node, what: str) -> tuple[str, int | None]:
    """Read the value of a delta: its text, or its text and the block it belongs to."""
    if not isinstance(node, MapNode):
        return reader.text(node, what), None
    keys = reader.keys(node, what, ("text", "index"))
    keys.required("text", f'{what} in a block of its own needs a "text"')
    return keys.text("text"), keys.whole("index") if "index" in keys else None


def read_block(reader: Reader, node: Node) -> int | None:
    """Read the value of a mark: the number of a block, or nothing."""
    if isinstance(node, ScalarNode) and node.value is None:
        return None
    return reader.whole(node, "the number of a block")

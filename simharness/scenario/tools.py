"""Scripted tools: what stands under `tools:`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.scenario.model import Tool, ToolReaction
from simharness.scenario.nodes import Node, ScalarNode

if TYPE_CHECKING:
    from simharness.scenario.fields import Keys, Reader

__all__ = ["read_tools"]

_TOOL_KEYS = ("returns", "raises", "takes", "effects", "on_cancel", "schema", "ends_turn")


def read_tools(reader: Reader, node: Node) -> tuple[Tool, ...]:
    """Read the tools by name; a plain text is what the tool returns."""
    mapping = reader.mapping(node, '"tools"')
    return tuple(_tool(reader, name, value) for name, value in mapping.pairs)


def _tool(reader: Reader, name: ScalarNode, node: Node) -> Tool:
    if isinstance(node, ScalarNode):
        returns = "ok" if node.value is None else node.text
        return Tool(name.text, returns=returns, place=name.place)
    keys = reader.keys(node, f'the tool "{name.text}"', _TOOL_KEYS)
    keys.only_one_of("returns", "raises")
    raises = keys.get("raises")
    schema = keys.get("schema")
    return Tool(
        name.text,
        returns=keys.text("returns", "ok"),
        raises=None if raises is None else reader.filled(raises, '"raises"'),
        takes_s=_takes(keys),
        effects=keys.whole("effects"),
        on_cancel=_on_cancel(reader, keys),
        schema=None if schema is None else reader.plain(schema, '"schema"'),
        ends_turn=keys.flag("ends_turn"),
        key="" if raises is None else f"tools.{name.text}: raises",
        place=name.place,
    )


def _takes(keys: Keys) -> float | None:
    """`none` is the body that returns without waiting."""
    node = keys.get("takes")
    if isinstance(node, ScalarNode) and node.text == "none":
        return None
    return keys.seconds("takes")


def _on_cancel(reader: Reader, keys: Keys) -> ToolReaction:
    node = keys.get("on_cancel")
    word = None if node is None else reader.word(node, "reaction of a tool", ToolReaction)
    return ToolReaction(word) if word else ToolReaction.IGNORE

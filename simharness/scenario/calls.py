"""Tool calls inside a stream: `call: search`, its arguments, and how they are cut into pieces.

Argument text is kept exactly as it will be sent, so it may be anything, valid JSON or not.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from simharness.scenario.model import ArgsStep, CallStep
from simharness.scenario.nodes import ListNode, MapNode, Node, plain_data

if TYPE_CHECKING:
    from simharness.scenario.fields import Keys, Reader

__all__ = ["read_args", "read_call"]

_CALL_KEYS = ("name", "args", "id", "index", "pieces", "cut")


def read_call(reader: Reader, node: Node) -> CallStep:
    """Read the value of `call:`, a tool name or a mapping."""
    if not isinstance(node, MapNode):
        return CallStep(reader.text(node, "the tool name of a call"), ("{}",))
    keys = reader.keys(node, "a call", _CALL_KEYS)
    keys.required("name", 'a call needs a "name"')
    return CallStep(
        keys.text("name"),
        _pieces(reader, keys),
        id=keys.text("id") if "id" in keys else None,
        index=keys.whole("index") if "index" in keys else None,
    )


def read_args(reader: Reader, node: Node) -> ArgsStep:
    """Read the value of `args:` as a step: one more piece for an earlier call."""
    if not isinstance(node, MapNode):
        return ArgsStep(reader.text(node, "a piece of arguments"))
    keys = reader.keys(node, "a piece of arguments", ("text", "index"))
    keys.required("text", 'a piece of arguments needs a "text"')
    return ArgsStep(keys.text("text"), keys.whole("index") if "index" in keys else None)


def _pieces(reader: Reader, keys: Keys) -> tuple[str, ...]:
    if not keys.only_one_of("pieces", "cut"):
        return ("",)
    pieces, cut, args = keys.get("pieces"), keys.get("cut"), keys.get("args")
    if isinstance(pieces, ListNode):
        keys.only_one_of("args", "pieces")
        if not pieces.items:
            reader.wrong(pieces, '"pieces" is empty; a call without arguments is pieces: [""]')
        return tuple(reader.text(item, "a piece") for item in pieces.items) or ("",)
    text = "{}" if args is None else _args_text(reader, args)
    if pieces is not None:
        return _in_parts(reader, pieces, text)
    if cut is not None:
        return _cut_at(reader, cut, text)
    return (text,)


def _args_text(reader: Reader, node: Node) -> str:
    """A mapping as compact JSON; text as it is written."""
    if isinstance(node, MapNode):
        return json.dumps(plain_data(node), ensure_ascii=False, separators=(",", ":"))
    if isinstance(node, ListNode):
        reader.wrong(node, '"args" must be a mapping or the raw text, not a list')
        return ""
    return reader.text(node, '"args"')


def _in_parts(reader: Reader, node: Node, text: str) -> tuple[str, ...]:
    count = reader.whole(node, '"pieces"', least=1)
    if count > max(len(text), 1):
        reader.wrong(node, f"{text!r} cannot be cut into {count} pieces")
        return (text,)
    size, rest = divmod(len(text), count)
    ends = [size * part + min(part, rest) for part in range(count + 1)]
    return tuple(text[start:end] for start, end in pairwise(ends))


def _cut_at(reader: Reader, node: Node, text: str) -> tuple[str, ...]:
    """Cut at byte offsets of the UTF-8 text, as a wire would."""
    data = text.encode("utf-8", "surrogatepass")
    offsets = [0]
    for item in reader.some(node):
        offset = reader.whole(item, "a byte offset", least=1)
        if not offsets[-1] < offset < len(data):
            last = len(data) - 1
            reader.wrong(
                item,
                f"byte offsets must rise between {offsets[-1] + 1} and {last}, this is {offset}",
            )
        elif data[offset] & 0xC0 == 0x80:
            reader.wrong(item, f"byte offset {offset} lies inside a character")
        else:
            offsets.append(offset)
    offsets.append(len(data))
    return tuple(
        data[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(offsets)
    )

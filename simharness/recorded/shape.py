"""The shape of an event: which fields it needs and what they hold.

A shape is written as words: `messageId:text`, `role?:text` (may be missing), `delta:list`. Only
what the checkers read is described; an unknown field is nobody's fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from simharness.recorded.reading import quoted

__all__ = ["Shape", "fault", "shape"]

Shape = tuple[tuple[str, str, bool], ...]

_KINDS: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "text": ("a text", lambda value: type(value) is str),
    "whole": ("a whole number", lambda value: type(value) is int),
    "flag": ("true or false", lambda value: type(value) is bool),
    "object": ("an object", lambda value: type(value) is dict),
    "list": ("a list", lambda value: type(value) is list),
    "content": ("a text or a list", lambda value: type(value) in {str, list}),
    "any": ("a value", lambda _: True),
}


def shape(*fields: str) -> Shape:
    """Return the shape that these words say."""
    found = []
    for field in fields:
        name, _, kind = field.partition(":")
        assert kind in _KINDS, f"unknown kind {kind}"
        found.append((name.removesuffix("?"), kind, not name.endswith("?")))
    return tuple(found)


def fault(value: Mapping[str, Any], wanted: Shape) -> str:
    """Say what is wrong with an event of this shape; "" if nothing is."""
    for name, kind, needed in wanted:
        found = value.get(name, fault)  # `fault` stands for "not there": null is a value
        if found is fault or (found is None and not needed):
            if needed:
                return f"needs {quoted(name)}, {_KINDS[kind][0]}"
        elif not _KINDS[kind][1](found):
            return f"needs {_KINDS[kind][0]} as {quoted(name)}, not {quoted(found)}"
    return ""

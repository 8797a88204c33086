"""Plain values as JSON and back: messages, chunks, records and what is said over the bridge.

What comes from a child is checked against the fields of its class, and refused with the place of
what is wrong. Fields at their default are left out. A value of one of several classes says which
by `type`, the class name in small letters with dashes: `{"type": "text-delta", "text": "Hi"}`.
"""

from __future__ import annotations

import difflib
import enum
import functools
import math
import re
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Union

import attrs

__all__ = ["BadValue", "decode", "encode", "tag_of", "tagged"]


class BadValue(ValueError):
    """Something that does not fit. `place` is the path to it, such as `messages[0].role`."""

    def __init__(self, place: str, found: object, expected: str) -> None:
        text = f"{place or 'the message'}: found {_short(found)}, expected {expected}"
        super().__init__(text)
        self.place = place


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def tag_of(kind: type) -> str:
    """The `type` of a class: `TextDelta` is `text-delta`."""
    return _dashed(kind.__name__)


@functools.cache
def _dashed(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def tagged(kinds: Iterable[type]) -> Mapping[str, type]:
    """Classes by their `type`."""
    return {tag_of(kind): kind for kind in kinds}


# --- out ------------------------------------------------------------------------------------------


def encode(value: object, kind: Any = None) -> Any:
    """`value` as what `json` can write. `kind` is what its place may hold; None: anything."""
    if attrs.has(type(value)):
        sure = kind is not None and _classes(kind) == (type(value),)
        said: dict[str, Any] = {} if sure else {"type": tag_of(type(value))}
        kind_of: Any = type(value)
        for name, (of, default) in _fields(kind_of).items():
            held = getattr(value, name)
            if held != default:
                said[name] = encode(held, of)
        return said
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Exception):
        return {"message": str(value), **vars(value)}
    if isinstance(value, tuple | list):
        return [encode(one, _item_kind(kind)) for one in value]
    if isinstance(value, frozenset):
        return sorted(value)
    return value


def _classes(kind: Any) -> tuple[Any, ...]:
    """The members of a union but None, or the kind itself."""
    if typing.get_origin(kind) not in {Union, types.UnionType}:
        return (kind,)
    return tuple(one for one in typing.get_args(kind) if one is not type(None))


def _item_kind(kind: Any) -> Any:
    """What an item of a tuple may be; items of classes are all of one kind."""
    items = typing.get_args(_classes(kind)[0]) if kind is not None else ()
    return items[0] if items else None


# --- in -------------------------------------------------------------------------------------------


def decode(kind: Any, value: Any, place: str = "") -> Any:
    """`value` as a `kind`: a class, a union, a tuple type or a plain type. Raises `BadValue`."""
    origin = typing.get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _one_of(typing.get_args(kind), value, place)
    if origin is tuple:
        return _several(typing.get_args(kind), value, place)
    if origin is Literal:
        return _word(typing.get_args(kind), value, place)
    if origin is not None and issubclass(origin, Mapping):
        return _plain(dict, value, place)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(_word([one.value for one in kind], value, place))
    if isinstance(kind, type) and issubclass(kind, Exception):
        words = dict(_plain(dict, value, place))
        return kind(words.pop("message", ""), **words)
    if attrs.has(kind):
        return _object(kind, value, place)
    return _plain(kind, value, place)


def _object(kind: type, value: Any, place: str) -> Any:
    said = dict(_plain(dict, value, place))
    said.pop("type", None)
    found = {}
    known = list(_fields(kind))
    for key in said:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            fields = ", ".join(known) or "nothing"
            raise BadValue(_within(place, key), key, f"one of {fields}{hint}")
    for name, (of, default) in _fields(kind).items():
        if name in said:
            found[name] = decode(of, said[name], _within(place, name))
        elif default is attrs.NOTHING:
            raise BadValue(_within(place, name), None, f"a value: {tag_of(kind)} needs it")
    return kind(**found)


def _one_of(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    left = [kind for kind in kinds if kind is not type(None)]
    if len(left) == 1:
        return decode(left[0], value, place)
    tags = [tag_of(kind) for kind in left]
    tag = _word(tags, _plain(dict, value, place).get("type"), _within(place, "type"))
    return _object(left[tags.index(tag)], value, place)


def _several(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    items = _plain(list, value, place)
    if kinds[-1] is ...:
        return tuple(decode(kinds[0], one, f"{place}[{n}]") for n, one in enumerate(items))
    if len(items) != len(kinds):
        raise BadValue(place, items, f"{len(kinds)} values")
    pairs = zip(kinds, items, strict=True)
    return tuple(decode(kind, one, f"{place}[{n}]") for n, (kind, one) in enumerate(pairs))


def _word(words: typing.Sequence[Any], value: Any, place: str) -> Any:
    if isinstance(value, str) and value in words:
        return value
    near = difflib.get_close_matches(value, words, n=1) if isinstance(value, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise BadValue(place, value, f"one of {', '.join(map(str, words))}{hint}")


_NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
_NAMES |= {dict: "an object", list: "a list"}


def _plain(kind: Any, value: Any, place: str) -> Any:
    if kind is float and type(value) is int:
        value = float(value) if abs(value) < 2**53 else math.inf
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        raise BadValue(place, value, _NAMES.get(kind, str(kind)))
    return value


def _within(place: str, key: object) -> str:
    return f"{place}.{key}" if place else str(key)


@functools.cache
def _fields(kind: type) -> Mapping[str, tuple[Any, Any]]:
    """Type and default of each field that a constructor takes, by name."""
    hints = typing.get_type_hints(kind)
    return {one.name: (hints[one.name], one.default) for one in attrs.fields(kind) if one.init}

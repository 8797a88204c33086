"""One record of every class, with something in every field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from simharness.recorded.own_lines import RECORDS
from simharness.trace import Call, Message, Opaque, Outcome, Reasoning, Record, Text

__all__ = ["leaves", "samples"]

_MESSAGE = Message(
    "assistant",
    (Text("a\u2028\ud800"), Reasoning("b"), Opaque("c"), Call("d", "e", '{"f"')),
    interrupted=True,
)
_RESULT = Message("tool", (Text("g"),), call_id="d", is_error=True)
_VALUES: dict[str, Any] = {
    "str": "text",
    "int": 7,
    "bool": True,
    "float": 1.5,
    "int | None": 3,
    "Outcome | None": Outcome.LIMIT,
    "Message": _MESSAGE,
    "Message | None": _RESULT,
    "tuple[Message, ...]": (_MESSAGE, _RESULT),
    "tuple[str, ...]": ("x", "y"),
    "tuple[int, ...]": (1, 2),
    "tuple[int, int] | None": (4, 5),
    "tuple[tuple[float, str, str], ...]": ((0.5, "text", "x"),),
}


def leaves(kind: type[Record]) -> Iterator[type[Record]]:
    """The classes below `kind` that have none below them."""
    below = kind.__subclasses__()
    for child in below:
        yield from leaves(child)
    if not below:
        yield kind


def samples() -> Iterator[Record]:
    """A record of every class that can stand in a trace."""
    for kind in RECORDS.values():
        fields = [f for f in attrs.fields(kind) if f.name not in {"n", "time", "run"}]
        yield kind(**{field.name: _VALUES[str(field.type)] for field in fields})

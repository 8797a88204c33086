"""Our own traces as JSON lines: one line that says whose trial it is, then one for each record.

    {"simharness_trace": 1, "agent": "reference", "contract": {"cut_message": "kept", ...}}
    {"record": "PromptCalled", "time": 0.0, "run": 1, "text": "hi", "session": ""}

Writing and reading keep every field of every record; the tests hold that against all classes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, get_args

import attrs

from simharness import storing
from simharness.contract import Contract
from simharness.trace import (
    Call,
    Message,
    Opaque,
    Outcome,
    Reasoning,
    Record,
    Reported,
    Role,
    Text,
    Trace,
    Witnessed,
)

__all__ = ["RECORDS", "VERSION", "BadRecordError", "read_contract", "read_record", "written"]

VERSION: Final = 1
"""What `simharness_trace` says; other versions are refused."""

RECORDS: Final[dict[str, type[Record]]] = {
    kind.__name__: kind for base in (Witnessed, Reported) for kind in base.__subclasses__()
}
"""All classes of records by name."""

assert storing.Killed.__name__ in RECORDS, "records about stores stand beside the trace"

_STAMPS: Final = ("record", "time", "run")
_BLOCKS: Final[dict[str, type[Text | Reasoning | Opaque]]] = {
    "text": Text,
    "reasoning": Reasoning,
    "opaque": Opaque,
}


class BadRecordError(Exception):
    """A line is no record; the text says why."""


def written(
    trace: Trace, contract: Contract, *, agent: str = "", on_time: bool = True
) -> Iterator[str]:
    """Yield the lines of one trial, each with its newline.

    `on_time`: nothing was made late, so rules that read seconds mean something.
    """
    said = {name: _plain(value) for name, value in _declared(contract)}
    head = {"simharness_trace": VERSION, "agent": agent, "on_time": on_time, "contract": said}
    yield json.dumps(head, ensure_ascii=True) + "\n"
    for record in trace:
        line = {"record": type(record).__name__, "time": record.time, "run": record.run}
        for name in _fields(type(record)):
            line[name] = _plain(getattr(record, name))
        yield json.dumps(line, ensure_ascii=True) + "\n"


def read_record(value: Mapping[str, Any]) -> tuple[Record, float, int]:
    """Return the record of a line, its time and its run; raises BadRecordError."""
    name = value.get("record")
    kind = RECORDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise BadRecordError(f"there is no record {name!r}")
    fields = _fields(kind)
    unknown = [key for key in value if key not in fields and key not in _STAMPS]
    if unknown:
        raise BadRecordError(f"{name} has no field {unknown[0]!r}")
    time, run = _read("float", value.get("time")), _read("int", value.get("run"))
    made = {
        key: _read(annotation, value[key]) for key, annotation in fields.items() if key in value
    }
    try:
        return kind(**made), time, run
    except TypeError:  # a field without a default is missing
        missing = [key for key in fields if key not in value]
        raise BadRecordError(f"{name} needs {', '.join(missing)}") from None


def read_contract(said: object) -> Contract:
    """Return the contract that a first line says; raises BadRecordError."""
    if not isinstance(said, dict):
        raise BadRecordError("a contract is an object")
    known = {field.name for field in attrs.fields(Contract)}
    made: dict[str, Any] = {}
    for name, value in said.items():
        if name not in known:
            raise BadRecordError(f"a contract has no field {name!r}")
        if name == "reports":
            made[name] = frozenset(_read("tuple[str, ...]", value))
        else:
            made[name] = _read("str", value)
    return Contract(**made)


def _declared(contract: Contract) -> Iterator[tuple[str, object]]:
    for field in attrs.fields(Contract):
        value = getattr(contract, field.name)
        if value:
            yield field.name, sorted(value) if isinstance(value, frozenset) else value


def _fields(kind: type[Record]) -> dict[str, str]:
    """The fields of a class of records, and what they hold."""
    return {
        field.name: str(field.type)
        for field in attrs.fields(kind)
        if field.name not in {"n", "time", "run"}
    }


# --- values -------------------------------------------------------------------------------------


def _plain(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, Message):
        said: dict[str, object] = {"role": value.role, "blocks": [_block(b) for b in value.blocks]}
        if value.call_id:
            said["call_id"] = value.call_id
        marks = ("is_error", "interrupted")
        return said | {mark: True for mark in marks if getattr(value, mark)}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Outcome) else value


def _block(block: Text | Reasoning | Opaque | Call) -> dict[str, object]:
    if isinstance(block, Call):
        return {"call": [block.id, block.name, block.args]}
    return {type(block).__name__.lower(): block.text}


def _read(annotation: str, value: Any) -> Any:
    """The value of a field with this annotation; raises BadRecordError."""
    if annotation.endswith(" | None"):
        return None if value is None else _read(annotation.removesuffix(" | None"), value)
    if annotation.startswith("tuple["):
        return _tuple(annotation[len("tuple[") : -1], value)
    read = _READERS.get(annotation)
    assert read is not None, f"no reader for {annotation}"
    return read(value)


def _tuple(inside: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise BadRecordError(f"a list was expected, not {value!r:.40}")
    if inside.endswith(", ..."):
        return tuple(_read(inside.removesuffix(", ..."), one) for one in value)
    kinds = inside.split(", ")
    if len(kinds) != len(value):
        raise BadRecordError(f"{len(kinds)} values were expected, not {len(value)}")
    return tuple(_read(kind, one) for kind, one in zip(kinds, value, strict=True))


def _of(kind: type, words: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise BadRecordError(f"{words} was expected, not {value!r:.40}")
        return value

    return read


def _number(value: Any) -> float:
    if type(value) not in {int, float}:
        raise BadRecordError(f"a number was expected, not {value!r:.40}")
    try:
        return float(value)
    except OverflowError:
        raise BadRecordError("a number is too large") from None


def _outcome(value: Any) -> Outcome:
    try:
        return Outcome(value)
    except ValueError:
        raise BadRecordError(f"there is no outcome {value!r:.40}") from None


def _message(value: Any) -> Message:
    if not isinstance(value, dict) or value.get("role") not in get_args(Role):
        raise BadRecordError(f"a message was expected, not {value!r:.40}")
    blocks = value.get("blocks", [])
    if not isinstance(blocks, list):
        raise BadRecordError("the blocks of a message are a list")
    return Message(
        value["role"],
        tuple(_read_block(block) for block in blocks),
        call_id=_read("str", value.get("call_id", "")),
        is_error=_read("bool", value.get("is_error", False)),
        interrupted=_read("bool", value.get("interrupted", False)),
    )


def _read_block(value: Any) -> Text | Reasoning | Opaque | Call:
    if not isinstance(value, dict) or len(value) != 1:
        raise BadRecordError(f"a block was expected, not {value!r:.40}")
    kind, said = next(iter(value.items()))
    if kind == "call":
        return Call(*_read("tuple[str, str, str]", said))
    if kind not in _BLOCKS:
        raise BadRecordError(f"there is no block {kind!r}")
    return _BLOCKS[kind](_read("str", said))


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "str": _of(str, "a text"),
    "int": _of(int, "a whole number"),
    "bool": _of(bool, "true or false"),
    "float": _number,
    "Outcome": _outcome,
    "Message": _message,
    "tuple": lambda value: value,
}

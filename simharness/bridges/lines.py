"""Messages of the bridge as lines of JSON, and lines as messages, or refused with their place.

Each message is one line with its `type`: the class name in small letters with dashes. What the
harness says also carries `at`, the virtual time in seconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

import attrs

from simharness.bridges.down import Down
from simharness.bridges.up import Report, Up
from simharness.bridges.values import BadValue, decode, encode, tagged
from simharness.scenario.vocabulary import RECORDS
from simharness.trace import Reported

__all__ = ["DOWN", "UP", "BadLine", "down_line", "read_down", "read_up", "up_line"]

DOWN: Mapping[str, type] = tagged(get_args(Down))
UP: Mapping[str, type] = tagged(get_args(Up))

_RECORDS: Mapping[str, type] = tagged(RECORDS.values())
"""Every record that an agent can report, by its `type`."""


class BadLine(ValueError):
    """A line that is no message; the text says where in it, what was found and expected."""


def down_line(message: Down, *, at: float) -> bytes:
    """What the harness says as a line, without its end."""
    return _line({**encode(message), "at": at})


def up_line(message: Up) -> bytes:
    """What a child says as a line, without its end."""
    return _line(encode(message))


def _line(said: object) -> bytes:
    return json.dumps(said, separators=(",", ":"), default=str).encode()


def read_up(line: bytes) -> Up:
    """What a child said. Raises `BadLine`."""
    said = _object(line)
    found: Up = _read(UP, said)
    return found


def read_down(line: bytes) -> tuple[Down, float]:
    """What the harness said, and the virtual time. Raises `BadLine`."""
    said = _object(line)
    at = said.pop("at", 0.0)
    found: Down = _read(DOWN, said)
    return found, float(at)


def _object(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line.decode())  # bytes would be guessed at: they may look like UTF-16
    except UnicodeDecodeError as error:
        raise BadLine(f"byte {error.start + 1}: not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadLine(f"character {error.pos + 1}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:  # a number or a nesting beyond all use
        raise BadLine(f"not JSON that can be read ({type(error).__name__})") from None
    if not isinstance(said, dict):
        raise BadLine(f"found {type(said).__name__}, expected an object with a `type`")
    return said


def _read(kinds: Mapping[str, type], said: dict[str, Any]) -> Any:
    try:
        tag = said.get("type")
        kind = kinds.get(tag) if isinstance(tag, str) else None
        if kind is None:
            raise BadValue("type", tag, f"one of {', '.join(kinds)}")
        if kind is Report:
            return _report(said)
        return decode(kind, said)
    except BadValue as error:
        raise BadLine(str(error)) from None


def _report(said: dict[str, Any]) -> Report:
    """A report: its record is one of many classes, known by its `type`."""
    record = said.get("record")
    tag = record.get("type") if isinstance(record, dict) else None
    kind = _RECORDS.get(tag) if isinstance(tag, str) else None
    if kind is None:
        raise BadValue("record.type", tag, f"one of {', '.join(_RECORDS)}")
    made: Reported = decode(kind, record, "record")
    stamped = decode(_Stamp, {key: held for key, held in said.items() if key != "record"})
    return Report(stamped.run, made)


@attrs.frozen
class _Stamp:
    """What a report says beside its record."""

    run: int

"""Reads a recorded trace as it comes: JSON lines or server-sent events, one payload at a time.

Among JSON lines those that begin with # are for people. Nothing is kept but the line at hand, so
memory does not grow with the file. What cannot be read is a `TraceError` with its place; nothing
else comes out of bad input. Nothing here knows a format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from simharness.scenario.model import Place

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["DONE", "LINE_MAX", "Payload", "Spot", "TraceError", "payloads", "quoted"]

LINE_MAX: Final = 16 * 1024 * 1024
"""Bytes of one line, or of the data lines of one event; a longer one is refused."""

DONE: Final = "[DONE]"
"""What ends a stream of OpenAI chat completions and of the Vercel AI SDK; no JSON."""

MARKS: Final = ("cancel", "left")
"""What whoever records may note: here the user cancelled; here the reader stopped reading."""

Spot = tuple[int, int]
"""Line and column of something in the trace, both from 1."""

_FIELD = re.compile(r"(event|data|id|retry)?:|(event|data|id|retry)$")
_MARK = re.compile(r":\s*simharness\s+(\S+)\s*$")
_SHOWN = 60  # characters of a quoted text


class TraceError(Exception):
    """The trace cannot be read from `place` on."""

    def __init__(self, place: Place, message: str) -> None:
        where = place if place.line else place.file  # line 0 is the file as a whole
        super().__init__(f"{where}: error: {message}")
        self.place = place
        self.message = message


class Payload(NamedTuple):
    """One event: its JSON object, or a `word` (`[DONE]`, or a mark) in its place.

    `name` is the `event:` field of a server-sent event, "" where there is none.
    """

    spot: Spot
    value: dict[str, Any] | None
    name: str = ""
    word: str = ""


def quoted(text: object) -> str:
    """Return `text` in quotes: cut where it is long, without anything a terminal would obey."""
    shown = str(text)
    cut = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
    safe = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return f'"{"".join(safe)}"'


def payloads(file: BinaryIO, name: str) -> Iterator[Payload]:
    """Yield the events of `file` in order; `name` is what errors call it.

    Raises TraceError where the text is neither JSON lines nor server-sent events.
    """
    lines = _lines(file, name)
    for number, text in lines:
        if not text.strip() or text.startswith("#"):
            continue
        if text.lstrip().startswith("{") or text.strip() == DONE:
            yield from _json_lines(name, number, text, lines)
        elif _FIELD.match(text):
            yield from _Events(name).read(number, text, lines)
        else:
            raise TraceError(Place(name, number, 1), _unreadable(text))
        return


def _unreadable(text: str) -> str:
    if text.lstrip().startswith("["):
        return "a JSON array is not a trace; write one event a line, as `jq -c '.[]'` does"
    return (
        f"{quoted(text)} is neither a JSON object nor a field of a server-sent event "
        "(data:, event:, id:, retry:)"
    )


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """The lines of a file as text, with their numbers."""
    number = 0
    while raw := file.readline(LINE_MAX + 1):
        number += 1
        if len(raw) > LINE_MAX:
            raise TraceError(Place(name, number, LINE_MAX), f"a line of more than {LINE_MAX} bytes")
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            column = len(raw[: error.start].decode("utf-8", "replace")) + 1
            what = f"byte 0x{raw[error.start]:02x} is not UTF-8; traces are UTF-8 text"
            raise TraceError(Place(name, number, column), what) from None
        yield number, text.rstrip("\r\n")


# --- JSON lines -------------------------------------------------------------------------------


def _json_lines(
    name: str, number: int, text: str, lines: Iterator[tuple[int, str]]
) -> Iterator[Payload]:
    yield from _json_line(name, number, text)
    for number, text in lines:
        if text and not text.isspace() and not text.startswith("#"):
            yield from _json_line(name, number, text)


def _json_line(name: str, number: int, text: str) -> Iterator[Payload]:
    spot = (number, len(text) - len(text.lstrip()) + 1)
    if text.strip() == DONE:
        yield Payload(spot, None, word=DONE)
        return
    value = _decoded(name, text, [(number, 1)])
    if "simharness" in value and value.keys() == {"simharness"}:
        yield Payload(spot, None, word=_mark(name, spot, value["simharness"]))
    else:
        yield Payload(spot, value)


# --- server-sent events -----------------------------------------------------------------------


class _Events:
    """Puts fields together to events. An event that the end of the file cuts is still read."""

    def __init__(self, name: str) -> None:
        self._file = name
        self._name = ""
        self._data: list[str] = []
        self._spots: list[Spot] = []
        self._size = 0

    def read(self, number: int, text: str, lines: Iterator[tuple[int, str]]) -> Iterator[Payload]:
        """Yield the events of these lines."""
        yield from self._line(number, text)
        for number, text in lines:
            yield from self._line(number, text)
        yield from self._dispatch()

    def _line(self, number: int, text: str) -> Iterator[Payload]:
        if not text:
            yield from self._dispatch()
        elif text.startswith(":"):
            found = _MARK.match(text)
            if found:
                yield from self._dispatch()
                yield Payload((number, 1), None, word=_mark(self._file, (number, 1), found[1]))
        else:
            self._field(number, text)

    def _field(self, number: int, text: str) -> None:
        field, _, rest = text.partition(":")
        value = rest.removeprefix(" ")
        if field == "data":
            self._size += len(text)
            if self._size > LINE_MAX:
                what = f"an event of more than {LINE_MAX} characters"
                raise TraceError(Place(self._file, number, 1), what)
            self._data.append(value)
            self._spots.append((number, len(text) - len(value) + 1))
        elif field == "event":
            self._name = value
        elif field not in {"id", "retry"}:
            what = f"{quoted(text)} is no field of a server-sent event (data:, event:, id:, retry:)"
            raise TraceError(Place(self._file, number, 1), what)

    def _dispatch(self) -> Iterator[Payload]:
        if not self._data:
            self._name = ""
            return
        text, spots, name = "\n".join(self._data), self._spots, self._name
        self._name, self._data, self._spots, self._size = "", [], [], 0
        if text.strip() == DONE:
            yield Payload(spots[0], None, name, DONE)
        else:
            yield Payload(spots[0], _decoded(self._file, text, spots), name)


# --- JSON -------------------------------------------------------------------------------------


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode  # made once: it is a hot path


def _decoded(name: str, text: str, spots: list[Spot]) -> dict[str, Any]:
    """The JSON object that `text` says; its lines begin at `spots`."""
    try:
        value = _decode(text)
    except json.JSONDecodeError as error:
        line, column = spots[min(error.lineno, len(spots)) - 1]
        place = Place(name, line, column + error.colno - 1)
        raise TraceError(place, f"this is not JSON: {error.msg}") from None
    except RecursionError:
        raise TraceError(Place(name, *spots[0]), "nested too deeply to be an event") from None
    except ValueError as error:  # a constant such as NaN, a number of thousands of digits
        what = f"this is not JSON: {str(error).partition(';')[0]}"
        raise TraceError(Place(name, *spots[0]), what) from None
    if not isinstance(value, dict):
        what = f"an event is a JSON object, not {quoted(text)}"
        raise TraceError(Place(name, *spots[0]), what)
    return value


def _mark(name: str, spot: Spot, word: object) -> str:
    if word in MARKS:
        return str(word)
    what = f"unknown mark {quoted(word)}; marks are {' and '.join(MARKS)}"
    raise TraceError(Place(name, *spot), what)

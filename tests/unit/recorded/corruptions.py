"""Random corruptions of sound and broken traces: each is judged, or refused with its place.

python -m tests.unit.recorded.corruptions 10000 [SEED]
"""

from __future__ import annotations

import io
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from simharness.recorded.capture_readers import READERS
from simharness.recorded.checking import Checked, check
from simharness.recorded.formats import FORMATS
from simharness.recorded.reading import TraceError
from simharness.recorded.sheet import scenario_from, taken
from tests.unit.recorded.agui_streams import COMPLETED
from tests.unit.recorded.test_acp import KEPT as ACP_LINES
from tests.unit.recorded.test_vercel import KEPT as VERCEL_PARTS
from tests.unit.recorded.wires import ANSWERS, BY_NAME, encoded

Sample = tuple[str, bytes]
"""The name of a format, and a trace in it."""

_ODD: tuple[Any, ...] = (
    None, True, 0, -1, 10**20, 1.5, 1e308, "", "x", "\ud800", [], {}, [[]], [None],
    {"type": "error"},
)  # fmt: skip


def samples() -> list[Sample]:
    """Traces of every format: the examples of the rules, and longer ones of the tests."""
    found = [
        (form.name, text.encode())
        for form in FORMATS.values()
        for rule in form.rules
        for text in (rule.good, rule.bad)
    ]
    longer: dict[str, Iterator[list[Any]]] = {
        "agui": iter(COMPLETED.values()),
        "acp": iter(ACP_LINES.values()),
        "vercel": iter(VERCEL_PARTS.values()),
    }
    for form, traces in longer.items():
        found += [(form, _lines(events)) for events in traces]
    found += [
        (dialect, encoded(dialect, chunks)) for dialect in BY_NAME for chunks in ANSWERS.values()
    ]
    return found


def _lines(events: list[Any]) -> bytes:
    told = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return "\n".join(told).encode()


# --- what is done to a trace ----------------------------------------------------------------------


def _flip(data: bytes, rng: random.Random) -> bytes:
    """Another byte in the place of one."""
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    """Some bytes are missing."""
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randint(1, 40) :]


def _truncate(data: bytes, rng: random.Random) -> bytes:
    """The rest is missing."""
    return data[: rng.randrange(len(data))]


def _insert(data: bytes, rng: random.Random) -> bytes:
    """Some bytes come from nowhere."""
    at = rng.randrange(len(data))
    return data[:at] + rng.randbytes(rng.randint(1, 20)) + data[at:]


def _lines_moved(data: bytes, rng: random.Random) -> bytes:
    """A line is gone, comes twice, or stands elsewhere."""
    lines = data.split(b"\n")
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.randrange(3)):
        lines.insert(rng.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _value(data: bytes, rng: random.Random) -> bytes:
    """Somewhere in an event stands another value, or none."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    head, brace, rest = lines[at].partition(b"{")
    if brace:
        try:
            event = json.loads(brace + rest)
        except ValueError:
            return data
        _changed(event, rng)
        lines[at] = head + json.dumps(event).encode()
    return b"\n".join(lines)


def _changed(value: Any, rng: random.Random) -> None:
    """Change one thing within an object or a list."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = rng.choice(keys)
    inner = value[key]
    if isinstance(inner, dict | list) and inner and rng.random() < 0.7:
        _changed(inner, rng)
    elif rng.random() < 0.3:
        del value[key]
    else:
        value[key] = rng.choice(_ODD)


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip, _cut, _truncate, _insert, *[_lines_moved] * 4, *[_value] * 8,
)  # fmt: skip


def corrupted(data: bytes, rng: random.Random) -> bytes:
    """The trace with one to three things wrong."""
    for _ in range(rng.randint(1, 3)):
        if data:
            data = rng.choice(_WAYS)(data, rng)
    return data


# --- what has to hold -----------------------------------------------------------------------------


def examine(form: str, data: bytes) -> str:
    """Check a trace: `holds`, `violated` or `refused`; anything wrong with that is an assertion."""
    done = check(io.BytesIO(data), "trace", FORMATS[form], at_client=len(data) % 2 == 0)
    _placed(done, data)
    if form in READERS:
        _captured(form, data)
    return done.exit_code.name.lower()


def _placed(done: Checked, data: bytes) -> None:
    """Every finding, note and refusal has a place within the trace."""
    last = data.count(b"\n") + 1
    spots = [found.spot for found in done.findings] + [spot for _, spot in done.tally.notes]
    if done.refused is not None:
        spots.append((done.refused.place.line, done.refused.place.column))
        assert done.refused.message
    for line, column in spots:
        assert 1 <= line <= last, (line, last)
        assert 1 <= column
    assert all(found.message and found.message.isprintable() for found in done.findings)


def _captured(form: str, data: bytes) -> None:
    """A capture becomes a scenario that loads, or is refused."""
    try:
        take = taken(io.BytesIO(data), "trace", form)
    except TraceError as error:
        if error.place.line < 1:
            raise
    else:
        assert scenario_from(take, "captured")


def corrupt(count: int, seed: int) -> Counter[str]:
    """Examine so many corruptions; returns how often they held, were broken, were refused."""
    rng, traces, found = random.Random(seed), samples(), Counter[str]()
    for _ in range(count):
        form, data = rng.choice(traces)
        bad = corrupted(data, rng)
        try:
            found[examine(form, bad)] += 1
        except BaseException:
            print(f"seed {seed}, format {form}: {bad!r}", file=sys.stderr)
            raise
    return found


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(dict(corrupt(number, int(sys.argv[2]) if len(sys.argv) > 2 else 0)))

"""What `simharness check` costs on a large trace: seconds, and the peak of its memory.

    python -m tests.benchmarks.traces 200            # megabytes, all kinds of traces
    python -m tests.benchmarks.traces 200 agui acp   # some of them

Each trace is made in a temporary file and checked by a process of its own, beside one of a
hundredth of its size: memory that does not grow with the trace is nearly the same for both.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
from tabulate import tabulate

from tests.unit.recorded.wires import ANSWERS, encoded

Event = dict[str, Any]
_WORDS = "the quick brown fox jumps over the lazy dog "


def _agui_run(number: int) -> Iterator[Event]:
    """A run with a text of some chunks, a tool call and its result; every id is new."""
    run = {"threadId": "t", "runId": f"r{number}"}
    yield {"type": "RUN_STARTED", **run}
    yield {"type": "TEXT_MESSAGE_START", "messageId": f"m{number}"}
    for _ in range(20):
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"m{number}", "delta": _WORDS}
    yield {"type": "TEXT_MESSAGE_END", "messageId": f"m{number}"}
    call = {"toolCallId": f"c{number}"}
    yield {"type": "TOOL_CALL_START", **call, "toolCallName": "search"}
    yield {"type": "TOOL_CALL_ARGS", **call, "delta": "{}"}
    yield {"type": "TOOL_CALL_END", **call}
    yield {"type": "TOOL_CALL_RESULT", **call, "messageId": f"t{number}", "content": _WORDS}
    yield {"type": "RUN_FINISHED", **run}


def _agui() -> Iterator[Event]:
    for number in itertools.count():
        yield from _agui_run(number)


def _agui_one_run() -> Iterator[Event]:
    """One run that never ends: messages and answered calls without number."""
    yield next(_agui_run(0))
    for number in itertools.count():
        yield from list(_agui_run(number))[1:-1]


def _acp() -> Iterator[Event]:
    for number in itertools.count():
        head = {"jsonrpc": "2.0", "id": number}
        yield {**head, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
        call = {"toolCallId": f"c{number}"}
        updates: list[Event] = [{"sessionUpdate": "agent_message_chunk", "content": _WORDS}] * 10
        updates += [
            {"sessionUpdate": "tool_call", **call, "title": "x", "status": "in_progress"},
            {"sessionUpdate": "tool_call_update", **call, "status": "completed"},
        ]
        for update in updates:
            params = {"sessionId": "s", "update": update}
            yield {"jsonrpc": "2.0", "method": "session/update", "params": params}
        yield {**head, "result": {"stopReason": "end_turn"}}


def _vercel() -> Iterator[Event]:
    for number in itertools.count():
        yield {"type": "start", "messageId": f"m{number}"}
        yield {"type": "text-start", "id": "1"}
        for _ in range(20):
            yield {"type": "text-delta", "id": "1", "delta": _WORDS}
        yield {"type": "text-end", "id": "1"}
        call = {"toolCallId": f"c{number}"}
        yield {"type": "tool-input-available", **call, "toolName": "f", "input": {}}
        yield {"type": "tool-output-available", **call, "output": _WORDS}
        yield {"type": "finish"}


def _own() -> Iterator[Event]:
    """Trials of two hundred records each."""
    for _ in itertools.count():
        yield {"simharness_trace": 1, "contract": {}}
        yield {"record": "PromptCalled", "time": 0, "run": 1, "text": "hi"}
        for number in range(200):
            text = {"request": 1, "chunk": number, "kind": "text", "text": _WORDS}
            yield {"record": "ChunkArrived", "time": 0, "run": 1, **text}
        yield {"record": "RunSettled", "time": 1, "run": 1, "how": "returned"}


def _as_lines(events: Callable[[], Iterator[Event]]) -> Callable[[], Iterator[bytes]]:
    return lambda: (json.dumps(event).encode() + b"\n" for event in events())


def _bodies(dialect: str) -> Callable[[], Iterator[bytes]]:
    return lambda: itertools.repeat(encoded(dialect, ANSWERS["call"]))


KINDS: dict[str, tuple[str, Callable[[], Iterator[bytes]]]] = {
    "agui": ("agui", _as_lines(_agui)),
    "agui-one-run": ("agui", _as_lines(_agui_one_run)),
    "acp": ("acp", _as_lines(_acp)),
    "vercel": ("vercel", _as_lines(_vercel)),
    "simharness": ("simharness", _as_lines(_own)),
    **{name: (name, _bodies(name)) for name in ("openai-chat", "openai-responses", "anthropic")},
}
"""What a trace is called here, its format, and its endless pieces."""


@attrs.frozen
class Cost:
    """What one check took."""

    megabytes: float
    seconds: float
    peak_mib: float
    exit_code: int


def write_trace(kind: str, megabytes: float, path: Path) -> None:
    """Write a trace of this size; where it ends within a run, a mark says that the reader left."""
    left = int(megabytes * 1_000_000)
    with path.open("wb") as file:
        for piece in KINDS[kind][1]():
            file.write(piece)
            left -= len(piece)
            if left <= 0:
                lines = piece.startswith(b"{")
                file.write(b'{"simharness": "left"}\n' if lines else b": simharness left\n\n")
                return


def cost(kind: str, megabytes: float) -> Cost:
    """Check a trace of this size in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        write_trace(kind, megabytes, path)
        words = [sys.executable, "-m", "simharness", "check", str(path), "--quiet"]
        began = time.perf_counter()
        process = subprocess.Popen(
            [*words, "--format", KINDS[kind][0]],
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
    return Cost(megabytes, seconds, usage.ru_maxrss / 1024, process.returncode)


def main(megabytes: float, kinds: list[str]) -> None:
    """Print a row for each kind of trace."""
    rows = []
    for kind in kinds:
        small, large = cost(kind, megabytes / 100), cost(kind, megabytes)
        speed = large.megabytes / large.seconds
        rows.append((kind, small.peak_mib, large.peak_mib, large.seconds, speed, large.exit_code))
    sizes = [f"MiB at {one:g} MB" for one in (megabytes / 100, megabytes)]
    heads = ["trace", *sizes, "s", "MB/s", "exit"]
    print(tabulate(rows, heads, floatfmt=".1f"))


if __name__ == "__main__":
    size = float(sys.argv[1]) if len(sys.argv) > 1 else 200.0
    main(size, sys.argv[2:] or list(KINDS))

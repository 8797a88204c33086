"""Plays the blocks that are not done yet, several at once, each in a process that may die of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs

from tests.fuzz import loading
from tests.fuzz.ledger import ROOT, Ledger
from tests.fuzz.trials import play_block

__all__ = ["FILES", "play_files", "play_trials", "work"]

FILES = 250
"""Hostile files of a block."""

_BLOCK_S = 1800
"""No block takes that long; one that does hangs."""

_PLAY = "import sys; from tests.fuzz.working import said; said(int(sys.argv[1]))"


def work(
    ledger: Ledger,
    blocks: Iterable[int],
    play: Callable[[int], dict[str, Any]],
    *,
    jobs: int,
    told: Callable[[dict[str, Any]], None],
) -> list[dict[str, Any]]:
    """All `blocks` as `play` tells them, from the ledger where they stand there; in their order."""
    done = ledger.read()
    left = [number for number in blocks if number not in done]
    with ThreadPoolExecutor(jobs) as pool:
        for block in pool.map(play, left):
            ledger.add(block)
            done[block["number"]] = block
            told(block)
    return [done[number] for number in sorted(set(blocks) & set(done))]


def said(number: int) -> None:
    """Print a block of trials as JSON; what the process of a block runs."""
    print(json.dumps(attrs.asdict(play_block(number))))


def play_trials(number: int) -> dict[str, Any]:
    """A block of trials, played in a process of its own. If that dies, this is its one failure."""
    code, out, err = _run("-c", _PLAY, str(number))
    if code == 0:
        block: dict[str, Any] = json.loads(out)
        return block
    return {"number": number, "failures": [f"block {number} ended with {code}\n{err[-2000:]}"]}


def play_files(number: int) -> dict[str, Any]:
    """A block of hostile files: what each came to, and what killed the process if it died."""
    files: list[dict[str, Any]] = []
    failures = []
    first, end = number * FILES, (number + 1) * FILES
    while first < end:
        code, out, err = _run("-m", "tests.fuzz.loading", str(first), str(end - first))
        files += [json.loads(line) for line in out.splitlines()]
        if code == 0:
            break
        first = files[-1]["number"] + 1 if out else first
        failures.append(f"file {first} ended the process with {code}\n{err[-2000:]}")
        first += 1  # go on behind it
    failures += [f"file {one['number']}: {one['error']}" for one in files if one["error"]]
    most = loading.MEMORY_MB
    failures += [
        f"file {one['number']} or one before it took {one['peak_mb']:.0f} MB"
        for one in files
        if one["peak_mb"] > most
    ][:1]
    return {"number": number, "files": files, "failures": failures}


def _run(*words: str) -> tuple[int, str, str]:
    """Run Python; the exit code, what it printed and what it complained about."""
    command = [sys.executable, *words]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=_BLOCK_S, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, "", f"did not end within {_BLOCK_S} s"
    return done.returncode, done.stdout, done.stderr

"""Kills a campaign with a store again and again, and looks whether each batch was counted once.

`python -m tests.killing 20` does it twenty times; a test does it less often.
"""

from __future__ import annotations

import contextlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import attrs

from tests.campaigns import FORGETFUL, TEXT
from tests.processes import ROOT

SPREAD_S = 0.4
"""Real seconds over which the moments of death are spread, after one to four writes."""

TRIALS_PER_LIFE = 60
"""Per case; enough that some are left to do in the last life, on a fast machine too."""


@attrs.frozen
class Survival:
    """A campaign that was killed: how many batches each life left, and what came out at last."""

    lives: list[int]
    report: str
    batches: list[tuple[int, int, str, int]]


def survive(kills: int, *, seed: int, folder: Path, jobs: int = 0) -> Survival:
    """Kill the campaign so often at drawn moments, then let it end."""
    store = folder / "store.sqlite"
    words = [*command(folder, kills), "--store", str(store)]
    words += ["--jobs", str(jobs)] if jobs else []
    moments = random.Random(seed)
    lives = []
    for _ in range(kills):
        live(words, store, moments.randrange(4), moments.random() * SPREAD_S)
        lives.append(len(batches(store)))
    return Survival(lives, report(words), batches(store))


def command(folder: Path, kills: int) -> list[str]:
    """A campaign that is long enough for so many kills."""
    file = folder / "two.sim.yaml"
    file.write_text(TEXT)
    start = [sys.executable, "-m", "simharness", "explore", str(file), "--agent", FORGETFUL]
    return [*start, "--bound", "1", "--budget", str(TRIALS_PER_LIFE * (kills + 1))]


def report(words: list[str]) -> str:
    """What the command prints."""
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 1 == done.returncode, done.stderr  # the agent breaks a rule
    return done.stdout


def live(words: list[str], store: Path, writes: int, seconds: float) -> None:
    """Start the campaign, and kill it so long after it has written to its store so often."""
    process = subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    log = store.with_name(store.name + "-wal")
    seen = log.stat().st_mtime_ns if log.exists() else 0
    while process.poll() is None and writes >= 0:
        now = log.stat().st_mtime_ns if log.exists() else 0
        writes -= now != seen
        seen = now
        time.sleep(0.001)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()


def batches(store: Path) -> list[tuple[int, int, str, int]]:
    """Case, number, key and trials of all batches in the store."""
    with contextlib.closing(sqlite3.connect(store)) as connection:
        try:
            return connection.execute(
                "SELECT ledger, number, key, trials FROM batches ORDER BY ledger, number"
            ).fetchall()
        except sqlite3.OperationalError:
            return []  # killed before there was a table


def check(survived: Survival, undisturbed: str) -> None:
    """Assert that the report is that of one go, and each batch in it counted once."""
    assert undisturbed == survived.report
    assert sorted(survived.lives) == survived.lives
    keys = [(ledger, key) for ledger, _, key, _ in survived.batches]
    assert len(set(keys)) == len(keys)
    total = sum(trials for *_, trials in survived.batches)
    assert f"; {total:,} trials, " in undisturbed.splitlines()[-1]


def main(kills: int) -> None:
    """Do it once in one process and once in two workers, and say what each life left."""
    for jobs in (0, 2):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            survived = survive(kills, seed=kills, folder=folder, jobs=jobs)
            check(survived, report(command(folder, kills)))
            print(f"--jobs {jobs}: {kills} kills left {survived.lives} batches")
            print(f"    then {len(survived.batches)}, each counted once: the report is the same")


if __name__ == "__main__":
    main(int(sys.argv[1]))

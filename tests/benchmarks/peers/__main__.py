"""`make bench-peers`: one table of costs, one of finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tabulate import tabulate

from tests.benchmarks.peers.bugs import BUGS
from tests.benchmarks.peers.measure import RUNS, SEEDS
from tests.benchmarks.peers.tools import CAP, TOOLS

ROOT = Path(__file__).parents[3]
PEERS = ROOT / ".venvs" / "peers"
PYTHONS = ("python3.13", "python3.12")
"""The Pythons that every tool runs on, the newest first."""


def measured(tool: str, python: str) -> dict[str, Any]:
    """What a tool does, in an environment of its own."""
    distribution = TOOLS[tool][0]
    home = PEERS / distribution
    own = home / "bin" / "python"
    if not own.exists():
        subprocess.run([python, "-m", "venv", str(home)], check=True)
        what = ["-e", str(ROOT)] if distribution == "simharness" else [distribution]
        subprocess.run([str(own), "-m", "pip", "install", "-q", *what], check=True)
    script = Path(__file__).with_name("measure.py")
    done = subprocess.run(
        [str(own), str(script), tool],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": "0"},
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def python() -> str:
    """A Python that every tool supports: BENCH_PYTHON, or the first of `PYTHONS` that runs."""
    for name in (os.environ.get("BENCH_PYTHON", ""), *PYTHONS):
        try:
            subprocess.run([name, "--version"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return name
    sys.exit(f"bench-peers: none of {', '.join(PYTHONS)} runs; name one in BENCH_PYTHON")


def main() -> None:
    """Measure all tools and print the tables."""
    chosen = python()
    results = {tool: measured(tool, chosen) for tool in TOOLS}
    print(
        f"Python {chosen}; 65-callback workload with random choice, {RUNS:,} runs at once, CPU, "
        "ratio to new stock loops\n"
    )
    rows = [
        [tool, done["version"], f"{done['cost']['ratio']:.2f}", f"{done['cost']['us']:.0f}"]
        for tool, done in results.items()
    ]
    print(tabulate(rows, headers=["tool", "version", "ratio", "us"], disable_numparse=True))
    for bug in BUGS:
        print(f"\n{bug}: {SEEDS} seeds, at most {CAP:,} trials\n")
        rows = [[tool, *_cells(done["bugs"][bug])] for tool, done in results.items()]
        heads = ["tool", "found", "trials", "CPU s, shrinking included", "deviations left"]
        print(tabulate(rows, headers=heads, disable_numparse=True))


def _cells(found: dict[str, Any]) -> list[str]:
    def number(key: str, form: str) -> str:
        return "-" if found[key] is None else format(found[key], form)

    share = f"{found['found']} of {SEEDS}"
    return [share, number("trials", ".1f"), number("seconds", ".3f"), number("deviations", ".1f")]


if __name__ == "__main__":
    main()

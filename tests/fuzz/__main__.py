"""`make fuzz N=1000000 FILES=10000`: writes reports/fuzz.md; goes on where it was stopped."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from simharness.report.atomic import write_text
from tests.fuzz.ledger import ROOT, Ledger
from tests.fuzz.page import as_markdown
from tests.fuzz.trials import TRIALS
from tests.fuzz.working import FILES, play_files, play_trials, work


def main() -> None:
    """Play what is asked for and exit with 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--trials", type=int, default=1_000_000, help="rounded up to 1,000")
    parser.add_argument("--first", type=int, default=0, help="first block; others draw other cases")
    parser.add_argument("--files", type=int, default=10_000, help="rounded up to 250")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    asked = parser.parse_args()
    of_trials = range(asked.first, asked.first + -(-asked.trials // TRIALS))
    of_files = range(-(-asked.files // FILES))
    told = _Progress(len(of_trials) + len(of_files))
    files = work(Ledger("files"), of_files, play_files, jobs=asked.jobs, told=told.block)
    trials = work(Ledger("trials"), of_trials, play_trials, jobs=asked.jobs, told=told.block)
    command = f"make fuzz N={asked.trials} FILES={asked.files} JOBS={asked.jobs}"
    command += f" FIRST={asked.first}" * bool(asked.first)
    write_text(ROOT / "reports" / "fuzz.md", as_markdown(trials, files, command))
    failures = sum(len(block["failures"]) for block in [*files, *trials])
    print(f"wrote reports/fuzz.md; {failures} failures")
    sys.exit(bool(failures))


class _Progress:
    """One line for each block that was played now, on the standard error."""

    def __init__(self, blocks: int) -> None:
        self._blocks = blocks
        self._played = 0
        self._trials = 0
        self._started = time.perf_counter()

    def block(self, block: dict[str, Any]) -> None:
        """Tell of a block."""
        self._played += 1
        self._trials += block.get("trials", 0)
        speed = self._trials / (time.perf_counter() - self._started)
        failures = f", {len(block['failures'])} FAILURES" if block["failures"] else ""
        of = f"block {block['number']} ({self._played} of at most {self._blocks} now)"
        print(f"{of}: {speed:.0f} trials/s{failures}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

"""`python -m tests.fuzz.loading FIRST COUNT`: load hostile files and print how each one went.

A process of its own, so that its memory can be measured and limited, and so that a file that hangs
or kills it is known by its number. Each line of output is one file as JSON.
"""

from __future__ import annotations

import faulthandler
import json
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

import attrs

from simharness.agent import NotApplicable
from simharness.agents.reference import make
from simharness.campaign.vetting import mistake
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.load import ScenarioError, load_file
from simharness.scenario.model import Scenario
from simharness.world.run import batch
from tests.fuzz.hostile import hostile

__all__ = ["HANG_S", "MEMORY_MB", "Loaded", "load", "peak_mb"]

HANG_S = 60
"""Processor seconds; a file that takes more is said to hang. Other work on the machine is not
counted."""

MEMORY_MB = 500
"""No file may take the process above this."""

_LIMIT = 2 << 30  # bytes; so that a file without bounds takes this process down and not the machine


@attrs.frozen
class Loaded:
    """How a file went: `refused` in words, `played`, or `wrong` with what was raised instead."""

    number: int
    kind: str
    outcome: str
    seconds: float
    peak_mb: float
    error: str = ""


def load(path: Path) -> tuple[str, str]:
    """Load a file and, if it is a scenario, play its first case; say how it went."""
    try:
        scenario = load_file(path)
    except ScenarioError as refused:
        return _refusal(str(refused))
    except Exception as error:
        return "wrong", f"{type(error).__name__} while loading: {error}"[:300]
    return _played(scenario)


def _refusal(text: str) -> tuple[str, str]:
    if not text.strip() or len(text) > 200_000:
        return "wrong", f"an error text of {len(text)} characters"
    return "refused", ""


def _played(scenario: Scenario) -> tuple[str, str]:
    wrong = mistake(scenario.cases[0])
    if wrong:
        return _refusal(wrong)
    try:
        with batch():
            Bench(scenario.cases[0], make).trial(ScheduleChooser())
    except NotApplicable:
        return "played", ""
    except Exception as error:
        return "wrong", f"{type(error).__name__} in a trial: {error}"[:300]
    return "played", ""


def peak_mb() -> float:
    """The most memory that this process has had, in megabytes.

    From the kernel's own figure where there is one: what `getrusage` says counts the parent's too.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)  # bytes on macOS


def main() -> None:
    """Load the files that the command line names."""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    faulthandler.register(signal.SIGPROF, chain=True)  # tells where it was, and ends the process
    resource.setrlimit(resource.RLIMIT_AS, (_LIMIT, _LIMIT))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile.sim.yaml"
        for number in range(first, first + count):
            kind, data = hostile(number)
            path.write_bytes(data)
            signal.setitimer(signal.ITIMER_PROF, HANG_S)
            started = time.process_time()
            outcome, error = load(path)
            seconds = time.process_time() - started
            signal.setitimer(signal.ITIMER_PROF, 0)
            done = Loaded(number, kind, outcome, seconds, peak_mb(), error)
            print(json.dumps(attrs.asdict(done)), flush=True)


if __name__ == "__main__":
    main()

"""Print a hash for every shipped case: its default trace and one with deviations.

Run as `python -m tests.determinism.traces [AGENT]`; two outputs that differ are a broken promise.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from simharness.agent import NotApplicable
from simharness.agents import find
from simharness.choices import Schedule, ScheduleChooser
from simharness.scenario.find import find_files
from simharness.scenario.load import load_file
from simharness.world.run import batch, run

ROOT = Path(__file__).parents[2]
DEVIATING: Schedule = tuple((point, 1) for point in range(0, 200, 3))
"""A schedule far from the default: every third point takes another option, if there is one."""


def hashes(agent: str = "reference") -> Iterator[str]:
    """One line per case: its id and the hashes of both traces."""
    factory = find(agent)
    with batch():
        for path in find_files([ROOT / "scenarios"]):
            for case in load_file(path).cases:
                try:
                    found = [
                        run(case, factory, ScheduleChooser(schedule)).trace.hash()
                        for schedule in ((), DEVIATING)
                    ]
                except NotApplicable:
                    continue
                yield " ".join([case.id, *found])


if __name__ == "__main__":
    found = list(hashes(*sys.argv[1:2]))  # within its batch nothing is printed
    print("\n".join(found))

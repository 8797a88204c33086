"""What the wheel weighs: the distributions that it brings along, and how long a start takes."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from importlib.metadata import requires
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tabulate import tabulate

__all__ = ["MOST", "distributions", "report"]

MOST: Final = 15
"""The most distributions that `pip install simharness` may bring, counting our own."""

STARTS: Final = {
    "an empty Python": (["-c", "pass"], None),
    "simharness --help": (["-m", "simharness", "--help"], 0.3),
    "import simharness": (["-c", "import simharness"], 0.15),
    "import simharness.testing": (["-c", "import simharness.testing"], None),
}
"""What is started, and the most seconds that it may take."""

_TIMES: Final = 7


def distributions() -> frozenset[str]:
    """The names of all that is installed with simharness without extras, on this platform."""
    found: set[str] = set()
    ahead = ["simharness"]
    while ahead:
        name = canonicalize_name(ahead.pop())
        if name in found:
            continue
        found.add(name)
        for text in requires(name) or ():
            wanted = Requirement(text)
            if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
                ahead.append(wanted.name)
    return frozenset(found)


def report() -> str:
    """The figures beside their limits, as a table: wall and CPU seconds of the fastest of seven
    starts, which other work on the machine disturbs least, and the median of all."""
    found = distributions()
    rows = [["distributions", str(len(found)), "", "", f"<= {MOST}", _kept(len(found) <= MOST)]]
    for name, (words, limit) in STARTS.items():
        times = [_start(words) for _ in range(_TIMES)]
        wall_s, cpu_s = min(times)
        middle_s = statistics.median(wall for wall, _ in times)
        kept = "" if limit is None else _kept(wall_s < limit)
        said = "" if limit is None else f"< {limit} s"
        figures = [f"{seconds:.3f} s" for seconds in (wall_s, cpu_s, middle_s)]
        rows.append([name, *figures, said, kept])
    heads = ["", "figure", "of it CPU", "median", "limit", ""]
    table = tabulate(rows, heads, disable_numparse=True)
    return f"{table}\n\n{', '.join(sorted(found))}"


def _kept(kept: bool) -> str:
    return "kept" if kept else "NOT KEPT"


def _start(words: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of a fresh process."""
    before, used = time.perf_counter(), _cpu_of_children_s()
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return time.perf_counter() - before, _cpu_of_children_s() - used


def _cpu_of_children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

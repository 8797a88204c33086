"""What the wheel weighs: the distributions that it brings along, and how long a start takes."""

from __future__ import annotations

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
    """The figures beside their limits, as a table; the median of seven starts, the best, and the
    median of an empty Python's."""
    found = distributions()
    empty = statistics.median(_wall_s(["-c", "pass"]) for _ in range(_TIMES))
    rows = [["distributions", str(len(found)), "", f"<= {MOST}", _kept(len(found) <= MOST)]]
    for name, (words, limit) in STARTS.items():
        times = [_wall_s(words) for _ in range(_TIMES)]
        middle = statistics.median(times)
        kept = "" if limit is None else _kept(middle < limit)
        said = "" if limit is None else f"< {limit} s"
        rows.append([name, f"{middle:.3f} s", f"{min(times):.3f} s", said, kept])
    heads = ["", "figure", "least", "limit", ""]
    table = tabulate(rows, heads, disable_numparse=True)
    return f"{table}\n\nAn empty Python: {empty:.3f} s. {', '.join(sorted(found))}"


def _kept(kept: bool) -> str:
    return "kept" if kept else "NOT KEPT"


def _wall_s(words: list[str]) -> float:
    before = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return time.perf_counter() - before

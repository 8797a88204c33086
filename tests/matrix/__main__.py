"""`make frameworks [ONLY="tinyagent pydantic-ai"]`."""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs

from simharness.report.atomic import write_text
from tests.matrix.entries import unexplained
from tests.matrix.frameworks import FRAMEWORKS, Framework
from tests.matrix.page import as_markdown
from tests.matrix.results import Row, row_of
from tests.matrix.venvs import ROOT, run_in, venv_of

CORES = 2
REPORTS = ROOT / "reports"
BUGS = ROOT / "docs" / "bugs-found"
PAGE = ROOT / "docs" / "bugs-found.md"


def judged(framework: Framework) -> Row:
    """Sweep a framework, run the portable suite on it, and its own bug scripts."""
    started = time.perf_counter()
    python = venv_of(framework)
    agent = ("-m", "simharness", "{verb}", "--agent", framework.agent)
    sweep = _report(python, [*agent, "--total", str(framework.sweep)], "sweep")
    suite = _report(
        python, [*agent, "--suite", "--bound", "1", "--total", str(framework.suite)], "run"
    )
    _confirm(framework, python)
    seconds = time.perf_counter() - started
    print(f"{framework.agent}: {seconds:.0f} s", file=sys.stderr)
    return row_of(framework.agent, [sweep, suite])


def _report(python: Path, words: list[str], verb: str) -> dict[str, Any]:
    spoken = [word.format(verb=verb) for word in words]
    done = run_in(python, *spoken, "--json", "-")
    if done.returncode not in {0, 1} or not done.stdout:  # a crash of Python exits with 1, too
        sys.exit(f"{' '.join(spoken)} exits with {done.returncode}\n{done.stderr}\n{done.stdout}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _confirm(framework: Framework, python: Path) -> None:
    """Run the plain scripts of the framework's bugs: each asserts that the fault is there."""
    for script in sorted(BUGS.glob(f"{framework.agent}-*.py")):
        done = run_in(python, str(script))
        if done.returncode:
            sys.exit(f"{script.name} does not show its bug any more\n{done.stdout}{done.stderr}")


def main() -> None:
    """Run all frameworks, or those named, and write the page and the JSON."""
    wanted = sys.argv[1:]
    chosen = [one for one in FRAMEWORKS if not wanted or one.agent in wanted]
    if len(chosen) != len(wanted or FRAMEWORKS):
        known = ", ".join(one.agent for one in FRAMEWORKS)
        sys.exit(f"known frameworks: {known}")
    with ThreadPoolExecutor(CORES) as pool:
        rows = list(pool.map(judged, chosen))
    value = {"format": 1, "frameworks": [attrs.asdict(row) for row in rows]}
    text = json.dumps(value, indent=1, ensure_ascii=False)
    name = "frameworks" if not wanted else "frameworks-part"
    write_text(REPORTS / f"{name}.json", text + "\n")
    cells = unexplained(rows, PAGE.read_text(encoding="utf-8"))
    write_text(REPORTS / f"{name}.md", as_markdown(rows, cells))
    print(f"wrote reports/{name}.md and .json")
    if cells:
        sys.exit(f"violated, but not in docs/{PAGE.name}:\n  " + "\n  ".join(cells))


if __name__ == "__main__":
    main()

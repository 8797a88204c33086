"""The Vercel AI SDK: the portable suite, and its bugs in plain Node without simharness."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.matrix.entries import explained
from tests.systems.children import ROOT, System

__all__ = ["confirm", "suite"]

_BUGS = ROOT / "docs" / "bugs-found"
_PAGE = ROOT / "docs" / "bugs-found.md"
AGENT = "ai-sdk"


def suite(system: System) -> tuple[str, Counter[str], list[str]]:
    """Run the portable suite, one trial a case: release, verdicts, and what no entry explains."""
    command = [sys.executable, "-m", "simharness", "run", "--suite", "--budget", "1", "--json", "-"]
    done = subprocess.run(
        [*command, "--agent", f"child:{shlex.join(system.command)}"],
        cwd=ROOT,
        env=system.environment(PYTHONHASHSEED="0"),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in {0, 1}:
        sys.exit(f"the suite exits with {done.returncode}\n{done.stderr}\n{done.stdout}")
    report: dict[str, Any] = json.loads(done.stdout)
    known = {rule for agent, rule in explained(_PAGE.read_text(encoding="utf-8")) if agent == AGENT}
    strange = [
        f"{case['id']}: {found['rule']}: {found['message']}"
        for case in report["cases"]
        for found in case["violations"]
        if found["rule"] not in known or "child-" in found["message"]
    ]
    errors = [f"{case['id']}: {case['reason']}" for case in report["cases"] if _broke(case)]
    verdicts = Counter(case["verdict"] for case in report["cases"])
    return report["agent"]["version"], verdicts, strange + errors


def _broke(case: dict[str, Any]) -> bool:
    return bool(case["verdict"] == "error")


def confirm(packages: Path) -> list[str]:
    """Run the plain scripts where the package is; the names of those that show a bug."""
    shown = []
    for script in sorted(_BUGS.glob(f"{AGENT}-*.mjs")):
        copy = packages / script.name  # a module finds packages from where it lies
        shutil.copyfile(script, copy)
        done = subprocess.run(
            ["node", copy.name], cwd=packages, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{script.name} does not show its bug any more\n{done.stdout}{done.stderr}")
        shown.append(script.name)
    return shown

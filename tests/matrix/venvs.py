"""Virtual environments, one per framework, kept between runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

from simharness.field import venvs
from tests.matrix.frameworks import Framework

__all__ = ["ROOT", "run_in", "venv_of"]

ROOT = Path(__file__).parents[2]
_HOME = ROOT / ".venvs" / "frameworks"


def venv_of(framework: Framework) -> Path:
    """The Python of the framework's environment, made if it is not there, with newest releases."""
    return venvs.installed(_HOME / framework.agent, framework.needs, newest=True)


def run_in(python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with `words` in an empty folder beside the project's reports."""
    return venvs.run_in(python, *words, cwd=_HOME)

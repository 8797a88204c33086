"""Virtual environments, one per framework, kept between runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.matrix.frameworks import Framework

__all__ = ["ROOT", "run_in", "venv_of"]

ROOT = Path(__file__).parents[2]
_HOME = ROOT / ".venvs" / "frameworks"


def venv_of(framework: Framework) -> Path:
    """The Python of the framework's environment, made if it is not there, with newest releases."""
    home = _HOME / framework.agent
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--upgrade"]
    subprocess.run([*pip, "--editable", str(ROOT), *framework.needs], check=True)
    return python


def run_in(python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with `words` in an empty folder beside the project's reports."""
    return subprocess.run(
        [str(python), *words],
        cwd=_HOME,
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )

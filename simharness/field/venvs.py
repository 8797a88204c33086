"""Virtual environments of this Python, each holding simharness and some releases of others."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SetUpError", "installed", "run_in"]

_ROOT = Path(__file__).parents[2]


class SetUpError(Exception):
    """An environment could not be made; the text is what pip or venv said."""


def installed(home: Path, needs: Sequence[str], *, newest: bool = False) -> Path:
    """The Python of the environment `home`, made if it is not there, with simharness and `needs`.

    What has been installed from the same words is left as it is, unless `newest` releases are
    wanted. Raises SetUpError.
    """
    python = home / "bin" / "python"
    words = [*_ourselves(), *needs]
    stamp, wanted = home / "installed.txt", "\n".join(words)
    if not newest and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    if not python.exists():
        _done([sys.executable, "-m", "venv", str(home)])
    upgrade = ["--upgrade"] if newest else []
    _done([str(python), "-m", "pip", "install", "--quiet", *upgrade, *words])
    stamp.write_text(wanted, encoding="utf-8")
    return python


def _ourselves() -> list[str]:
    """What to install to get this simharness: the checkout, or the same release."""
    if (_ROOT / "pyproject.toml").is_file():
        return ["--editable", str(_ROOT)]
    return [f"simharness=={version('simharness')}"]


def _done(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SetUpError(f"{' '.join(command)}\n{done.stderr.strip()}")


def run_in(python: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with `words` in the folder `cwd`, always under the same hash seed."""
    return subprocess.run(  # noqa: S603 - the interpreter that `installed` has made
        [str(python), *words],
        cwd=cwd,
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )

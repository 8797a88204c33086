"""The command line in a process of its own, under a hash seed of the caller's choice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def simharness(
    *words: str, hash_seed: str, folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run `simharness WORDS` in `folder`; the caller looks at the exit code."""
    return subprocess.run(
        [sys.executable, "-m", "simharness", *words],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )

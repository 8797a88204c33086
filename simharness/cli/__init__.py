"""The command line: one module per verb, exit codes as in `verdict.ExitCode`.

Verbs are imported when they are used, so that `--help` stays fast. Nothing below `check`, `report`
and the agents' names is called from here.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Without `argv` the process is the command itself, and starts anew with a fixed hash seed if it
    has none: the order of sets must be the same in every process.
    """
    from_shell = argv is None
    if argv is None:
        _fix_hash_seed()
        argv = sys.argv[1:]
    from simharness.cli.app import run_app

    code = run_app(argv)
    if from_shell:
        _leave_threads(code)
    return code


def _leave_threads(code: int) -> None:
    """Exit at once if an agent has left threads that Python would wait for, maybe for ever."""
    own = threading.current_thread()
    if any(not thread.daemon and thread is not own for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _fix_hash_seed() -> None:
    if "PYTHONHASHSEED" in os.environ:
        return
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)  # noqa: S606

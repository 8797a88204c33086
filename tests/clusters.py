"""A Dask scheduler with two workers on loopback, each a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from tests.processes import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_START_S = 120.0


@contextlib.contextmanager
def dask_cluster(folder: Path, **environment: str) -> Iterator[str]:
    """The address of the scheduler; everything is ended behind the block."""
    from distributed import Client

    file = folder / "scheduler.json"
    where = ["--scheduler-file", str(file), "--host", "127.0.0.1"]
    alone = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
    with contextlib.ExitStack() as stack:
        stack.enter_context(
            _process("dask_scheduler", *where, "--port", "0", "--no-dashboard", **environment)
        )
        for number in (1, 2):
            local = ["--local-directory", str(folder / str(number))]
            stack.enter_context(_process("dask_worker", *where, *alone, *local, **environment))
        address = _address(file)
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=_START_S)
        yield address


@contextlib.contextmanager
def _process(name: str, *words: str, **environment: str) -> Iterator[None]:
    process: subprocess.Popen[Any] = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{name}", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _address(file: Path) -> str:
    """The scheduler writes it down when it listens."""
    end_s = time.monotonic() + _START_S
    while time.monotonic() < end_s:
        if file.exists() and (text := file.read_text()):
            return str(json.loads(text)["address"])
        time.sleep(0.05)
    raise TimeoutError("the scheduler does not start")

"""Every shipped case gives byte-equal traces: twice in a process, and under other hash seeds.

Other Python versions are compared by `make determinism`, which makes an environment for each.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.determinism.traces import ROOT, hashes


def in_process(python: str, hash_seed: str, agent: str) -> list[str]:
    """The hashes as a fresh process prints them."""
    done = subprocess.run(
        [python, "-m", "tests.determinism.traces", agent],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("agent", ["reference", "tinyagent"])
def test_traces_are_equal_in_fresh_processes_under_other_hash_seeds(agent: str) -> None:
    """Hash seeds 1 and 77, each in a process of its own, agree on every case."""
    if agent != "reference":
        pytest.importorskip(agent)
    first = in_process(sys.executable, "1", agent)
    assert len(first) > 100
    assert first == in_process(sys.executable, "77", agent)


def test_traces_are_equal_twice_in_one_process() -> None:
    """What an earlier trial did leaves no mark on a later one."""
    first = list(hashes())
    assert first == list(hashes())

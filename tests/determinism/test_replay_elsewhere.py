"""A replay code made here replays exactly on every other supported Python of this machine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.determinism.__main__ import VERSIONS, interpreter
from tests.determinism.traces import ROOT
from tests.processes import simharness

SCENARIO = """\
scenario: between-two-tools
model:
  - stream: ["Looking. ", {call: search}, {call: read}]
    on_cancel: close
  - stream: ["Done."]
tools:
  search: {returns: hits, takes: 100ms}
  read: {returns: text, takes: 100ms}
run:
  - prompt: Look it up
  - cancel: {anywhere: true, way: task}
"""
MUTANTS = ("tools-are-left-running", "cut-text-is-lost", "cancels-complete")


def elsewhere(version: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `simharness WORDS` on another Python, with the libraries of this one.

    They are pure Python, or do without their compiled parts.
    """
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    path = os.pathsep.join([str(ROOT), sysconfig.get_paths()["purelib"]])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "5"}
    command = [python, "-m", "simharness", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of codes of failures that need a deviation, each with its scenario inside."""
    folder = tmp_path_factory.mktemp("codes")
    file = folder / "two.sim.yaml"
    file.write_text(SCENARIO)
    found = []
    for mutant in MUTANTS:
        words = ["shrink", str(file), "--agent", f"mutant:{mutant}", "--budget", "1"]
        done = simharness(*words, hash_seed="1", folder=folder)
        found += re.findall(r"Replay: simharness replay (\S+)", done.stdout)
    (folder / "codes.txt").write_text("\n".join(found))
    return folder / "codes.txt"


@pytest.mark.parametrize("version", VERSIONS)
def test_codes_replay_exactly_on_another_python(codes: Path, version: str) -> None:
    """The same trace hash, and so `exact`, for each of them on each."""
    done = elsewhere(version, "replay", str(codes), "--json", "-")

    assert 1 == done.returncode, done.stderr
    report = json.loads(done.stdout)
    assert version == ".".join(report["python"].split(".")[:2])
    assert ["exact"] * len(MUTANTS) == [replay["result"] for replay in report["replays"]]
    assert all(replay["deviations"] for replay in report["replays"])

"""A failure drawn at random is found again from its seed alone, and from its code alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

SCENARIO = """\
scenario: between-two-tools
model:
  - stream: [{call: {name: search, args: {q: a}}}, {call: {name: read, args: {path: b}}}]
  - stream: ["Done."]
tools:
  search: {returns: hits, takes: 100ms}
  read: {returns: text, takes: 100ms}
run:
  - prompt: Look it up
  - cancel: {anywhere: true, way: task}
"""
AGENT = "mutant:unrun-calls-stay-unanswered"


def simharness(folder: Path, *words: str, hash_seed: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a fresh process."""
    return subprocess.run(
        [sys.executable, "-m", "simharness", *words],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_drawn_failure_comes_again_from_its_seed_and_from_its_code(tmp_path: Path) -> None:
    """Both lead to the same trace: the code holds its hash, and the replay is exact."""
    (tmp_path / "between-two-tools.sim.yaml").write_text(SCENARIO)
    search = ["run", ".", "--agent", AGENT, "--strategy", "deviate", "--seed", "7"]
    first = simharness(tmp_path, *search, hash_seed="1")
    again = simharness(tmp_path, *search, hash_seed="77")
    assert 1 == first.returncode, first.stderr
    codes = re.findall(r"Replay: simharness replay (\S+)", first.stdout)
    assert codes
    assert codes == re.findall(r"Replay: simharness replay (\S+)", again.stdout)
    assert "Seed: the same search with --strategy deviate --seed 7 draws it again." in first.stdout
    replay = simharness(tmp_path, "replay", codes[0], "between-two-tools.sim.yaml", hash_seed="3")
    assert 1 == replay.returncode
    assert replay.stdout.startswith("EXACT")

"""A failure drawn at random is found again from its seed alone, and from its code alone."""

from __future__ import annotations

import re
from pathlib import Path

from tests.processes import simharness

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


def test_a_drawn_failure_comes_again_from_its_seed_and_from_its_code(tmp_path: Path) -> None:
    """Both lead to the same trace: the code holds its hash, and the replay is exact."""
    (tmp_path / "between-two-tools.sim.yaml").write_text(SCENARIO)
    search = ["run", ".", "--agent", AGENT, "--strategy", "deviate", "--seed", "7"]
    first = simharness(*search, hash_seed="1", folder=tmp_path)
    again = simharness(*search, hash_seed="77", folder=tmp_path)
    assert 1 == first.returncode, first.stderr
    codes = re.findall(r"Replay: simharness replay (\S+)", first.stdout)
    assert codes
    assert codes == re.findall(r"Replay: simharness replay (\S+)", again.stdout)
    assert "Seed: the same search with --strategy deviate --seed 7 draws it again." in first.stdout
    words = ["replay", codes[0], "between-two-tools.sim.yaml"]
    replay = simharness(*words, hash_seed="3", folder=tmp_path)
    assert 1 == replay.returncode
    assert replay.stdout.startswith("EXACT")

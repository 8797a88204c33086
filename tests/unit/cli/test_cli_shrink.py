"""`simharness shrink`: what it prints, writes and exits with."""

from __future__ import annotations

import json
import re
import string
from pathlib import Path
from random import Random

import pytest

from simharness.cli import main
from simharness.scenario.load import load_file, load_text

BUG = """scenario: bug
about: A user stops a run.
model:
  - ["Let me ", "look. ", {call: search}]
  - ["Done."]
tools: {search: {returns: "3 hits", takes: 1s}}
run:
  - prompt: Look it up
  - cancel: {anywhere: true, way: task}
"""
AGENT = "mutant:cancels-are-counted"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one scenario, as the working directory."""
    (tmp_path / "bug.sim.yaml").write_text(BUG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_searched_and_its_failure_made_small(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The scenario, the schedule, the table, the code, and why nothing smaller was found."""
    assert 1 == main(["shrink", "bug.sim.yaml", "--agent", AGENT])

    out = capsys.readouterr().out
    assert out.startswith("scenario: bug\nmodel:\n")
    assert "Done." not in out
    assert "Schedule: the default order." in out
    assert "FAILED cancel-not-failure (bug, agent mutant:cancels-are-counted 1): " in out
    assert "Scenario: " in out
    assert "none of its smaller forms fails." in out
    assert "Schedule: least (proved): broken on the default schedule." in out
    assert re.search(r"^Stopped after [0-9,]+ trials: least \(proved\)$", out, re.MULTILINE)
    (code,) = re.findall(r"Replay: simharness replay (\S+)", out)
    assert 1 == main(["replay", code])
    assert capsys.readouterr().out.startswith("EXACT bug")


def test_a_code_is_made_small_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its scenario is found as by replay; the schedule is named in words with its explanation."""
    words = ["run", "bug.sim.yaml", "--agent", AGENT, "--no-regressions"]
    assert 1 == main(words)
    code = re.findall(r"Replay: simharness replay (\S+)", capsys.readouterr().out)[0]

    assert 1 == main(["shrink", code, "bug.sim.yaml", "--budget", "1"])
    out = capsys.readouterr().out
    assert "Schedule in words:\n  cancel anywhere " in out
    assert "; the same from point " in out
    assert "trials: budget" in out


def test_the_scenario_goes_to_a_file_that_plays_it_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file fails when it is run, with the rule and the sentence as its subject."""
    assert 1 == main(["shrink", "bug.sim.yaml", "--agent", AGENT, "-o", "small.sim.yaml"])
    (case,) = load_file("small.sim.yaml").cases
    assert case.about.startswith("Breaks cancel-not-failure: ")
    capsys.readouterr()

    words = ["run", "small.sim.yaml", "--agent", AGENT, "--budget", "1", "--no-regressions"]
    assert 1 == main(words)
    assert "FAILED cancel-not-failure" in capsys.readouterr().out
    assert 1 == main(["shrink", "small.sim.yaml", "--agent", AGENT, "-o", "-"])
    assert case.source == load_text(capsys.readouterr().out).cases[0].source


def test_json_holds_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One document of format 1, with the scenario as a text that can be loaded."""
    assert 1 == main(["shrink", "bug.sim.yaml", "--agent", AGENT, "--json", "-"])

    report = json.loads(capsys.readouterr().out)
    shrunk = report["shrunk"]
    assert (1, "least (proved)", "cancel-not-failure") == (
        report["format"],
        shrunk["stopped"],
        shrunk["rule"],
    )
    assert (0, []) == (shrunk["deviations"], shrunk["schedule"])
    assert shrunk["scenario"] == load_text(shrunk["scenario"]).cases[0].source
    assert shrunk["replay"].startswith("sh1:")
    assert {"seconds", "timing"}.isdisjoint(shrunk)


def test_the_rule_can_be_chosen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of several that the trial breaks; another one is refused with those there are."""
    words = ["shrink", "bug.sim.yaml", "--agent", "tests.loops:leaving"]
    assert 3 == main([*words, "--rule", "tool-paring"])
    said = capsys.readouterr().err
    assert 'does not break "tool-paring"' in said
    (rule, *_) = said.rpartition("It breaks ")[2].strip().split(", ")
    assert 1 == main([*words, "--rule", rule])
    assert f"FAILED {rule} " in capsys.readouterr().out


def test_what_does_not_fail_is_not_shrunk(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a file whose cases hold nor a code of a failure that is repaired: exit code 0."""
    assert 0 == main(["shrink", "bug.sim.yaml"])
    assert "nothing to shrink: no case of bug.sim.yaml fails" in capsys.readouterr().out

    assert 1 == main(["shrink", "bug.sim.yaml", "--agent", AGENT])
    (code,) = re.findall(r"Replay: simharness replay (\S+)", capsys.readouterr().out)
    assert 0 == main(["shrink", code, "--agent", "reference"])
    assert "not reproducible: bug no longer fails" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shrink"], "Missing argument 'CODE|FILE[::CASE]'"),
        (["shrink", "nofile"], 'there is no file or folder "nofile"'),
        (["shrink", "sh1:abc"], "a character is wrong or missing"),
        (["shrink", "bug.sim.yaml", "other"], "give one CODE or FILE; other stands behind a file"),
        (["shrink", "bug.sim.yaml::bog"], 'did you mean "bug"?'),
        (["shrink", "bug.sim.yaml", "--budget", "0"], "0 is not in the range"),
        (["shrink", "bug.sim.yaml", "--seconds", "x"], "'x' is not a valid float range"),
        (["shrink", "bug.sim.yaml", "-o", "-", "--json", "-"], "only one of -o and --json"),
        (["shrink", "bug.sim.yaml", "--agent", "tests.loops:unable"], "no such feature"),
    ],
)
def test_a_mistake_is_one_message(
    words: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what exists; exit code 3."""
    assert 3 == main(words)
    out, err = capsys.readouterr()
    assert said in err
    assert "Traceback" not in err
    assert "" == out


def test_a_scenario_too_long_for_a_code_stands_in_a_file_that_the_line_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is enough for the replay, wherever it was moved to; without it the case is named."""
    random = Random(0)
    noise = "".join(random.choice(string.ascii_letters) for _ in range(6000))
    (folder / "bug.sim.yaml").write_text(BUG.replace("Look it up", noise))
    assert 1 == main(["shrink", "bug.sim.yaml", "--agent", AGENT, "--budget", "1"])
    (line,) = re.findall(r"Replay: simharness (replay .*)", capsys.readouterr().out)
    _, code, file = line.split()
    assert re.fullmatch(r"\.simharness/[0-9a-f]{10}\.sim\.yaml", file)
    assert len(code) < 300

    assert 1 == main(line.split())
    assert capsys.readouterr().out.startswith("EXACT bug")
    (folder / file).rename(folder / "moved.sim.yaml")
    (folder / "bug.sim.yaml").unlink()
    assert 1 == main(["replay", code, "moved.sim.yaml"])
    assert 3 == main(["replay", code])
    assert 'this code is of the case "bug", which is not in' in capsys.readouterr().err

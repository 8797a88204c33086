"""`simharness mutants`: the rules are proven from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from simharness.agents.mutants import MUTANTS
from simharness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CANCEL = """scenario: stop
model: [{stream: ["One. ", "Two."]}]
run: [{prompt: go}, {cancel: {after: chunk 1}}]
"""


def test_a_killed_mutant_names_its_case_and_can_be_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The JSON holds what killed it, without a clock; its code runs the mutant again."""
    (tmp_path / "stop.sim.yaml").write_text(CANCEL)
    monkeypatch.chdir(tmp_path)

    assert 0 == main(["mutants", "cut-text-is-lost", "--path", ".", "--json", "-"])
    report = json.loads(capsys.readouterr().out)
    (mutant,) = report["mutants"]
    assert {"format", "simharness", "python", "mutants", "survivors"} == set(report)
    assert ("stop", "delivered-prefix-kept") == (mutant["case"], mutant["expected_rule"])
    assert "delivered-prefix-kept" in mutant["killed_by"]

    assert 1 == main(["replay", mutant["replay"], "stop.sim.yaml"])
    assert "FAILED delivered-prefix-kept" in capsys.readouterr().out


def test_a_survivor_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A suite that cannot see a fault is too weak, and that fails."""
    (tmp_path / "stop.sim.yaml").write_text(CANCEL)

    assert 1 == main(["mutants", "results-are-recorded-twice", "--path", str(tmp_path)])
    assert "SURVIVES results-are-recorded-twice" in capsys.readouterr().out


def test_an_unknown_mutant_says_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """As an argument and as an agent."""
    assert 3 == main(["mutants", "cut-text-is-lots"])
    assert 'did you mean "cut-text-is-lost"?' in capsys.readouterr().err
    assert 3 == main(["run", "--suite", "--agent", "mutant:nobody"])
    assert MUTANTS[0].id in capsys.readouterr().err


def test_generated_mutants_are_a_list_of_their_own_and_fail_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arguments say how names begin; the report is the same with more workers."""
    (tmp_path / "stop.sim.yaml").write_text(CANCEL)
    words = [
        "mutants",
        "--generated",
        "stream.Attempt.b",
        "--path",
        str(tmp_path),
        "--budget",
        "1",
    ]

    assert 0 == main([*words, "--json", "-"])
    report = json.loads(capsys.readouterr().out)
    assert {"format", "simharness", "python", "mutants", "survivors", "generated"} == set(report)
    assert ([], []) == (report["mutants"], report["survivors"])
    assert all(mutant["id"].startswith("stream.Attempt.b") for mutant in report["generated"])
    assert {True, False} == {bool(mutant["killed_by"]) for mutant in report["generated"]}

    assert 0 == main([*words, "--json", "-", "--jobs", "2"])
    assert report == json.loads(capsys.readouterr().out)


def test_an_unknown_name_of_generated_mutants_says_how_names_begin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their names are long; nobody has to know one."""
    (tmp_path / "stop.sim.yaml").write_text(CANCEL)

    assert 3 == main(["mutants", "--generated", "nobody", "--path", str(tmp_path)])
    assert "names begin with the module: admission, answering" in capsys.readouterr().err

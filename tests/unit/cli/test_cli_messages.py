"""Mistakes on the command line: one clear message that says what exists, exit code 3."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from simharness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = 'scenario: plain\nmodel: ["Hi."]\nrun: [{prompt: go}]\n'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["rnu"],
            'unknown verb "rnu"; did you mean "run"? Verbs: run, sweep, explore, shrink, replay',
        ),
        (["run", "nowhere"], 'there is no file or folder "nowhere"'),
        (["run", "plain.sim.yml"], 'did you mean "plain.sim.yaml"?'),
        (["run"], "give scenario files or folders, or --suite"),
        (["run", "plain.sim.yaml::plane"], 'has no case "plane"; did you mean "plain"?'),
        (["run", ".", "--agent", "refrence"], "did you mean 'reference'?"),
        (["run", ".", "--agent", "nomodule:make"], "there is no module 'nomodule'"),
        (["run", ".", "--agent", "tests.loops:god"], "did you mean 'good'?"),
        (["run", ".", "--budget", "much"], "quick, default, deep or a number"),
        (["run", ".", "-k", "nothing"], "none of 1 cases matches"),
        (["run", ".", "-k", "plain and"], "a word is missing"),
        (["run", ".", "-k", "(plain"], 'a ")" is missing'),
        (["run", ".", "-k", "plain plain"], 'cannot go on at "plain"'),
        (["run", ".", "--strategy", "luck"], '"luck" is unknown. Known: default, sweep'),
        (["run", ".", "--bogus"], "No such option"),
        (["rules", "tool-paring"], 'did you mean "tool-pairing"? Rules: '),
        (["replay", "sh1:abc"], "a character is wrong or missing"),
        (["replay", "sh9:abc"], "format 9"),
        (["replay", "nofile"], '"nofile" is no replay code (one starts with sh1:) and no file'),
        (["replay", "plain.sim.yaml"], "holds no replay code"),
    ],
)
def test_a_mistake_says_what_exists(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every mistake is one message on the standard error, without a traceback, and exit code 3."""
    (tmp_path / "plain.sim.yaml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)

    assert 3 == main(words)
    out, err = capsys.readouterr()
    assert said in err
    assert "Traceback" not in err
    assert "" == out


def test_an_unforeseen_error_is_shown_whole_and_says_whose_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only an error that no message foresees has a traceback; exit code 3."""
    (tmp_path / "plain.sim.yaml").write_text(SCENARIO)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("of this test")

    monkeypatch.setattr("simharness.check.check_suite", fail)

    assert 3 == main(["run", str(tmp_path), "--agent", "tests.loops:good"])
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert f"This error came out of {__file__}" in err

    monkeypatch.setattr("simharness.check.check_suite", None)
    assert 3 == main(["run", str(tmp_path), "--agent", "tests.loops:good"])
    assert "This is a fault of simharness" in capsys.readouterr().err


def test_an_interrupt_exits_with_130(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends the command quietly."""
    (tmp_path / "plain.sim.yaml").write_text(SCENARIO)

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("simharness.check.check_suite", interrupt)

    assert 130 == main(["run", str(tmp_path), "--agent", "tests.loops:good"])
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize(
    "verb", ["run", "sweep", "explore", "replay", "mutants", "rules", "agents"]
)
def test_the_help_of_every_verb_shows_an_example(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An example can be copied as it stands: it is not wrapped."""
    assert 0 == main([verb, "--help"])

    out = capsys.readouterr().out
    assert f"\nExamples:\n  simharness {verb}" in out


def test_rules_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """The list has every rule, and a page says what is good and what is bad."""
    from simharness.rules import RULES

    assert 0 == main(["rules"])
    listed = capsys.readouterr().out
    assert [] == [rule.id for rule in RULES if rule.id not in listed]

    assert 0 == main(["rules", "tool-pairing"])
    page = capsys.readouterr().out
    assert "Good:" in page
    assert "Bad:" in page


def test_agents_are_listed_with_how_to_bring_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    """The reference is always ready."""
    assert 0 == main(["agents"])

    out = capsys.readouterr().out
    assert "reference" in out
    assert "package.module:factory" in out


@pytest.mark.parametrize(("given", "seen"), [(None, "0"), ("7", "7")])
def test_the_command_fixes_its_hash_seed_unless_it_is_set(given: str | None, seen: str) -> None:
    """The process starts itself anew with PYTHONHASHSEED=0, and leaves a seed of the user alone."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONHASHSEED"}
    if given is not None:
        environment["PYTHONHASHSEED"] = given
    program = (
        "import os, simharness.cli.app as app\n"
        "app.run_app = lambda argv: print(os.environ['PYTHONHASHSEED'], *argv) or 0\n"
        "from simharness.cli import main\n"
        "raise SystemExit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "rules", "x"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert f"{seen} rules x\n" == done.stdout

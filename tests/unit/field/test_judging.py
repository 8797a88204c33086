"""Pins without any network: colours, exit codes, and what is read from a report."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import attrs
import pytest

from simharness.field import judging
from simharness.field.judging import Judged, Side, exit_code, judged, side_of
from simharness.field.pins import Pin
from simharness.field.venvs import SetUpError

PIN = Pin(
    id="T1",
    about="a fault",
    report="a#1",
    package="a",
    rule="settles",
    buggy="1.0",
    fixed="1.1",
    agent="one",
    scenario="s",
)
UNFIXED = attrs.evolve(PIN, fixed="")
HIDDEN = attrs.evolve(PIN, agent="", scenario="", not_shown="It needs a server.")
RED, GREEN = Side(version="1.0", state="violated"), Side(version="1.1", state="holds")


def report(state: str, *rules: str, verdict: str = "holds", reason: str = "") -> dict[str, Any]:
    """What `simharness run` writes, as far as a pin reads it: `rules` are the broken ones."""
    broken = [{"rule": rule, "message": f"{rule} broke", "replay": "sh1:x"} for rule in rules]
    return {
        "rules": {"settles": state, "tool-pairing": "violated"},
        "cases": [{"verdict": verdict, "reason": reason, "violations": broken}],
        "summary": {"trials": 12},
    }


def test_a_side_is_the_state_of_the_pins_own_rule() -> None:
    """What other rules found is none of its business."""
    found = side_of(report("holds", "tool-pairing"), PIN, "1.1", 1.5)
    assert Side(version="1.1", state="holds", trials=12, seconds=1.5) == found
    broken = side_of(report("violated", "tool-pairing", "settles"), PIN, "1.0")
    assert ("violated", "settles broke", "sh1:x") == (broken.state, broken.said, broken.replay)


def test_a_case_that_cannot_be_played_says_why() -> None:
    """An error is one of ours or of the adapter; a case may also be not applicable."""
    failed = side_of(report("not exercised", verdict="error", reason="boom"), PIN, "1.0")
    assert ("error", "boom") == (failed.state, failed.said)
    other = side_of(report("not exercised", verdict="not-applicable", reason="no cancel"), PIN, "1")
    assert ("not exercised", "no cancel") == (other.state, other.said)


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (Judged(PIN, RED, GREEN), 0),
        (Judged(UNFIXED, RED), 0),
        (Judged(HIDDEN), 0),
        (Judged(PIN, attrs.evolve(RED, state="holds"), GREEN), 1),
        (Judged(PIN, RED, attrs.evolve(GREEN, state="violated")), 1),
        (Judged(PIN, RED, attrs.evolve(GREEN, state="not exercised")), 1),
        (Judged(PIN, RED, attrs.evolve(GREEN, state="not applicable: no store")), 1),
        (Judged(PIN, attrs.evolve(RED, state="not exercised"), GREEN), 1),
        (Judged(PIN, attrs.evolve(RED, state="error"), GREEN), 3),
        (Judged(PIN, RED, attrs.evolve(GREEN, state="error")), 3),
    ],
)
def test_the_exit_code_counts_colours(one: Judged, code: int) -> None:
    """Green is a rule that had something to judge; an error outranks a wrong colour."""
    assert code == exit_code([one])
    assert (code == 0) == one.right
    assert max(code, 1) == exit_code([one, Judged(PIN, GREEN, GREEN)])


def test_a_pin_is_searched_in_an_environment_of_each_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ordinary command with the pin's scenario and agent; told before it begins."""
    made: list[tuple[str, tuple[str, ...]]] = []
    ran: list[tuple[str, ...]] = []

    def installed(home: Path, needs: tuple[str, ...]) -> Path:
        made.append((home.name, needs))
        return home / "bin" / "python"

    def run_in(python: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        ran.append(words)
        state = "violated" if "1.0" in str(python) else "holds"
        return subprocess.CompletedProcess(words, 1, json.dumps(report(state)), "")

    monkeypatch.setattr(judging, "installed", installed)
    monkeypatch.setattr(judging, "run_in", run_in)
    told: list[str] = []
    done = judged(PIN, tmp_path, told.append)
    assert (True, True, True) == (done.red, done.green, done.right)
    assert [("T1-1.0", ("a==1.0",)), ("T1-1.1", ("a==1.1",))] == made
    assert ["T1: a 1.0", "T1: a 1.1"] == told
    assert ("-m", "simharness", "run", str(PIN.file), "--agent", "one") == ran[0][:6]


def test_a_release_without_a_fix_has_one_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a pin that is not shown has none."""
    monkeypatch.setattr(judging, "_searched", lambda *_: RED)
    assert Judged(UNFIXED, RED) == judged(UNFIXED, tmp_path)
    assert Judged(HIDDEN) == judged(HIDDEN, tmp_path)


def test_what_cannot_be_installed_or_started_is_an_error_of_its_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other pins go on."""

    def refuses(home: Path, needs: tuple[str, ...]) -> Path:
        raise SetUpError("no such release")

    def crashes(python: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(words, 3, "", "Traceback: boom\n")

    monkeypatch.setattr(judging, "installed", refuses)
    side = judged(UNFIXED, tmp_path).buggy
    assert Side(version="1.0", state="error", said="no such release") == side
    monkeypatch.setattr(judging, "installed", lambda home, needs: home)
    monkeypatch.setattr(judging, "run_in", crashes)
    side = judged(UNFIXED, tmp_path).buggy
    assert Side(version="1.0", state="error", said="Traceback: boom") == side

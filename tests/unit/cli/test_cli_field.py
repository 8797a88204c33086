"""`simharness field`: the table, the JSON and the exit code; nothing is installed here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from simharness.cli import main
from simharness.field import judging
from simharness.field.judging import Judged, Side

if TYPE_CHECKING:
    from collections.abc import Callable

    from simharness.field.pins import Pin


@pytest.fixture(autouse=True)
def searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """P1 is as it should be, P2 green on both sides, P3 cannot be installed."""

    def fake(pin: Pin, home: Path, tell: Callable[[str], None]) -> Judged:
        tell(f"{pin.id} begins")
        if pin.not_shown:
            return Judged(pin)
        green = Side(version=pin.fixed, state="holds", trials=1200, seconds=2.0)
        if pin.id == "P2":
            return Judged(pin, Side(version=pin.buggy, state="holds", trials=7), green)
        if pin.id == "P3":
            return Judged(pin, Side(version=pin.buggy, state="error", said="no pip"), green)
        red = Side(
            version=pin.buggy,
            state="violated",
            said="It broke.",
            replay="sh1:x",
            trials=34,
            seconds=1.25,
        )
        return Judged(pin, red, green if pin.fixed else None)

    monkeypatch.setattr(judging, "judged", fake)


def test_the_table_has_a_row_per_pin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Versions, colours, trials and seconds of both sides; what is going on goes to stderr."""
    assert 0 == main(["field", "P1", "P6", "S8", "--venvs", str(tmp_path / "v")])
    out, err = capsys.readouterr()
    lines = out.splitlines()
    first = ["P1", "pydantic-ai-slim", "2.37.0", "/", "2.38.0", "tool-pairing", "red", "green"]
    assert [*first, "34", "/", "1,200", "1.2", "/", "2.0"] == lines[2].split()
    assert "no such release" in lines[3]
    assert "not shown: S8 (mcp" in out
    assert "2 pins: 2 as expected, 0 not" == lines[-1]
    assert "P1 begins" in err


def test_a_pin_of_the_wrong_colour_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says which release, what was expected and what was found."""
    assert 1 == main(["field", "P1", "P2", "--venvs", str(tmp_path)])
    out = capsys.readouterr().out
    wanted = "expected no-orphan-work to be violated, but found holds"
    assert f"FAILED P2 pydantic-ai-slim 1.41.0: {wanted}" in out
    assert "NO: holds" in out
    assert out.endswith("2 pins: 1 as expected, 1 not\n")


def test_a_release_that_cannot_be_installed_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is known about the bug then."""
    assert 3 == main(["field", "P2", "P3", "--venvs", str(tmp_path)])
    assert "found error: no pip" in capsys.readouterr().out


def test_the_json_keeps_clocks_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything else is equal for equal input."""
    assert 0 == main(["field", "P1", "P6", "S8", "--venvs", str(tmp_path), "--json", "-"])
    found = json.loads(capsys.readouterr().out)
    assert {"format", "simharness", "python", "pins", "timing"} == set(found)
    assert {"P1": {"buggy": 1.25, "fixed": 2.0}, "P6": {"buggy": 1.25}, "S8": {}} == found["timing"]
    one, six, eight = found["pins"]
    assert (True, True, True) == (one["right"], six["right"], eight["right"])
    assert ("violated", "It broke.", "sh1:x", 34) == tuple(
        one["buggy"][key] for key in ("state", "message", "replay", "trials")
    )
    assert (None, None, None) == (six["fixed"], eight["buggy"], eight["fixed"])


def test_an_unknown_pin_says_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """A typo must not install anything."""
    assert 3 == main(["field", "P11"])
    assert "Pins: P1, P2" in capsys.readouterr().err


def test_quiet_and_verbose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Quiet is failures and the summary; verbose says what each bug is and what was found."""
    assert 1 == main(["field", "P1", "P2", "--venvs", str(tmp_path), "--quiet"])
    out, err = capsys.readouterr()
    assert "" == err
    assert ["FAILED P2", "", "2 pins: 1 as expected, 1 not"] == [
        line[:9] if line.startswith("FAILED") else line for line in out.splitlines()
    ]
    assert 0 == main(["field", "P1", "--venvs", str(tmp_path), "--verbose"])
    out = capsys.readouterr().out
    assert "P1 (pydantic-ai#7977): After a cancel" in out
    assert "    found: It broke." in out

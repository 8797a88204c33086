"""`sweep --coverage`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from simharness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

AGENT = """
from tests.loops import Loop

class Careful(Loop):
    async def prompt(self, text):
        try:
            await super().prompt(text)
        except KeyError:
            self.odd = True
            raise
        except Exception as error:
            self.error = error
            raise

make = Careful
"""
SWEEP = ["sweep", "--agent", "careful:make", "--total", "12"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an agent, as the working directory."""
    (tmp_path / "careful.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "careful", raising=False)
    return tmp_path


def test_blocks_that_no_trial_entered_are_listed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Faults of the stream enter the second block; no sweep raises what the first is for."""
    main([*SWEEP, "--coverage", "careful", "--out", "report"])
    out = capsys.readouterr().out
    blocks = json.loads((folder / "report" / "report.json").read_text())["coverage"]["blocks"]

    said = "Coverage of careful: 2 except or finally blocks, 1 never entered, 0 in part"
    assert said in out
    assert [False, True] == [block["entered"] for block in blocks]
    for name in ("report.txt", "report.md", "report.html"):
        assert said in (folder / "report" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--coverage", "careles"], "--coverage: there is no module careles"),
        (["--coverage", "careful.nothing"], "--coverage: there is no module careful"),
        (["--coverage", "careful", "--jobs", "2"], "leave out --isolate, --jobs, --dask"),
    ],
)
def test_what_cannot_be_measured_is_one_message(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3, no traceback."""
    assert 3 == main([*SWEEP, *words])
    err = capsys.readouterr().err

    assert said in err
    assert "Traceback" not in err


def test_coverage_is_an_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without it the message says how to get it."""
    monkeypatch.setitem(sys.modules, "coverage", None)

    assert 3 == main([*SWEEP, "--coverage", "careful"])
    assert 'pip install "simharness[coverage]"' in capsys.readouterr().err

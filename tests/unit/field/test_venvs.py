"""Virtual environments: made once, installed again only for other words."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from simharness.field import venvs
from simharness.field.venvs import SetUpError, installed, run_in


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What would have been run; nothing is."""
    seen: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        seen.append(command)
        if "venv" in command:
            (Path(command[-1]) / "bin").mkdir(parents=True)
            (Path(command[-1]) / "bin" / "python").touch()
        refused = "nothing==0" in command
        return subprocess.CompletedProcess(command, int(refused), "", "no such release\n")

    monkeypatch.setattr(subprocess, "run", run)
    return seen


def test_an_environment_is_made_once(tmp_path: Path, commands: list[list[str]]) -> None:
    """The same words again change nothing; other words are installed into it."""
    python = installed(tmp_path / "a", ["b==1"])
    assert python == tmp_path / "a" / "bin" / "python"
    assert python == installed(tmp_path / "a", ["b==1"])
    assert ["venv", "pip"] == [command[2] for command in commands]
    assert "b==1" == commands[1][-1]
    installed(tmp_path / "a", ["b==2"])
    assert ["venv", "pip", "pip"] == [command[2] for command in commands]


def test_newest_releases_are_asked_for_each_time(tmp_path: Path, commands: list[list[str]]) -> None:
    """Yesterday's newest is not today's."""
    for _ in range(2):
        installed(tmp_path / "a", ["b"], newest=True)
    assert ["venv", "pip", "pip"] == [command[2] for command in commands]
    assert "--upgrade" in commands[-1]


def test_simharness_itself_is_installed_too(
    tmp_path: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its checkout, else the release that runs."""
    installed(tmp_path / "a", [])
    assert ["--editable", str(Path(venvs.__file__).parents[2])] == commands[1][-2:]
    monkeypatch.setattr(venvs, "_ROOT", tmp_path)
    installed(tmp_path / "b", [])
    assert commands[3][-1].startswith("simharness==")


def test_a_failed_install_says_what_pip_said_and_is_tried_again(
    tmp_path: Path, commands: list[list[str]]
) -> None:
    """It must not count as installed."""
    for _ in range(2):
        with pytest.raises(SetUpError, match=r"nothing==0\nno such release"):
            installed(tmp_path / "a", ["nothing==0"])
    assert ["venv", "pip", "pip"] == [command[2] for command in commands]


def test_commands_run_under_a_fixed_hash_seed(tmp_path: Path) -> None:
    """In the folder that was asked for."""
    import sys

    words = "import os; print(os.environ['PYTHONHASHSEED'], os.getcwd())"
    done = run_in(Path(sys.executable), "-c", words, cwd=tmp_path)
    assert f"0 {tmp_path}\n" == done.stdout

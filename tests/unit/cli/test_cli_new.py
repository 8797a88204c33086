"""`simharness new`: what it writes runs as it is, and nothing is ever overwritten."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
import yaml

from simharness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

QUICK = ["--total", "300", "-q"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_new_agent_runs_clean(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its sweep finds nothing; the file is short, and carries the name everywhere."""
    assert 0 == main(["new", "agent", "first-loop"])
    out = capsys.readouterr().out
    assert "wrote first_loop.py\ntry it: simharness sweep --agent first_loop:make\n" == out

    text = (folder / "first_loop.py").read_text()
    assert "class FirstLoop:" in text
    assert '"first-loop"' in text
    assert "my" not in text.lower().split()
    assert 100 >= len(text.splitlines())
    assert 0 == main(["sweep", "--agent", "first_loop:make"])
    out = capsys.readouterr().out
    assert "agent first-loop 1" in out
    assert "FAILED" not in out


def test_a_new_agent_holds_the_shipped_suite(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the example that people copy it must not have a fault that our own suite finds."""
    main(["new", "agent", "second_loop"])

    assert 0 == main(["run", "--suite", "--agent", "second_loop:make", "--budget", "5", "-q"])


@pytest.mark.parametrize("agent", ["reference", "third_loop:make"])
def test_a_new_scenario_runs_clean(folder: Path, agent: str) -> None:
    """Everything in it happens, with our loop and with the one of `new agent`."""
    main(["new", "agent", "third_loop"])

    assert 0 == main(["new", "scenario", "my-bug", "--agent", agent])

    options = ["--agent", agent, "--strict-coverage", "-q"]
    for reaction in ("aborted", "error", "close"):
        assert 0 == main(["run", f"my-bug.sim.yaml::my-bug[on_cancel={reaction}]", *options])


def test_the_commented_part_of_a_scenario_holds_too(folder: Path) -> None:
    """What it offers to be switched on is true of the loop of `new agent`."""
    main(["new", "agent", "fourth_loop"])
    main(["new", "scenario", "my-bug.sim.yaml"])
    file = folder / "my-bug.sim.yaml"
    head, _, tail = file.read_text().partition("To say more:\n")
    expects = "".join(line.removeprefix("# ") + "\n" for line in tail.splitlines())
    file.write_text(f"{head}\n{expects}")

    assert 0 == main(["run", "my-bug.sim.yaml", "--agent", "fourth_loop:make", "-q"])


def test_a_new_workflow_holds_commands_that_run(folder: Path) -> None:
    """It is YAML, and each of its simharness lines is accepted as it is written."""
    main(["new", "agent", "fifth_loop"])
    assert 0 == main(["new", "ci", "--agent", "fifth_loop:make"])

    workflow = yaml.safe_load((folder / ".github/workflows/simharness.yml").read_text())
    steps = workflow["jobs"]["simharness"]["steps"]
    lines = [step["run"] for step in steps if step.get("run", "").startswith("simharness ")]
    assert 2 == len(lines)
    for line in lines:
        assert 0 == main([*shlex.split(line)[1:], *QUICK])
    assert {"sweep.html", "suite.html"} == {file.name for file in folder.glob("reports/*")}


@pytest.mark.parametrize("words", [["agent", "mine"], ["scenario", "mine"], ["ci"]])
def test_nothing_is_overwritten(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """The second time is an error, and the file stays as it was."""
    main(["new", *words])
    (file,) = [path for path in folder.rglob("*") if path.is_file()]
    file.write_text("precious")

    assert 3 == main(["new", *words])

    assert "precious" == file.read_text()
    assert "exists already; nothing was written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["agent"], "needs a name, for example: simharness new agent my-agent"),
        (["agent", "1st"], "cannot be the name of a Python module"),
        (["agent", "class"], "cannot be the name of a Python module"),
        (["agent", "../up"], "cannot be the name of a Python module"),
        (["agent", "asyncio"], "is a module of Python itself"),
        (["scenario", "a/b"], "cannot name a scenario"),
        (["ci", "name"], "takes no name"),
    ],
)
def test_a_bad_name_is_bad_input(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    """Nothing is written."""
    assert 3 == main(["new", *words])

    assert message in capsys.readouterr().err
    assert [] == list(folder.iterdir())


def test_the_agent_of_the_project_is_named(folder: Path) -> None:
    """A new scenario says how to run it here."""
    (folder / "pyproject.toml").write_text('[tool.simharness]\nagent = "ours.loop:make"\n')

    main(["new", "scenario", "mine"])

    assert "--agent ours.loop:make" in (folder / "mine.sim.yaml").read_text()

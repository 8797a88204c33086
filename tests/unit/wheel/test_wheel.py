"""The wheel: what it holds, what it brings along, and that it works away from the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from simharness.scenario.find import find_files
from tests.benchmarks.weight import MOST, distributions
from tests.processes import ROOT


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it is built from this checkout, laid out as an installer does it."""
    folder = tmp_path_factory.mktemp("wheel")
    words = ["-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run([sys.executable, *words], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("simharness-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def command(unpacked: Path, here: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command of the unpacked wheel, run in a folder that has nothing to do with us."""
    return subprocess.run(
        [sys.executable, "-m", "simharness", *words],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(unpacked), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_suite_is_in_it_whole(unpacked: Path) -> None:
    """Each scenario of the repository, the schema beside them, the templates, and no test."""
    shipped = {file.relative_to(ROOT / "scenarios") for file in find_files([ROOT / "scenarios"])}
    suite = unpacked / "simharness" / "suite"
    assert shipped == {file.relative_to(suite) for file in suite.rglob("*.sim.yaml")}
    assert (suite / "scenario.schema.json").is_file()
    assert (unpacked / "simharness" / "templates" / "ci.yml").is_file()
    assert not list(unpacked.rglob("test_*.py"))


def test_the_suite_runs_away_from_the_repository(unpacked: Path, tmp_path: Path) -> None:
    """`--suite` finds the scenarios of the wheel, and a replay finds the case of its code there."""
    words = ["--suite", "-k", "cancel-during-slow-tool", "--budget", "1", "--json", "report.json"]
    agent = ["--agent", "mutant:cancels-complete"]

    holds = command(unpacked, tmp_path, "run", *words)
    assert 0 == holds.returncode, holds.stdout + holds.stderr
    assert str(unpacked / "simharness" / "suite") in (tmp_path / "report.json").read_text()

    broken = command(unpacked, tmp_path, "run", *words, *agent)
    assert 1 == broken.returncode, broken.stdout + broken.stderr
    again = command(unpacked, tmp_path, "replay", "report.json", "--quiet")
    assert 1 == again.returncode, again.stdout + again.stderr
    assert "EXACT cancel-during-slow-tool" in again.stdout


def test_schema_and_templates_are_read_from_it(unpacked: Path, tmp_path: Path) -> None:
    """Nothing is looked up in the repository."""
    schema = command(unpacked, tmp_path, "schema")
    assert schema.stdout == (ROOT / "scenarios" / "scenario.schema.json").read_text()
    assert 0 == command(unpacked, tmp_path, "new", "agent", "mine").returncode
    done = command(unpacked, tmp_path, "sweep", "--agent", "mine:make", "--total", "20", "-q")
    assert 0 == done.returncode, done.stdout + done.stderr


def test_it_brings_few_distributions() -> None:
    """Counting our own; each further one is one more to keep up with."""
    found = distributions()
    assert {"simharness", "pytest", "click"} <= found
    assert len(found) <= MOST, sorted(found)


def test_commands_import_what_they_need() -> None:
    """A run needs no mutants, and a help text nothing of the world: both would cost each start."""
    program = "import sys, {}; print(*(name for name in sys.modules if name.startswith({!r})))"
    for imported, unneeded in (
        ("simharness.cli.run, simharness.check, simharness.testing", "simharness.agents.mutants"),
        ("simharness.cli.app", "simharness.trace"),
        ("simharness.cli.app, simharness.cli.run", "simharness.world"),
        ("simharness.cli.app, simharness.cli.run", "simharness.search"),
        ("simharness.pytest_plugin", "simharness.rules"),
    ):
        words = [sys.executable, "-c", program.format(imported, unneeded)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "\n" == done.stdout, (imported, unneeded)

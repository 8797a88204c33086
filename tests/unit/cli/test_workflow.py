"""The reusable GitHub workflow, and the one that `new ci` writes: valid, and their scripts run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.processes import ROOT

REUSABLE = ROOT / ".github" / "workflows" / "simharness.yml"
TEMPLATE = ROOT / "simharness" / "templates" / "ci.yml"
BROKEN = "mutant:chunks-are-shown-twice"
SCENARIO = "scenario: plain\nmodel: [[Hi.]]\nrun: [prompt: go]\n"


def document(file: Path) -> dict[Any, Any]:
    """The workflow as data; a bare `on` is True to YAML 1.1."""
    read: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {("on" if key is True else key): value for key, value in read.items()}


def steps(file: Path) -> dict[str, dict[str, Any]]:
    """The steps with a name, by it."""
    (job,) = document(file)["jobs"].values()
    return {step["name"]: step for step in job["steps"] if "name" in step}


@pytest.mark.parametrize("file", [REUSABLE, TEMPLATE], ids=["reusable", "template"])
def test_a_workflow_has_the_documented_keys(file: Path) -> None:
    """By the schema of workflows that editors use, in check-jsonschema's copy."""
    words = ["--builtin-schema", "vendor.github-workflows", str(file)]
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, done.stdout


def test_it_can_be_called_and_only_reads() -> None:
    """Its inputs have types and words, only the agent must be given, and it may write nothing."""
    read = document(REUSABLE)
    inputs = read["on"]["workflow_call"]["inputs"]
    assert ["agent"] == [name for name, one in inputs.items() if one.get("required")]
    assert all(one["description"] and one["type"] for one in inputs.values())
    assert {"contents": "read"} == read["permissions"]
    used = re.findall(r"inputs\.([\w-]+)", REUSABLE.read_text(encoding="utf-8"))
    assert set(inputs) == set(used)


@pytest.mark.parametrize("file", [REUSABLE, TEMPLATE], ids=["reusable", "template"])
def test_no_text_of_a_caller_becomes_a_script(file: Path) -> None:
    """An expression within a script would be run as a part of it."""
    assert [] == [name for name, step in steps(file).items() if "${{" in step.get("run", "")]


def shell(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A script as a runner starts it."""
    given = {"BASELINE": "", "BUDGET": "1", "AGENT": "reference", "PATHS": "", **variables}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, **given, "PATH": path, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_its_scripts_run(tmp_path: Path) -> None:
    """Scenarios, a sweep, and the summary of both; a broken rule fails the job unless known."""
    (tmp_path / "plain.sim.yaml").write_text(SCENARIO)
    (tmp_path / "also here.sim.yaml").write_text(SCENARIO.replace("plain", "also"))
    summary = tmp_path / "summary.md"
    found = steps(REUSABLE)
    whole = found["Cancels and faults everywhere"]["run"]
    sweep = whole.replace("--github", "--total 60 --github")  # the beginning of it is enough here
    assert sweep != whole
    paths = found["Scenarios of the repository"]["run"]

    job = {"GITHUB_STEP_SUMMARY": str(summary)}

    done = shell(paths, tmp_path, PATHS="plain.sim.yaml .", **job)
    assert 0 == done.returncode, done.stderr
    broken = shell(sweep, tmp_path, AGENT=BROKEN, **job)
    assert 1 == broken.returncode
    assert "::error" in broken.stdout
    report = str(tmp_path / "reports" / "sweep" / "report.json")
    known = shell(sweep, tmp_path, AGENT=BROKEN, BASELINE=report)
    assert 0 == known.returncode, known.stdout

    assert 2 == summary.read_text().count("### simharness\n")

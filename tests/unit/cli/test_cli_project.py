"""`[tool.simharness]`, `--baseline` and waivers on the command line and in pytest sessions."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from simharness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

TOOL = """scenario: {name}
model: [[{{call: search}}], ["Done."]]
tools: {{search: {{returns: "3 hits", takes: 1s}}}}
run: [{{prompt: go}}]
"""
FORGETFUL = ["--agent", "tests.loops:forgetful", "--budget", "5"]
RULES = ("tool-pairing", "request-wellformed")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one scenario that `forgetful` breaks, as the working directory."""
    (tmp_path / "one.sim.yaml").write_text(TOOL.format(name="one"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings(folder: Path, *waivers: str, expires: str = "2999-12-31", more: str = "") -> None:
    """Write a pyproject.toml that waives rules."""
    text = f"[tool.simharness]\n{more}\n"
    for rule in waivers:
        text += (
            "[[tool.simharness.waivers]]\n"
            f'rule = "{rule}"\nreason = "ISSUE-12"\nexpires = {expires}\n'
        )
    (folder / "pyproject.toml").write_text(text)


def test_agent_and_budget_come_from_the_project(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options outrank them."""
    settings(folder, more='agent = "tests.loops:forgetful"\nbudget = 3')

    assert 1 == main(["run", "."])
    assert "; 3 trials, " in capsys.readouterr().out.splitlines()[-1]
    assert 0 == main(["run", ".", "--agent", "tests.loops:good", "--budget", "4"])
    assert "; 4 trials, " in capsys.readouterr().out.splitlines()[-1]


def test_the_agent_is_found_from_a_folder_below(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its module lies beside the pyproject.toml that names it."""
    (folder / "beside.py").write_text("from tests.loops import good as make\n")
    settings(folder, more='agent = "beside:make"')
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    monkeypatch.setattr("sys.path", [*sys.path])

    assert 0 == main(["run", "../one.sim.yaml", "--budget", "2"])


def test_the_contract_of_the_project_is_the_agents(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rules that need a field become applicable; the report shows it."""
    settings(folder, more='contract = { cut_message = "kept" }')
    main(["run", ".", "--agent", "tests.loops:good", "--json", "-"])

    assert {"cut_message": "kept"} == json.loads(capsys.readouterr().out)["agent"]["contract"]


def test_a_mistake_in_the_project_is_shown_with_its_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3, no stack."""
    settings(folder, more="agnet = 3")

    assert 3 == main(["run", "."])
    assert 'pyproject.toml:2:1: error: unknown key "agnet"' in capsys.readouterr().err


def test_a_waived_rule_does_not_fail(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The case counts as waived, and the report says why and until when."""
    settings(folder, *RULES)

    assert 0 == main(["run", ".", *FORGETFUL, "--json", "-"])

    (case,) = json.loads(capsys.readouterr().out)["cases"]
    assert ("waived", []) == (case["verdict"], case["violations"])
    assert {"ISSUE-12 (until 2999-12-31)"} == {found["reason"] for found in case["waived"]}


def test_a_waiver_of_another_rule_changes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is left fails; a waiver that waives nothing is noted."""
    settings(folder, "tool-pairing", "no-leaked-tasks")

    assert 1 == main(["run", ".", *FORGETFUL])

    out = capsys.readouterr().out
    assert "FAILED request-wellformed" in out
    assert "FAILED tool-pairing" not in out
    assert "waiver of no-leaked-tasks (" in out
    assert "pyproject.toml:8:1) waived nothing" in out


def test_an_expired_waiver_waives_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And says so with its line and reason."""
    settings(folder, *RULES, expires="2020-01-01")

    assert 1 == main(["run", ".", *FORGETFUL])

    assert "pyproject.toml:4:1) expired on 2020-01-01: ISSUE-12" in capsys.readouterr().out


def test_a_waiver_can_be_for_some_cases_only(folder: Path) -> None:
    """`*` stands for anything; brackets of a case id stand for themselves."""
    settings(folder, *RULES)
    text = (folder / "pyproject.toml").read_text()
    for pattern, code in (("o*", 0), ("x*", 1), ("[one]", 1), ("*", 0)):
        changed = text.replace("reason", f'case = "{pattern}"\nreason')
        (folder / "pyproject.toml").write_text(changed)
        assert code == main(["run", ".", *FORGETFUL, "-q"]), pattern


def test_known_violations_do_not_fail(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are waived, and counted in a note; a baseline may be renewed from its own run."""
    assert 1 == main(["run", ".", *FORGETFUL, "--json", "known.json"])
    for _ in range(2):
        again = ["run", ".", *FORGETFUL, "--baseline", "known.json", "--json", "known.json"]
        capsys.readouterr()

        assert 0 == main(again)

        out = capsys.readouterr().out
        assert "NOTE 2 known violations of known.json still there, 0 vanished" in out
        assert "1 case: 1 waived" in out


def test_new_violations_fail_beside_known_ones(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another case is another violation, also of the same rule."""
    main(["run", ".", *FORGETFUL, "--json", "known.json"])
    (folder / "two.sim.yaml").write_text(TOOL.format(name="two"))
    capsys.readouterr()

    assert 1 == main(["run", ".", *FORGETFUL, "--baseline", "known.json"])

    out = capsys.readouterr().out
    assert "2 cases: 1 violated, 1 waived" in out
    assert "FAILED tool-pairing (two, " in out


def test_vanished_violations_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of cases that were run; of others nothing is known."""
    (folder / "two.sim.yaml").write_text(TOOL.format(name="two"))
    main(["run", ".", *FORGETFUL, "--json", "known.json"])
    capsys.readouterr()

    good = ["--agent", "tests.loops:good", "--baseline", "known.json"]
    assert 0 == main(["run", "one.sim.yaml", *good])

    out = capsys.readouterr().out
    assert "NOTE 0 known violations of known.json still there, 2 vanished" in out
    assert "NOTE vanished from 1 case: tool-pairing: " in out


def test_fail_fast_goes_on_behind_known_violations(folder: Path) -> None:
    """They are no failures."""
    (folder / "two.sim.yaml").write_text(TOOL.format(name="two"))
    main(["run", "one.sim.yaml", *FORGETFUL, "--json", "known.json"])
    options = ["--baseline", "known.json", "--fail-fast", "--json", "now.json"]

    assert 1 == main(["run", ".", *FORGETFUL, *options])

    verdicts = [case["verdict"] for case in json.loads((folder / "now.json").read_text())["cases"]]
    assert ["waived", "violated"] == verdicts


def test_a_baseline_serves_a_sweep_too(folder: Path) -> None:
    """And is found beside the pyproject.toml that names it, from a folder below."""
    options = ["--agent", "tests.loops:forgetful", "--total", "40", "-q"]
    assert 1 == main(["sweep", *options, "--json", "known.json"])
    settings(folder, more='baseline = "known.json"')

    assert 0 == main(["sweep", *options])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file"),
        ("{", "is no JSON"),
        ("{}", "is no report of format 1"),
        ('{"format": 2, "cases": []}', "is no report of format 1"),
    ],
)
def test_a_bad_baseline_is_bad_input(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str | None, message: str
) -> None:
    """Before anything is run."""
    if text is not None:
        (folder / "known.json").write_text(text)

    assert 3 == main(["run", ".", "--baseline", "known.json"])
    assert message in capsys.readouterr().err


def test_a_pytest_session_takes_the_same_settings(pytester: pytest.Pytester, folder: Path) -> None:
    """Agent, waivers and contract; without the waivers the case fails."""
    settings(folder, *RULES, more='agent = "tests.loops:forgetful"')
    plain = ["-p", "no:asyncio", "-p", "no:randomly", f"--rootdir={folder}", str(folder)]

    waived = pytester.runpytest(*plain)
    settings(folder, more='agent = "tests.loops:forgetful"')
    failed = pytester.runpytest(*plain)

    waived.assert_outcomes(passed=1)
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["*agent tests.loops:forgetful, 100 trials per case"])

"""`[tool.simharness]`: what is read, and how mistakes are shown."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from simharness.contract import Contract
from simharness.project.settings import NOTHING, Settings, Waiver, load
from simharness.scenario.problems import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path


def read(folder: Path, text: str) -> Settings:
    """Load `text` as the pyproject.toml of `folder`."""
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return load(folder)


FULL = """
[project]
name = "mine"

[tool.simharness]
agent = "mine.agent:make"
budget = 50
baseline = "known.json"
contract = { cut_message = "kept", reports = ["agent", "turn"] }

[[tool.simharness.waivers]]
rule = "no-leaked-tasks"
reason = "ISSUE-12"
expires = 2027-01-31

[[tool.simharness.waivers]]
rule = "expect.history"
reason = "ISSUE-13"
expires = 2027-02-28
case = "sweep-*"
"""


def test_everything_is_read(tmp_path: Path) -> None:
    """Paths start where the file lies."""
    assert Settings(
        agent="mine.agent:make",
        budget="50",
        baseline=tmp_path / "known.json",
        contract=Contract(cut_message="kept", reports=frozenset({"agent", "turn"})),
        waivers=(
            Waiver("no-leaked-tasks", "ISSUE-12", dt.date(2027, 1, 31)),
            Waiver("expect.history", "ISSUE-13", dt.date(2027, 2, 28), "sweep-*"),
        ),
        folder=tmp_path,
    ) == read(tmp_path, FULL)


def test_the_nearest_file_above_counts(tmp_path: Path) -> None:
    """So that a command works in a folder below."""
    read(tmp_path, FULL)
    (tmp_path / "a" / "b").mkdir(parents=True)

    assert "mine.agent:make" == load(tmp_path / "a" / "b").agent


@pytest.mark.parametrize("text", ["", "[project]\nname = 'x'\n", "this is not TOML at all ="])
def test_a_file_that_does_not_speak_of_us_says_nothing(tmp_path: Path, text: str) -> None:
    """Whatever else is wrong with it is not our business."""
    assert NOTHING == read(tmp_path, text)


WAIVER = '[[tool.simharness.waivers]]\nrule = "no-leaked-tasks"\nreason = "R"\n'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[tool.simharness]\nagnet = 'x'\n", 2, 'unknown key "agnet"; did you mean "agent"?'),
        ("[tool.simharness]\nagent = 3\n", 2, '"agent" has to be a text'),
        ("[tool.simharness]\nagent = ''\n", 2, '"agent" has to be a text'),
        ("[tool.simharness]\n\nbudget = 'huge'\n", 3, '"huge" is no budget'),
        ("[tool.simharness]\nagent = \n", 2, "not TOML: "),
        ("[tool]\nsimharness = 3\n# tool.simharness\n", 2, "tool.simharness has to be a table"),
        (
            "[tool.simharness]\ncontract = { cut_mesage = 'kept' }\n",
            2,
            'unknown key "cut_mesage"; did you mean "cut_message"?',
        ),
        (
            "[tool.simharness.contract]\ncut_message = 'keep'\n",
            2,
            '"cut_message" cannot be "keep"; did you mean "kept"?',
        ),
        (
            "[tool.simharness]\ncontract.cut_message = 'keep'\n",
            2,
            '"cut_message" cannot be "keep"; did you mean "kept"?',
        ),
        (
            "[tool.simharness.contract]\nreports = ['turns']\n",
            2,
            'unknown record family "turns"; did you mean "turn"?',
        ),
        ("[tool.simharness]\ncontract = 3\n", 2, "tool.simharness.contract has to be a table"),
        ("[tool.simharness.waivers]\nrule = 'x'\n", 1, "waivers are tables of their own"),
        (WAIVER, 1, '"expires" has to be a date; write for example expires = 2027-01-31'),
        (f"{WAIVER}expires = '2027-01-31'\n", 4, '"expires" has to be a date'),
        ("[[tool.simharness.waivers]]\nexpires = 2027-01-31\n", 1, 'a waiver needs "rule"'),
        (
            f"{WAIVER}expires = 2027-01-31\n{WAIVER}expires = 2027-01-31\nuntil = 3\n",
            9,
            'unknown key "until"',
        ),
        (
            f"{WAIVER}expires = 2027-01-31\n".replace("leaked", "leeked"),
            2,
            'unknown rule "no-leeked-tasks"; did you mean "no-leaked-tasks"?',
        ),
    ],
)
def test_a_mistake_is_shown_with_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    """In the form of a scenario's mistakes."""
    with pytest.raises(ScenarioError) as caught:
        read(tmp_path, text)

    (problem, *_) = caught.value.problems
    assert (line, str(tmp_path / "pyproject.toml")) == (problem.line, problem.file)
    assert message in problem.message


def test_all_mistakes_are_shown_at_once(tmp_path: Path) -> None:
    """In the order of the file."""
    with pytest.raises(ScenarioError) as caught:
        read(tmp_path, "[tool.simharness]\nagnet = 'x'\nbudget = 'huge'\nbaseline = 3\n")

    assert [2, 3, 4] == [problem.line for problem in caught.value.problems]

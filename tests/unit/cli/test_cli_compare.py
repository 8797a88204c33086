"""`simharness compare`: what turned green or red, which violations came and went."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from simharness.cli import main
from simharness.comparing import Timeline, Turn, compare

if TYPE_CHECKING:
    from pathlib import Path

TOOL = """scenario: {name}
model: [[{{call: search}}], ["Done."]]
tools: {{search: {{returns: "3 hits", takes: 1s}}}}
run: [{{prompt: go}}]
"""


def report(**cases: tuple[str, dict[str, list[Any]]]) -> dict[str, Any]:
    """A report: case id -> verdict and rule -> timeline."""
    return {
        "format": 1,
        "agent": {"name": "loop", "version": "1"},
        "cases": [
            {
                "id": name,
                "verdict": verdict,
                "violations": [
                    {"rule": rule, "message": "m", "timeline": rows}
                    for rule, rows in broken.items()
                ],
            }
            for name, (verdict, broken) in cases.items()
        ],
    }


HOLDS: tuple[str, dict[str, list[Any]]] = ("holds", {})


@pytest.mark.parametrize(
    ("before", "after", "red", "green"),
    [
        ("holds", "violated", True, False),
        ("not-exercised", "error", True, False),
        ("violated", "holds", False, True),
        ("error", "waived", False, True),
        ("violated", "expected-violation", False, True),
        ("violated", "not-exercised", False, False),
        ("violated", "not-applicable", False, False),
        ("violated", "error", False, False),
        ("holds", "not-exercised", False, False),
        (None, "violated", True, False),
        (None, "holds", False, False),
        ("violated", None, False, False),
    ],
)
def test_what_turned(before: str | None, after: str | None, red: bool, green: bool) -> None:
    """What is not run any more is not fixed; what fails otherwise has not turned."""
    turn = Turn("case", before, after)

    assert (red, green) == (turn.to_red, turn.to_green)


def test_equal_reports_differ_in_nothing() -> None:
    """No turn, no timeline, nothing worse."""
    one = report(a=HOLDS, b=("violated", {"r": [{"user": "x"}]}))

    found = compare(one, one, names=("old", "new"))

    assert ((), (), False) == (found.turns, found.timelines, found.worse)


def test_cases_and_violations_that_come_and_go() -> None:
    """In the order of the cases, the old ones first."""
    old = report(a=HOLDS, b=("violated", {"r1": [], "r2": []}), gone=HOLDS)
    new = report(new=HOLDS, a=("violated", {"r3": []}), b=("violated", {"r1": []}))

    found = compare(old, new, names=("old", "new"))

    assert (
        Turn("a", "holds", "violated"),
        Turn("gone", "holds", None),
        Turn("new", None, "holds"),
    ) == found.turns
    assert (
        Timeline("b", "r2", "m", "removed"),
        Timeline("a", "r3", "m", "added"),
    ) == found.timelines
    assert found.worse


@pytest.mark.parametrize(
    ("rows", "how"),
    [
        ([{"user": "a"}, {"user": "b"}], None),
        ([{"user": "b"}, {"user": "a"}], "reordered"),
        ([{"user": "a"}, {"user": "c"}], "changed"),
        ([{"user": "a"}], "changed"),
    ],
)
def test_a_violation_that_shows_itself_in_another_way(
    rows: list[dict[str, str]], how: str | None
) -> None:
    """Nothing became worse by it."""
    old = report(a=("violated", {"r": [{"user": "a"}, {"user": "b"}]}))
    new = report(a=("violated", {"r": rows}))

    found = compare(old, new, names=("old", "new"))

    assert [how] * (how is not None) == [timeline.how for timeline in found.timelines]
    assert not found.worse


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two scenarios, a report of a good agent and one of a bad one."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.sim.yaml").write_text(TOOL.format(name=name))
    monkeypatch.chdir(tmp_path)
    for name, agent in (("good", "good"), ("bad", "forgetful")):
        words = ["--agent", f"tests.loops:{agent}", "--budget", "5", "-q", "--json", f"{name}.json"]
        main(["run", ".", *words])
    return tmp_path


def test_two_reports_become_tables_and_a_summary(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worse exits with 1, better with 0."""
    capsys.readouterr()
    assert 1 == main(["compare", "good.json", "bad.json"])
    out = capsys.readouterr().out
    assert "Green to red\n" in out
    assert ["one", "holds", "violated"] in [line.split() for line in out.splitlines()]
    assert (
        "2 green to red, 0 red to green; violations: 4 added; "
        "good.json (loop 1.0, 2 cases) -> bad.json (loop 1.0, 2 cases)"
    ) == out.splitlines()[-1]

    assert 0 == main(["compare", "bad.json", "good.json"])
    assert "0 green to red, 2 red to green; violations: 4 removed; " in capsys.readouterr().out


def test_two_agents_give_the_same_comparison_as_their_reports(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the names are others."""
    capsys.readouterr()
    agents = ["--agent", "tests.loops:good", "--agent", "tests.loops:forgetful"]
    assert 1 == main(["compare", *agents, "--budget", "5", "--json", "-", "."])
    by_agents = json.loads(capsys.readouterr().out)
    assert 1 == main(["compare", "good.json", "bad.json", "--json", "-"])
    by_files = json.loads(capsys.readouterr().out)

    assert "tests.loops:good" == by_agents["before"]["name"]
    assert by_files["timelines"] == by_agents["timelines"]
    assert by_files["green_to_red"] == by_agents["green_to_red"]
    assert ["one", "two"] == [turn["case"] for turn in by_files["green_to_red"]]


def test_markdown_is_a_table_for_a_pull_request(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Into a file beside the text, or alone on standard output."""
    main(["compare", "good.json", "bad.json", "--markdown", "change.md"])
    text = (folder / "change.md").read_text()
    capsys.readouterr()
    main(["compare", "good.json", "bad.json", "--markdown", "-"])

    assert text == capsys.readouterr().out
    assert text.startswith("## simharness: 2 green to red, ")
    assert "### Green to red\n\n| case   | before   | after    |\n|--------|" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["good.json"], "give two JSON reports, or --agent twice and scenarios"),
        (["good.json", "nowhere.json"], "nowhere.json: cannot be read"),
        (["good.json", "one.sim.yaml"], "one.sim.yaml is no JSON"),
        (["--agent", "reference", "."], "give --agent twice"),
        (["--agent", "reference", "--agent", "reference"], "nothing to run"),
        (["--agent", "reference", "--agent", "refrence", "."], "did you mean 'reference'?"),
    ],
)
def test_a_mistake_is_bad_input(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    """With exit code 3, before anything is compared."""
    assert 3 == main(["compare", *words])
    assert message in capsys.readouterr().err

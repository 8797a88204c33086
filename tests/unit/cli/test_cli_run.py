"""`simharness run`: what it prints, writes and exits with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simharness.cli import main

GOOD = 'scenario: {name}\nmodel: ["Hi ", "there."]\nrun: [{{prompt: go}}]\n'
TOOL = """scenario: one-tool
tags: [tools]
model: [[{call: search}], ["Done."]]
tools: {search: {returns: "3 hits", takes: 1s}}
run: [{prompt: go}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three scenarios in two areas, as the working directory."""
    for area, name in (("text", "plain"), ("text", "other")):
        (tmp_path / area).mkdir(exist_ok=True)
        (tmp_path / area / f"{name}.sim.yaml").write_text(GOOD.format(name=name))
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "one-tool.sim.yaml").write_text(TOOL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_suite_that_holds_prints_its_areas_and_exits_with_0(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table has a line per folder and a total; the last line sums up."""
    assert 0 == main(["run", ".", "--agent", "tests.loops:good"])

    out, err = capsys.readouterr()
    assert ["text", "2", "2"] == next(line for line in out.splitlines() if "text" in line).split()[
        :3
    ]
    assert "3 cases: 3 holds" in out.splitlines()[-1]
    assert "agent loop 1.0" in out
    assert "" == err


def test_a_violation_is_explained_and_exits_with_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rule, sentence, interleaving and a replay line that works are all there."""
    assert 1 == main(["run", "tools", "--agent", "tests.loops:forgetful", "--budget", "5"])

    out = capsys.readouterr().out
    assert "FAILED tool-pairing (one-tool, agent loop): " in out
    assert "The rule: Every tool call" in out
    assert "In the default order" in out
    assert "<--" in out
    replay = next(line for line in out.splitlines() if line.startswith("Replay: simharness "))
    assert 1 == main(replay.removeprefix("Replay: simharness ").split())
    assert capsys.readouterr().out.startswith("EXACT one-tool, agent loop 1.0\n")


def test_json_on_standard_output_stands_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With `--json -` standard output is one JSON document of format 1."""
    assert 1 == main(["run", "tools", "--agent", "tests.loops:forgetful", "--json", "-"])

    report = json.loads(capsys.readouterr().out)
    (case,) = report["cases"]
    assert (1, "strict", "loop") == (report["format"], report["mode"], report["agent"]["name"])
    assert (1, 1) == (report["summary"]["cases"], report["summary"]["violated"])
    assert ("one-tool", 1, "violated") == (case["id"], case["line"], case["verdict"])
    assert "violated" == report["rules"]["tool-pairing"]
    assert "holds" == report["rules"]["settles"]
    assert report["rules"]["delivered-prefix-kept"].startswith("not applicable: the contract")
    pairing = next(v for v in case["violations"] if v["rule"] == "tool-pairing")
    assert pairing["replay"].startswith("sh1:")
    assert any(row.get("evidence") for row in pairing["timeline"])
    assert {"seconds"} == set(report["timing"])


def test_equal_runs_give_equal_bytes_except_for_timing(folder: Path) -> None:
    """Two runs of the same input differ in nothing but the wall clock."""
    texts = []
    for name in ("one.json", "two.json"):
        main(["run", ".", "--agent", "tests.loops:forgetful", "--json", name, "--budget", "9"])
        report = json.loads(Path(name).read_text())
        del report["timing"]
        texts.append(json.dumps(report))

    assert texts[0] == texts[1]


def test_out_writes_the_set_of_reports(folder: Path) -> None:
    """The folder is made and holds the report for people and the one for machines."""
    main(["run", ".", "--agent", "tests.loops:good", "--out", "reports/latest", "-q"])

    assert {"report.html", "report.json", "report.txt", "report.md", "junit.xml"} == {
        p.name for p in Path("reports/latest").iterdir()
    }
    assert "HOLDS plain: " in Path("reports/latest/report.txt").read_text()


def test_quiet_prints_the_summary_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing failed, so one line is all there is to say."""
    main(["run", ".", "--agent", "tests.loops:good", "--quiet"])

    assert 1 == len(capsys.readouterr().out.splitlines())


def test_cases_are_chosen_by_name_tag_and_id(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """-k takes words with and, or, not; --tag takes tags; FILE::CASE one case."""
    agent = ["--agent", "tests.loops:good", "-q"]
    for words in (["-k", "not (plain or other)"], ["--tag", "tools"], ["-k", "one and TOOL"]):
        assert 0 == main(["run", ".", *words, *agent])
        assert "1 case: 1 holds" in capsys.readouterr().out
    assert 0 == main(["run", "text/plain.sim.yaml::plain", *agent])
    assert "1 case: 1 holds" in capsys.readouterr().out


def test_strict_coverage_exits_with_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What never happened is listed, and fails only if that was asked for."""
    Path("late.sim.yaml").write_text(
        'scenario: late\nmodel: ["Hi."]\nrun: [{prompt: go}, {cancel: {after: MessageEnd 9}}]\n'
    )
    agent = ["--agent", "tests.loops:good"]

    assert 0 == main(["run", "late.sim.yaml", *agent])
    assert "NOT EXERCISED late (late.sim.yaml:1:1): " in capsys.readouterr().out
    assert 2 == main(["run", "late.sim.yaml", *agent, "--strict-coverage"])


def test_silent_rules_are_named_with_the_reason(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rule that nothing gave an occasion proves nothing, and the table says why on request."""
    main(["run", ".", "--agent", "tests.loops:good"])
    out = capsys.readouterr().out
    assert "rules had nothing to judge here" in out
    assert "rules cannot judge this agent" in out
    assert "the contract does not say: " not in out

    main(["run", ".", "--agent", "tests.loops:good", "--verbose"])
    out = capsys.readouterr().out
    assert "never had an occasion" in out
    assert "the contract does not say: " in out


def test_all_mistakes_of_all_files_are_shown_at_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two broken files give one list with file, line and column, and exit code 3."""
    for name in ("a", "b"):
        Path(f"{name}.sim.yaml").write_text(
            f"scenario: {name}\nmodle: [hi]\nrun: [{{prompt: go}}]\n"
        )

    assert 3 == main(["run", ".", "--agent", "tests.loops:good"])
    out, err = capsys.readouterr()
    assert "" == out
    assert "a.sim.yaml:2:1: error" in err
    assert "b.sim.yaml:2:1: error" in err


def test_pins_show_what_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pinned timeline is compared in later runs; a change exits with 2 until it is renewed."""
    command = ["run", "tools", "-q", "--budget", "1", "--agent"]
    assert 0 == main([*command, "tests.loops:good", "--pin"])
    pinned = Path("tools/one-tool.tests.loops-good.pins")
    assert "== one-tool\n@0.000000\n0 r1 PromptCalled" in pinned.read_text()
    assert 0 == main([*command, "tests.loops:good"])

    pinned.write_text(pinned.read_text().replace("3 hits", "2 hits"))
    capsys.readouterr()
    assert 2 == main([*command, "tests.loops:good"])
    out = capsys.readouterr().out
    assert "CHANGED one-tool" in out
    assert any(line.startswith("+") and "3 hits" in line for line in out.splitlines())
    assert 0 == main([*command, "tests.loops:good", "--update"])
    assert 0 == main([*command, "tests.loops:good"])

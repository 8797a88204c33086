"""`run --explain`: one case as text, stage by stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from simharness.cli import main

TEXT = """scenario: stop
about: A cancel somewhere.
model: ["One. ", "Two."]
run: [{prompt: go}, {cancel: {anywhere: true, way: {each: [task]}}}]
"""
TOOL = """scenario: one-tool
model: [[{call: search}], ["Done."]]
tools: {search: {returns: "3 hits"}}
run: [{prompt: go}]
"""
RUN = ["run", "--budget", "9", "--agent"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with two scenarios, as the working directory."""
    (tmp_path / "stop.sim.yaml").write_text(TEXT)
    (tmp_path / "one-tool.sim.yaml").write_text(TOOL)
    monkeypatch.chdir(tmp_path)


def explained(stage: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What is printed of the case that holds."""
    assert 0 == main([*RUN, "reference", "stop.sim.yaml", "--explain", stage])
    return capsys.readouterr().out.splitlines()


def test_the_scenario_has_its_matrix_values_fixed(capsys: pytest.CaptureFixture[str]) -> None:
    """Where it stands, then a file that could be run."""
    head, *lines = explained("scenario", capsys)
    Path("again.sim.yaml").write_text("\n".join(lines))

    assert "# stop[way=task], from stop.sim.yaml:1:1" == head
    assert "case: {way: task}" in lines
    assert 0 == main([*RUN, "reference", "again.sim.yaml", "-q"])


def test_the_schedule_has_a_line_for_each_choice_point(capsys: pytest.CaptureFixture[str]) -> None:
    """What was taken, what else there was, and at which record of the trace."""
    head, first, *_ = explained("schedule", capsys)

    assert head.startswith("strict, ")
    assert head.endswith(" choice points, no deviation from the default order")
    assert "  point 0 (record 7): chunk 1 of request 1; not cancel anywhere" == first


def test_the_trace_is_what_replay_codes_compare(capsys: pytest.CaptureFixture[str]) -> None:
    """Every record in a line, the time where it moves, the hash at the end."""
    lines = explained("trace", capsys)

    assert ["@0.000000", "0 r1 PromptCalled text='go' session=''"] == lines[:2]
    assert lines[-1].startswith("hash ")


def test_the_verdict_of_a_case_that_holds(capsys: pytest.CaptureFixture[str]) -> None:
    """How far it was searched, the lanes, what was kept."""
    lines = explained("verdict", capsys)

    assert "HOLDS stop[way=task], agent reference 1" == lines[0]
    assert any("time  user" in line for line in lines)
    assert any(line.startswith("kept: settles: ") for line in lines)


def test_a_failure_is_explained_by_its_smallest_trial(capsys: pytest.CaptureFixture[str]) -> None:
    """All stages under their names, the exit code of the check, nothing kept for later."""
    assert 1 == main([*RUN, "tests.loops:forgetful", "one-tool.sim.yaml", "--explain", "all"])
    out = capsys.readouterr().out

    heads = [line for line in out.splitlines() if line.startswith("== ")]
    assert ["== SCENARIO", "== SCHEDULE", "== TRACE", "== VERDICT"] == heads
    assert "VIOLATED one-tool, agent loop 1.0" in out
    assert "FAILED tool-pairing (one-tool, agent loop 1.0): " in out
    assert "broken: tool-pairing: Every tool call" in out
    assert {"one-tool.sim.yaml", "stop.sim.yaml"} == {path.name for path in Path().iterdir()}


def test_only_one_case_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """The message says how to choose one."""
    assert 3 == main([*RUN, "reference", ".", "--explain", "trace"])
    err = capsys.readouterr().err

    assert "--explain shows one case, and these are 2: one-tool, stop[way=task]" in err
    assert "FILE::CASE" in err


def test_the_option_offers_every_stage() -> None:
    """`--help` must not import what prints them, so the words stand in two places."""
    from simharness.cli.explaining import explain_option
    from simharness.report.explained import Stage

    command = explain_option(lambda: None)

    assert tuple(Stage) == tuple(command.__click_params__[0].type.choices)  # type: ignore[attr-defined]

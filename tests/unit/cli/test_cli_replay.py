"""`simharness replay`: exact, drifted, no longer fails; and what is not as recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs
import pytest

from simharness.campaign.budget import Plan
from simharness.check import check_case
from simharness.cli import main
from simharness.replay.code import ReplayCode
from simharness.scenario.load import load_text
from tests import loops

if TYPE_CHECKING:
    from pathlib import Path

TOOL = """scenario: one-tool
model: [[{call: search}], ["Done."]]
tools: {search: {returns: "3 hits", takes: 1s}}
run: [{prompt: go}]
"""


@pytest.fixture
def code() -> ReplayCode:
    """The code of a real violation, its scenario inside."""
    (case,) = load_text(TOOL).cases
    result = check_case(case, loops.forgetful, Plan(budget=1), agent="tests.loops:forgetful")
    return ReplayCode.decode(result.findings[0].replay)


def test_a_code_that_still_fails_is_exact(
    code: ReplayCode, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same trace again: exit code 1, the broken rule, the interleaving, nothing changed."""
    assert 1 == main(["replay", code.encode()])

    out = capsys.readouterr().out
    assert out.startswith("EXACT one-tool, agent loop 1.0\nFAILED ")
    assert "prompt" in out
    assert "Not as recorded" not in out


def test_a_fixed_agent_no_longer_fails(
    code: ReplayCode, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 0, whether or not the trace is the same."""
    assert 0 == main(["replay", code.encode(), "--agent", "tests.loops:good"])
    assert capsys.readouterr().out.startswith("NO LONGER FAILS one-tool")


def test_a_trial_that_fails_another_way_has_drifted(
    code: ReplayCode, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and the message says where it left the recorded one."""
    assert 2 == main(["replay", code.encode(), "--agent", "tests.loops:moody"])

    out = capsys.readouterr().out
    assert out.startswith("DRIFTED one-tool")
    assert "The trial drifted on the default schedule." in out


def test_what_is_not_as_recorded_is_said(
    code: ReplayCode, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another scenario text, agent version or Python: each is one line."""
    file = tmp_path / "one-tool.sim.yaml"
    file.write_text(TOOL.replace("3 hits", "4 hits"))
    old = attrs.evolve(code, source=None, agent_version="0.9", python="3.9")

    assert 2 == main(["replay", old.encode(), str(file)])
    out = capsys.readouterr().out
    assert "Not as recorded: scenario text: recorded" in out
    assert "Not as recorded: agent version: recorded 0.9, now 1.0" in out
    assert "Not as recorded: Python: recorded 3.9, now" in out


def test_a_case_that_is_nowhere_is_named(
    code: ReplayCode, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without its file a code cannot run: the message says which case, and what is near."""
    (tmp_path / "x.sim.yaml").write_text(TOOL.replace("one-tool", "one-tool-2"))

    assert 3 == main(["replay", attrs.evolve(code, source=None).encode(), str(tmp_path)])
    err = capsys.readouterr().err
    assert 'the case "one-tool"' in err
    assert 'did you mean "one-tool-2"?' in err


def test_every_code_of_a_report_is_replayed(
    code: ReplayCode, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file may hold any text; its codes are replayed once each, and the worst result counts."""
    fixed = attrs.evolve(code, agent="tests.loops:good").encode()
    report = tmp_path / "report.txt"
    report.write_text(f"Replay: {code.encode()}\nagain {code.encode()}, and {fixed}.\n")

    assert 1 == main(["replay", str(report), "--json", "-"])
    replays = json.loads(capsys.readouterr().out)["replays"]
    assert ["exact", "no longer fails"] == [replay["result"] for replay in replays]
    assert code.encode() == replays[0]["replay"]
    assert replays[0]["timeline"]


def test_an_agent_that_cannot_do_it_is_told_so(
    code: ReplayCode, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not a failure and not a traceback, but bad input."""
    assert 3 == main(["replay", code.encode(), "--agent", "tests.loops:unable"])
    assert "cannot do what this trial needs: no such feature" in capsys.readouterr().err

"""Replay after a change of the program: exact or drifted, and never silently gone."""

from __future__ import annotations

import pytest

from simharness import agents
from simharness.campaign.codes import Codes
from simharness.campaign.reproduce import rerun
from simharness.campaign.results import Example, Finding
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.replay.code import ReplayCode
from simharness.scenario.load import load_text
from simharness.scenario.model import Case
from simharness.search import Sweep, explore
from simharness.verdict import ExitCode
from simharness.world.run import batch
from tests import loops

SCENARIO = """scenario: stop-anywhere
model: [["Let ", "me ", {call: search}], ["Done."]]
tools: {search: {returns: "3 hits", takes: 1s}}
run: [{prompt: go}, {cancel: {anywhere: true, way: task}}]
"""


def case() -> Case:
    """The scenario in which the search places a cancel."""
    (one,) = load_text(SCENARIO).cases
    return one


def codes() -> list[ReplayCode]:
    """A code for each place of the cancel at which the leaving loop works on after it."""
    bench = Bench(case(), loops.leaving)
    with batch():
        failing = [v for v in explore(bench.trial, Sweep(), 200) if v.violations and v.schedule]
    written = [
        Codes("tests.loops:leaving", "strict", 0).write(
            Finding(v.violations[0].rule, "", 1, Example(case(), v, v.violations[0])), bench.agent
        )
        for v in failing
    ]
    return [ReplayCode.decode(finding.replay) for finding in written]


def test_the_same_program_replays_exactly() -> None:
    """Every failing place of the cancel gives its trace again."""
    done = [rerun(code, case(), loops.leaving) for code in codes()]

    assert len(done) > 1
    assert {("exact", ExitCode.BROKEN)} == {(one.result, one.exit_code) for one in done}


@pytest.mark.parametrize("beats", [0, 1, 3])
def test_an_unrelated_task_makes_a_replay_drift_and_never_pass(
    beats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task adds points, so the cancel meets another moment: the failure is found beside it."""
    monkeypatch.setattr(loops.Beating, "beats", beats)
    done = [rerun(code, case(), loops.beating) for code in codes()]

    assert {"exact", "drifted"} >= {one.result for one in done}
    assert ExitCode.HOLDS not in {one.exit_code for one in done}
    assert all("drifted" in str(one.match) for one in done if one.result == "drifted")


def test_some_replays_fail_only_at_a_moved_point() -> None:
    """Without looking beside the recorded points they would have passed."""
    done = [rerun(code, case(), loops.beating) for code in codes()]
    bench = Bench(case(), loops.beating)
    with batch():
        plain = [bench.trial(ScheduleChooser(one.code.schedule)) for one in done if one.moved]

    assert len(plain) > 0
    assert [()] * len(plain) == [verdict.violations for verdict in plain]


def test_a_repaired_program_no_longer_fails_anywhere_near() -> None:
    """It holds at the recorded points and at ten places around them, which the result says."""
    done = [rerun(code, case(), agents.find("reference")) for code in codes()]

    assert {("no longer fails", ExitCode.HOLDS)} == {(one.result, one.exit_code) for one in done}
    assert {10} == {one.looked for one in done}

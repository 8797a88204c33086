"""Campaigns in worker processes: the same results, and what is known of a death."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from simharness.agents import find
from simharness.campaign.budget import Plan
from simharness.campaign.reproduce import rerun
from simharness.campaign.sweeper import sweep
from simharness.check import check_suite
from simharness.cli import main
from simharness.isolate import Fleet, Isolation, Setup, UnusableError
from simharness.replay.code import ReplayCode
from simharness.scenario.load import load_text
from simharness.verdict import CaseVerdict
from simharness.world.run import batch
from tests import loops
from tests.misbehaving import agents
from tests.misbehaving.campaigns import PLAN, WALL_S, case, outline, path, setup

TOOL = """
scenario: one-tool
model: [[{call: search}], ["Done."]]
tools: {search: {returns: "3 hits", takes: 1s}}
for_each: {way: [task, break, close]}
run: [{prompt: go}, {cancel: {anywhere: true, way: $way}}]
"""
CANCELLED = case("cancelled", "{prompt: go}", "{cancel: {anywhere: true, way: task}}")


@pytest.mark.parametrize(
    "plan", [Plan(budget=9), Plan(budget=9, total=11), Plan(strategy="random", budget=5, seed=3)]
)
@pytest.mark.parametrize("fail_fast", [False, True])
def test_results_and_their_order_do_not_depend_on_workers(plan: Plan, fail_fast: bool) -> None:
    """One process or two: each case, and what was left out, is reported the same."""
    cases = [*load_text(TOOL).cases, CANCELLED]
    name = "tests.loops:forgetful"
    here = check_suite(cases, loops.forgetful, plan, agent=name, fail_fast=fail_fast)
    with Fleet(attrs.evolve(setup(agents.Behaves, jobs=2), agent=name)) as fleet:
        there = check_suite(cases, loops.forgetful, plan, fail_fast=fail_fast, checker=fleet)

    assert list(map(outline, here.results)) == list(map(outline, there.results))
    assert here.skipped == there.skipped


def test_a_death_keeps_what_was_found_before_it_and_its_schedule() -> None:
    """The default trial holds, the first cancel kills: both are in the result, the latter exact."""
    with Fleet(setup(agents.DiesOnCancel)) as fleet:
        result = fleet.check(CANCELLED, PLAN)
        (found,) = result.findings
        again = fleet.rerun(ReplayCode.decode(found.replay), CANCELLED)

    assert "Run 1 does not settle: process-death (exit code 6)." == found.message
    assert (2, 2) == (result.trials, result.interleavings)
    assert 1 == len(found.example.schedule)
    assert () == result.not_exercised
    assert found.replayed
    assert found.replay_words.endswith(" --isolate")
    assert ("exact", ()) == (again.result, again.changed)


def test_a_death_in_the_plain_half_of_a_trial_is_told_alone() -> None:
    """The trial is run streamed and plain; what is shown is the half that ended the process."""
    with Fleet(setup(agents.DiesPlain)) as fleet:
        result = fleet.check(case("plain", "{prompt: go}"), PLAN)
        (found,) = result.findings
        again = fleet.rerun(ReplayCode.decode(found.replay), result.case)

    assert "Run 1 does not settle: process-death (exit code 8)." == found.message
    assert (1, True) == (result.trials, found.replayed)
    trace = found.example.verdict.trace
    assert trace is not None
    assert ["PromptCalled", "LimitHit"] == [type(record).__name__ for record in trace]
    assert "exact" == again.result


def test_an_agent_that_dies_while_it_is_made_is_an_error() -> None:
    """There is no agent to judge; the text says how the process ended."""
    with Fleet(setup(agents.DiesAtBirth)) as fleet:
        result = fleet.check(CANCELLED, PLAN)

    assert CaseVerdict.ERROR is result.verdict
    assert "while it was made (process-death: exit code 4)" in result.reason


def test_a_sweep_goes_on_behind_every_death() -> None:
    """A case that kills its worker is violated, the others are swept as ever."""
    plan = Plan(budget=3, total=8)
    agent = path(agents.DiesOnCancel)
    with Fleet(setup(agents.DiesOnCancel, jobs=2)) as fleet:
        deadly = sweep(agents.Behaves, plan, agent=agent, checker=fleet, play=fleet.play)
    good = sweep(agents.Behaves, plan, agent=agent)

    dead = {r.case.id for r in deadly.results for f in r.findings if "exit code 6" in f.message}
    assert 1 <= len(dead) < len(deadly.results)
    assert [r.case.id for r in good.results] == [r.case.id for r in deadly.results]
    assert [outline(result) for result in good.results if result.case.id not in dead] == [
        outline(result) for result in deadly.results if result.case.id not in dead
    ]


def test_workers_are_gone_when_the_campaign_is() -> None:
    """Also one that is busy with something it would never finish."""
    patient = attrs.evolve(setup(agents.SpinsInC), isolation=Isolation(wall_s=600.0))
    fleet = Fleet(patient)
    with fleet:
        fleet.expect([case("bad", "{prompt: misbehave}")], PLAN)
        fleet.check(case("good", "{prompt: go}"), PLAN)
        running = [worker._process for worker in fleet._pool._workers]
        assert [None] == [process.poll() for process in running]

    assert [-9] == [process.returncode for process in running]


def test_an_agent_that_cannot_be_loaded_says_so() -> None:
    """With the text that its own loader gives."""
    broken = Setup(find, "tests.misbehaving.agents:Missing", known=(LookupError,))
    with Fleet(broken) as fleet, pytest.raises(UnusableError, match="has no 'Missing'"):
        fleet.check(CANCELLED, PLAN)


def test_a_replay_in_process_agrees_with_one_in_a_worker() -> None:
    """A spinning agent is ended in its own process, so its code replays anywhere."""
    bad = case("bad", "{prompt: misbehave}")
    with Fleet(setup(agents.Spins)) as fleet:
        (found,) = fleet.check(bad, PLAN).findings
    with batch(wall_s=WALL_S):
        again = rerun(ReplayCode.decode(found.replay), bad, agents.Spins)

    assert not found.replay_words.endswith("--isolate")
    assert ("exact", ()) == (again.result, again.changed)


def test_the_command_survives_prints_nothing_of_the_agent_and_exits_with_1(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`run --isolate` reports the death; its replay line replays it."""
    monkeypatch.chdir(tmp_path)
    text = 'scenario: s\nmodel: ["Hi."]\nrun: [{prompt: misbehave}]\n'
    Path("s.sim.yaml").write_text(text)

    assert 1 == main(["run", "s.sim.yaml", "--isolate", "--agent", "tests.misbehaving.agents:Dies"])
    out, err = capfd.readouterr()
    assert "does not settle: process-death (exit code 5)" in out
    assert "" == err
    replay = next(line for line in out.splitlines() if line.startswith("Replay: simharness "))
    assert 1 == main(replay.removeprefix("Replay: simharness ").split())
    assert capfd.readouterr().out.startswith("EXACT s, agent behaves 1.0\n")

    agent = ["--agent", "tests.misbehaving.agents:Writes"]
    assert 0 == main(["run", "s.sim.yaml", "-q", "--isolate", *agent])
    assert "written past" not in capfd.readouterr().out
    assert 3 == main(["run", "s.sim.yaml", "--jobs", "1", "--agent", "tests.loops:missing"])
    assert "has no 'missing'" in capfd.readouterr().err


def test_the_command_ends_although_a_thread_goes_on(tmp_path: Path) -> None:
    """Python would wait for a thread that an agent has left; the command does not."""
    file = tmp_path / "s.sim.yaml"
    file.write_text('scenario: s\nmodel: ["Hi."]\nrun: [{prompt: misbehave}]\n')
    agent = "tests.misbehaving.agents:StartsThread"
    command = [sys.executable, "-m", "simharness", "run", str(file), "--agent", agent]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    assert (1, "") == (done.returncode, done.stderr)
    assert "leaked-thread: worker" in done.stdout

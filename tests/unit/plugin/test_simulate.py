"""The `simulate` fixture and the function behind it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from simharness.scenario.problems import ScenarioError
from simharness.testing import simulate
from tests.loops import forgetful, good, unable
from tests.unit.plugin import scenarios

if TYPE_CHECKING:
    from pathlib import Path


def test_a_scenario_that_holds_gives_its_result() -> None:
    """So that a test can look at it further."""
    done = simulate(good, scenarios.TOOL)

    assert ["holds"] == [result.verdict for result in done.results]
    assert done.total("trials") > 1


def test_a_broken_rule_is_an_assertion_error_with_the_text() -> None:
    """It names the factory, so that the replay line finds it."""
    with pytest.raises(AssertionError, match=r"FAILED tool-pairing \(one-tool, agent loop\)"):
        simulate(forgetful, scenarios.TOOL)


def test_a_local_factory_has_no_name_to_replay_by() -> None:
    """The text says what to do about it."""
    with pytest.raises(AssertionError, match="To replay, name the factory: --agent "):
        simulate(lambda world: forgetful(world), scenarios.TOOL)


def test_a_file_is_named_in_the_text(tmp_path: Path) -> None:
    """By path and line."""
    file = tmp_path / "tool.sim.yaml"
    file.write_text(scenarios.TOOL)

    with pytest.raises(AssertionError, match=rf"scenario {file}:2:1"):
        simulate("tests.loops:forgetful", file)


def test_what_the_agent_cannot_play_fails() -> None:
    """A test that ran nothing proves nothing."""
    with pytest.raises(AssertionError, match=r"NOT APPLICABLE plain \(.*\): no such feature"):
        simulate(unable, scenarios.HOLDS)


def test_what_never_happened_fails_unless_told_otherwise() -> None:
    """`strict_coverage` decides."""
    with pytest.raises(AssertionError, match=r"NOT EXERCISED missed \(.*\): run.1. cancel"):
        simulate(good, scenarios.MISSED)

    done = simulate(good, scenarios.MISSED, strict_coverage=False)
    assert ["not-exercised"] == [result.verdict for result in done.results]


def test_options_reach_the_search() -> None:
    """Budget, strategy and bound as on the command line."""
    done = simulate(good, scenarios.TOOL, budget=3, strategy="bounded", bound=1)

    assert 3 == done.total("trials")


def test_a_mistake_in_the_scenario_is_shown_with_its_place() -> None:
    """It is the test that is wrong, not the agent."""
    with pytest.raises(ScenarioError, match=r"<text>:2:1: error: .*did you mean \"model\""):
        simulate(good, scenarios.HOLDS.replace("model", "modle"))


def test_within_a_running_event_loop_it_says_what_to_do() -> None:
    """A world within a world would break the outer one."""

    async def wrong() -> None:
        simulate(good, scenarios.HOLDS)

    with pytest.raises(RuntimeError, match="call it from a test that is a plain `def`"):
        asyncio.run(wrong())


def test_the_fixture_runs_text_and_files_beside_the_test(pytester: pytest.Pytester) -> None:
    """A relative path starts at the folder of the test, wherever pytest was started."""
    folder = pytester.mkdir("below")
    (folder / "tool.sim.txt").write_text(scenarios.TOOL)
    (folder / "test_it.py").write_text(
        f"""
from pathlib import Path
from tests.loops import good, forgetful

def test_text(simulate):
    assert 1 == len(simulate(good, {scenarios.HOLDS!r}).results)

def test_file(simulate):
    simulate(good, "tool.sim.txt")
    simulate(good, Path("tool.sim.txt"))

def test_budget(simulate):
    assert 2 == simulate(good, "tool.sim.txt").total("trials")

def test_fails(simulate):
    simulate(forgetful, "tool.sim.txt")
"""
    )

    result = pytester.runpytest("-W", "error", "-p", "no:asyncio", "--sim-budget=2")

    assert {"passed": 3, "failed": 1} == result.parseoutcomes()
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: FAILED * (one-tool, agent loop)*",
            "*scenario below/tool.sim.txt:2:1*",
            "*Replay: simharness replay sh1:* below/tool.sim.txt",
        ]
    )

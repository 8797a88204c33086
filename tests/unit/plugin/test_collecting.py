"""Scenario files as tests: what is collected, what a verdict becomes, what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import junitparser
import pytest

from simharness.cli import main
from tests.unit.plugin import scenarios

if TYPE_CHECKING:
    from pathlib import Path


def write(pytester: pytest.Pytester, **texts: str) -> None:
    """Write `<name>.sim.yaml` files into the folder of the session under test."""
    for name, text in texts.items():
        (pytester.path / f"{name}.sim.yaml").write_text(text, encoding="utf-8")


def run(
    pytester: pytest.Pytester, *options: str, agent: str = "tests.loops:good"
) -> pytest.RunResult:
    """Run a session, warnings as errors, against a tiny loop."""
    quiet = [word for plugin in ("asyncio", "randomly") for word in ("-p", f"no:{plugin}")]
    return pytester.runpytest("-W", "error", *quiet, f"--sim-agent={agent}", *options)


def test_each_case_is_a_test_of_its_own(pytester: pytest.Pytester) -> None:
    """Node ids are the file and the case id, brackets included."""
    write(pytester, matrix=scenarios.MATRIX, plain=scenarios.HOLDS)

    result = run(pytester, "--collect-only", "-q")

    assert [
        "matrix.sim.yaml::matrix[model=Hi]",
        "matrix.sim.yaml::matrix[model=Ho]",
        "plain.sim.yaml::plain",
    ] == [line for line in result.outlines if "::" in line]


def test_one_case_can_be_run_by_its_node_id(pytester: pytest.Pytester) -> None:
    """As for any other test."""
    write(pytester, matrix=scenarios.MATRIX)

    run(pytester, "matrix.sim.yaml::matrix[model=Ho]").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("text", "agent", "outcome"),
    [
        (scenarios.HOLDS, "tests.loops:good", "passed"),
        (scenarios.TOOL, "tests.loops:forgetful", "failed"),
        (scenarios.PINNED, "tests.loops:good", "passed"),
        (scenarios.WAIVED, "tests.loops:forgetful", "passed"),
        (scenarios.HOLDS, "tests.loops:broken", "failed"),
        (scenarios.HOLDS, "tests.loops:unable", "skipped"),
        (scenarios.SETTING, "tests.loops:picky", "skipped"),
        (scenarios.MISSED, "tests.loops:good", "skipped"),
    ],
    ids=["holds", "violated", "pinned", "waived", "error", "unable", "setting", "missed"],
)
def test_a_verdict_becomes_an_outcome(
    pytester: pytest.Pytester, text: str, agent: str, outcome: str
) -> None:
    """What was not run, or never happened, is never a pass."""
    write(pytester, case=text)

    assert {outcome: 1} == run(pytester, agent=agent).parseoutcomes()


def test_an_expected_violation_passes_for_the_reference(pytester: pytest.Pytester) -> None:
    """A pin that is out of date fails instead, with what it says."""
    write(pytester, case=scenarios.PINNED)

    result = run(pytester, agent="reference")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the scenario says that tool-pairing is violated*"])


def test_a_failure_shows_the_text_of_the_command_line(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rule, sentence, lanes and replay line, word for word."""
    write(pytester, case=scenarios.TOOL)
    main(["run", "case.sim.yaml", "--agent", "tests.loops:forgetful", "--quiet"])
    printed = capsys.readouterr().out.split("\n\n1 case")[0].splitlines()

    shown = run(pytester, agent="tests.loops:forgetful").outlines

    assert len(printed) > 10
    assert printed == shown[shown.index(printed[0]) :][: len(printed)]
    assert printed[-1].startswith("Replay: simharness replay sh1:")


def test_the_replay_line_of_a_failure_works(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is to be typed where pytest was started."""
    write(pytester, case=scenarios.TOOL)
    shown = run(pytester, agent="tests.loops:forgetful").outlines
    replay = next(line for line in shown if line.startswith("Replay: simharness "))

    assert 1 == main(replay.removeprefix("Replay: simharness ").split())
    assert "exact" in capsys.readouterr().out


def test_a_mistake_in_a_scenario_is_an_error_of_collection(pytester: pytest.Pytester) -> None:
    """With line, column, the line itself and a caret; the other files are still collected."""
    write(pytester, bad=scenarios.HOLDS.replace("model", "modle"), good=scenarios.HOLDS)

    result = run(pytester, "--continue-on-collection-errors")

    assert {"passed": 1, "errors": 1} == result.parseoutcomes()
    result.stdout.fnmatch_lines(
        ['bad.sim.yaml:2:1: error: *"modle"*did you mean "model"?*', "    modle: *", "    ^"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--sim-agent=refrence", "unknown agent 'refrence'; did you mean 'reference'?*"),
        ("--sim-agent=nowhere:make", "*there is no module 'nowhere'*"),
        ("--sim-budget=huge", '"huge" is no budget*'),
    ],
)
def test_a_mistake_in_an_option_is_one_clear_error(
    pytester: pytest.Pytester, option: str, message: str
) -> None:
    """Without a stack."""
    write(pytester, case=scenarios.HOLDS)

    result = run(pytester, option)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_skip_stands_at_the_scenario_and_says_why(pytester: pytest.Pytester) -> None:
    """Not at a line of the plugin."""
    write(pytester, setting=scenarios.SETTING, missed=scenarios.MISSED)

    run(pytester, "-rs").stdout.fnmatch_lines_random(
        [
            "SKIPPED * setting.sim.yaml:2: not applicable: loop cannot set turn_limit",
            "SKIPPED * missed.sim.yaml:1: not exercised: *",
        ]
    )


def test_under_strict_coverage_what_never_happened_fails(pytester: pytest.Pytester) -> None:
    """The reason is the same."""
    write(pytester, missed=scenarios.MISSED)

    result = run(pytester, "--sim-strict-coverage")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["missed (missed.sim.yaml:1:1): not exercised: *"])


def test_agent_and_budget_can_stand_in_the_ini_file(pytester: pytest.Pytester) -> None:
    """Options outrank them; the session says what it took."""
    pytester.makeini("[pytest]\nsim_agent = tests.loops:forgetful\nsim_budget = quick\n")
    write(pytester, case=scenarios.TOOL)

    plain = pytester.runpytest("-p", "no:asyncio")
    plain.assert_outcomes(failed=1)
    plain.stdout.fnmatch_lines(
        ["simharness: 1 case, agent tests.loops:forgetful, 4 trials per case"]
    )
    given = run(pytester, "--sim-budget=7")
    given.assert_outcomes(passed=1)
    given.stdout.fnmatch_lines(["simharness: 1 case, agent tests.loops:good, 7 trials per case"])


def test_a_session_without_scenarios_hears_nothing_of_us(pytester: pytest.Pytester) -> None:
    """Not a word, and not an import beyond the plugin."""
    pytester.makepyfile(
        """
        import sys
        def test_imports():
            assert [] == [name for name in sys.modules if name.startswith("simharness.")
                          and name != "simharness.pytest_plugin"]
        """
    )

    result = pytester.runpytest_subprocess("-p", "no:asyncio", "-p", "no:cacheprovider")

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*simharness:*")


def test_tags_are_keywords(pytester: pytest.Pytester) -> None:
    """`-k` selects by them."""
    write(pytester, tool=scenarios.TOOL, plain=scenarios.HOLDS)

    assert {"passed": 1, "deselected": 1} == run(pytester, "-k", "files").parseoutcomes()


def test_junit_carries_the_failure_text(pytester: pytest.Pytester, tmp_path: Path) -> None:
    """And what was run, as properties."""
    write(pytester, case=scenarios.TOOL)
    run(pytester, "--junitxml=out.xml", agent="tests.loops:forgetful")

    (suite,) = junitparser.JUnitXml.fromfile(str(pytester.path / "out.xml"))
    (case,) = suite

    (failure,) = case.result
    assert "FAILED tool-pairing (one-tool, agent loop): " in failure.text
    assert failure.message.splitlines()[0] in failure.text
    assert "Replay: simharness replay sh1:" in failure.text
    properties = {
        found.name: found.value
        for listed in case.iterchildren(junitparser.Properties)
        for found in listed
    }
    assert "violated" == properties["verdict"]
    assert int(properties["trials"]) > 1


def test_annotations_land_on_the_line_of_the_scenario(pytester: pytest.Pytester) -> None:
    """`reportinfo` is where tools look for the place of a test."""
    write(pytester, case=scenarios.TOOL)
    pytester.makeconftest(
        """
        def pytest_runtest_logreport(report):
            if report.when == "call":
                print("PLACE", report.location)
        """
    )

    run(pytester, "-s").stdout.fnmatch_lines(["*PLACE ('case.sim.yaml', 1, 'one-tool')*"])

"""The report for people: the table of areas, failures, the summary line."""

from __future__ import annotations

import attrs

from simharness.campaign.results import CaseResult, Example, Finding, Identity, SuiteResult
from simharness.choices import Kind, Option, Point
from simharness.report.text import areas, failure, failures, silent_rules, summary
from simharness.scenario.model import Case, Place
from simharness.trace import CancelCalled, PromptCalled, Trace
from simharness.verdict import CaseVerdict, Verdict, Violation

TWO = (Option("run", Kind.RUN, ""), Option("cancel", Kind.ANYWHERE, "user"))


def case(name: str, file: str = "scenarios/cancel/a.sim.yaml") -> Case:
    """A case in a file."""
    return Case(name, name, place=Place(file, 3))


def finding(name: str = "a") -> Finding:
    """A cancel by one deviation that breaks a rule."""
    trace = Trace()
    trace.add(PromptCalled("go"), time=0.0, run=1)
    trace.add(CancelCalled("api"), time=0.5, run=1)
    violation = Violation("settles", "Run 1 never settled.", (1,))
    course = (Point(TWO, 1, at=1),)
    verdict = Verdict((violation,), (), frozenset(), course, "h", "e", trace=trace)
    example = Example(case(name), verdict, violation)
    return Finding("settles", violation.message, 1200, example, "sh1:x")


def result(kind: CaseVerdict, name: str = "a", **more: object) -> CaseResult:
    """A case of the agent `loop`."""
    made = CaseResult(case(name), kind, Identity("loop", "1.0"), trials=1000)
    return attrs.evolve(made, **more)  # type: ignore[arg-type]


def test_a_failure_says_everything_that_a_log_reader_needs() -> None:
    """Rule, case, agent, what happened, what was demanded, how rare, the lanes, the replay line."""
    text = failure(finding(), "loop", {"settles": "Every run settles."})

    lines = text.splitlines()

    assert "FAILED settles (a, agent loop): Run 1 never settled." == lines[0]
    assert "The rule: Every run settles." == lines[1]
    away, seen, place = lines[2].split("; ")
    assert "1 deviation from the default order" == away
    assert "seen in 1,200 interleavings" == seen
    assert "scenario scenarios/cancel/a.sim.yaml:3:1" == place
    assert "* 0.500  cancel (api)" in text
    assert "Replay: simharness replay sh1:x" == lines[-1]


def test_a_failure_that_needs_its_file_names_it_behind_the_code() -> None:
    """The replay line works as it stands; a trial that is not the same twice says so."""
    shaky = attrs.evolve(finding(), file="bug.sim.yaml", replayed=False)
    text = failure(shaky, "loop", {})

    assert "\nReplay: simharness replay sh1:x bug.sim.yaml\n" in text
    assert "not deterministic" in text
    assert "The rule:" not in text


def test_areas_are_folders_and_unused_columns_are_left_out() -> None:
    """Three columns always stand there; waived, errors and so on only if there are any."""
    tools = attrs.evolve(result(CaseVerdict.WAIVED), case=case("b", "scenarios/tools/b.sim.yaml"))
    suite = SuiteResult((result(CaseVerdict.HOLDS), result(CaseVerdict.VIOLATED), tools))
    table = areas(suite).splitlines()

    assert "area cases holds violated not exercised waived trials" == " ".join(table[0].split())
    assert ["cancel", "2", "1", "1", "0", "0", "2,000"] == table[2].split()
    assert ["total", "3", "1", "1", "0", "1", "3,000"] == table[-1].split()


def test_errors_and_outdated_pins_are_failures_too() -> None:
    """A case that fails without a finding has a block too, behind those with one."""
    suite = SuiteResult(
        (
            result(CaseVerdict.ERROR, reason="adapter fault"),
            result(CaseVerdict.VIOLATED, reason="none of 3 explored schedules breaks settles"),
            result(CaseVerdict.VIOLATED, findings=(finding(),)),
        )
    )
    heads = [block.splitlines()[0] for block in failures(suite, {})]

    assert [
        "FAILED settles (a, agent loop): Run 1 never settled.",
        "ERROR a (scenarios/cancel/a.sim.yaml:3:1): adapter fault",
        "FAILED a (scenarios/cancel/a.sim.yaml:3:1): none of 3 explored schedules breaks settles",
    ] == heads


def test_the_summary_is_one_line() -> None:
    """How many cases ended how, what it took, who was tested, what was left out."""
    suite = SuiteResult((result(CaseVerdict.HOLDS), result(CaseVerdict.VIOLATED)), skipped=1)

    said = (
        "2 cases: 1 holds, 1 violated; 2,000 trials, 0 interleavings, 0 endings; "
        "1 case not run; agent loop 1.0; 1.2 s"
    )
    assert said == summary(suite, 1.25)


def test_silent_rules_are_a_table_only_if_there_are_any() -> None:
    """A rule that judged something is not in it."""
    suite = SuiteResult((result(CaseVerdict.HOLDS, occasions=frozenset({"settles"})),))
    table = silent_rules(suite, {"settles": "", "tool-pairing": "", "steer-latency": "no contract"})

    assert "settles" not in table
    assert table.endswith("no contract")
    assert ["tool-pairing", "steer-latency"] == [row.split()[0] for row in table.splitlines()[2:]]
    assert "" == silent_rules(suite, {"settles": ""})

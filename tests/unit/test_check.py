"""The flow: cases are searched and judged, and findings become the verdict of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents import find
from simharness.campaign.budget import Plan
from simharness.check import check_case, check_suite
from simharness.replay.code import ReplayCode
from simharness.scenario.load import load_text
from simharness.verdict import CaseVerdict, ExitCode
from tests import loops

if TYPE_CHECKING:
    from simharness.campaign.results import CaseResult
    from simharness.scenario.model import Case

TOOL = """
scenario: one-tool
model: [[{call: search}], ["Done."]]
tools: {search: {returns: "3 hits", takes: 1s}}
run: [{prompt: go}]
"""


def case(text: str = TOOL, *more: str) -> Case:
    """The only case of a scenario; `more` are further top-level lines."""
    (only,) = load_text("\n".join([text, *more])).cases
    return only


def checked(*more: str, agent: str = "forgetful", text: str = TOOL, budget: int = 20) -> CaseResult:
    """Check the scenario with one of the test loops."""
    return check_case(case(text, *more), getattr(loops, agent), Plan(budget=budget))


def test_a_good_loop_holds_and_the_search_says_how_far_it_got() -> None:
    """A case without a violation holds, with the bound up to which nothing was left out."""
    result = checked(agent="good")

    assert (CaseVerdict.HOLDS, ()) == (result.verdict, result.findings)
    assert 1 <= result.interleavings <= result.trials <= 20
    assert 1 == result.exhausted_to


def test_a_broken_rule_is_one_finding_with_the_smallest_example() -> None:
    """The same cause in many trials is one row with a count; the default schedule is smallest."""
    result = checked()
    pairing = [found for found in result.findings if found.rule == "tool-pairing"]

    assert CaseVerdict.VIOLATED == result.verdict
    assert 1 == len(pairing)
    assert pairing[0].count == result.interleavings
    assert () == pairing[0].example.schedule
    assert pairing[0].replayed


def test_a_replay_code_carries_a_case_that_stands_in_no_given_file() -> None:
    """Without a file that the reader has, the scenario travels inside the code."""
    travelling = checked().findings[0]
    given = check_case(case(), loops.forgetful, Plan(budget=5), given=frozenset({"<text>"}))

    assert case().source == ReplayCode.decode(travelling.replay).source
    assert ReplayCode.decode(given.findings[0].replay).source is None
    assert ("", "<text>") == (travelling.file, given.findings[0].file)


def test_a_pinned_violation_is_expected() -> None:
    """`violates` holds as soon as one schedule breaks the rule; other rules are still judged."""
    rules = {found.rule for found in checked().findings}
    result = checked("expect_for: any", "violates: tool-pairing")

    assert rules - {"tool-pairing"} == {found.rule for found in result.findings}
    assert ["tool-pairing"] == [found.rule for found in result.expected]


def test_a_pin_that_no_schedule_breaks_fails() -> None:
    """A fault that was fixed turns its pin red, so that it does not outlive the fault."""
    result = checked("expect_for: any", "violates: tool-pairing", agent="good")

    assert CaseVerdict.VIOLATED == result.verdict
    assert "tool-pairing" in result.reason


def test_a_pin_says_nothing_about_other_agents() -> None:
    """`violates` is about the reference loop unless the file says it is for any agent."""
    assert CaseVerdict.HOLDS == checked("violates: tool-pairing", agent="good").verdict


def test_a_waived_rule_does_not_fail_the_case() -> None:
    """Waived findings are kept apart; if nothing else is broken the case is waived."""
    rules = sorted({found.rule for found in checked().findings})
    waivers = ", ".join(f"{rule}: known" for rule in rules)
    result = checked(f"waive: {{{waivers}}}")

    assert CaseVerdict.WAIVED == result.verdict
    assert rules == sorted({found.rule for found in result.waived})


def test_what_was_written_and_never_happened_is_not_exercised() -> None:
    """An action whose anchor no trial reaches is never shown as a pass."""
    text = 'scenario: s\nmodel: ["Hi."]\nrun: [{prompt: go}, {cancel: {after: MessageEnd 9}}]\n'
    result = checked(agent="good", text=text)

    assert CaseVerdict.NOT_EXERCISED == result.verdict
    assert any("cancel" in key for key in result.not_exercised)


def test_a_needed_rule_without_occasion_is_not_exercised() -> None:
    """`needs` names a rule that must have had something to judge."""
    text = 'scenario: s\nmodel: ["Hi."]\nrun: [{prompt: go}]\nneeds: [no-tool-start-after-cancel]\n'

    assert ("needs no-tool-start-after-cancel",) == checked(agent="good", text=text).not_exercised


def test_expect_is_judged_for_the_reference_loop_only() -> None:
    """The same wrong expectation fails for the reference, and for others only if it says so."""
    wrong = "expect: {requests: 7}"
    reference = check_case(case(TOOL, wrong), find("reference"), Plan(budget=5))

    assert ["expect.requests"] == [found.rule for found in reference.findings]
    assert CaseVerdict.HOLDS == checked(wrong, agent="good").verdict
    assert CaseVerdict.VIOLATED == checked(wrong, "expect_for: any", agent="good").verdict


def test_what_an_agent_cannot_do_is_not_applicable() -> None:
    """Neither a missing feature nor a setting that cannot be applied is a failure."""
    settings = checked("agent: {turn_limit: 1}", agent="picky")
    feature = checked(agent="unable")

    assert [CaseVerdict.NOT_APPLICABLE] * 2 == [settings.verdict, feature.verdict]
    assert "turn_limit" in settings.reason
    assert "no such feature" in feature.reason


def test_an_adapter_that_crashes_is_an_error_of_its_case_only() -> None:
    """The text of the exception is kept, the suite goes on, and the exit code is 3."""
    suite = check_suite([case(), case()], loops.broken, Plan(budget=1))

    assert 2 == suite.count(CaseVerdict.ERROR)
    assert "adapter fault" in suite.results[0].reason
    assert ExitCode.BAD_INPUT is suite.exit_code()


def test_an_agent_that_is_never_the_same_twice_is_found_out() -> None:
    """The example is run again, and a trial that went another way is not called reproducible."""
    assert [False] == list({found.replayed for found in checked(agent="moody", budget=1).findings})


def test_a_total_ends_the_suite_and_says_what_was_left_out() -> None:
    """Trials are spent case by case; a case without any is counted as not run."""
    suite = check_suite([case()] * 3, loops.good, Plan(budget=2, total=3))

    assert [2, 1] == [result.trials for result in suite.results]
    assert 1 == suite.skipped


def test_fail_fast_stops_at_the_first_failure() -> None:
    """What comes behind the first failing case is not run."""
    suite = check_suite([case()] * 3, loops.forgetful, Plan(budget=1), fail_fast=True)

    assert (1, 2) == (len(suite.results), suite.skipped)
    assert ExitCode.BROKEN is suite.exit_code()


def test_a_rule_or_strategy_that_does_not_exist_is_an_error_of_the_scenario() -> None:
    """A misspelt id would otherwise never be seen: it says what was probably meant."""
    results = [
        checked("needs: [tool-paring]", agent="good"),
        checked("waive: {tool-paring: known}", agent="good"),
        checked("violates: tool-paring", agent="good"),
        checked("explore: {strategy: sweeep}", agent="good"),
    ]

    assert [CaseVerdict.ERROR] * 4 == [result.verdict for result in results]
    assert all('did you mean "tool-pairing"' in result.reason for result in results[:3])
    assert 'did you mean "sweep"' in results[3].reason

"""Adding up: findings over trials, over cases, over two searches of the same case."""

from __future__ import annotations

import attrs

from simharness.campaign.results import (
    CaseResult,
    Example,
    Finding,
    Identity,
    SuiteResult,
    deepened,
    merged,
)
from simharness.campaign.tally import Tally
from simharness.choices import Kind, Option, Point
from simharness.scenario.model import Case
from simharness.trace import Trace
from simharness.verdict import CaseVerdict, ExitCode, Verdict, Violation

TWO = (Option("run", Kind.RUN, ""), Option("cancel", Kind.ANYWHERE, "user"))
CASE = Case("c", "c")


def verdict(
    *chosen: int, rule: str = "r", message: str = "m", notes: tuple[str, ...] = ()
) -> Verdict:
    """A trial that took `chosen` at its points and broke one rule."""
    course = tuple(Point(TWO, option) for option in chosen)
    trace = Trace()
    violations = (Violation(rule, message),) if rule else ()
    return Verdict(violations, notes, frozenset({"o"}), course, str(chosen), "e", trace=trace)


def found(*chosen: int, message: str = "m", count: int = 1) -> Finding:
    """A finding whose example took `chosen`."""
    trial = verdict(*chosen, message=message)
    return Finding("r", message, count, Example(CASE, trial, trial.violations[0]))


def result(kind: CaseVerdict, *findings: Finding, missing: tuple[str, ...] = ()) -> CaseResult:
    """A case with a verdict."""
    return CaseResult(CASE, kind, findings=findings, not_exercised=missing, trials=3)


def test_the_example_with_the_fewest_and_earliest_deviations_is_kept() -> None:
    """Fewer deviations win, then earlier ones, whatever the order of the trials."""
    trials = [(0, 1, 1), (0, 0, 1), (0, 1, 0)]
    for order in (trials, trials[::-1]):
        tally = Tally(CASE)
        for chosen in order:
            tally.add(verdict(*chosen))
        (finding,) = tally.findings()
        assert (3, ((1, 1),), 1) == (finding.count, finding.example.schedule, finding.cases)


def test_a_cause_that_shows_twice_in_one_trial_counts_once() -> None:
    """The count is of trials, not of places."""
    twice = attrs.evolve(verdict(0), violations=(Violation("r", "m"), Violation("r", "m", (4,))))
    tally = Tally(CASE)
    tally.add(twice)

    assert [1] == [finding.count for finding in tally.findings()]


def test_notes_are_kept_once_each_and_not_without_end() -> None:
    """A thousand different notes say no more than twenty."""
    tally = Tally(CASE)
    for number in range(1000):
        noted = verdict(0, notes=("same", f"note {number}"))
        tally.add(attrs.evolve(noted, trace_hash=str(number)))

    assert 20 == len(tally.notes)
    assert "same" == next(iter(tally.notes))


def test_causes_are_put_together_over_cases() -> None:
    """Equal rule and message are one cause: counts and cases add up, the smallest example stays."""
    one, other = merged([found(1, 1, count=5), found(0, 1, count=2), found(1, message="x")])

    assert (7, 2, ((1, 1),)) == (one.count, one.cases, one.example.schedule)
    assert ("x", 1, 1) == (other.message, other.count, other.cases)


def test_a_deeper_search_keeps_what_the_first_one_found() -> None:
    """A violation of the first search is not lost if the second had no trials left for it."""
    first = result(CaseVerdict.VIOLATED, found(1), missing=("a", "b"))
    second = result(CaseVerdict.HOLDS, missing=("b", "c"))
    both = deepened(first, second)

    assert CaseVerdict.VIOLATED is both.verdict
    assert (6, 1, ("b",)) == (both.trials, len(both.findings), both.not_exercised)


def test_the_first_trial_is_the_sample_however_it_was_counted() -> None:
    """One by one, or put together from two halves; a deeper search does not change it."""
    trials = [verdict(0), verdict(1), verdict(0, 1)]
    whole, first, second = Tally(CASE), Tally(CASE), Tally(CASE)
    for trial in trials:
        whole.add(trial)
    first.add(trials[0])
    second.add(trials[1])
    first.join(second)
    results = [tally.result(None) for tally in (whole, first, second)]

    assert [trials[0], trials[0], trials[1]] == [result.sample for result in results]
    assert deepened(results[0], results[2]).sample is trials[0]
    assert deepened(result(CaseVerdict.ERROR), results[2]).sample is trials[1]


def test_exit_codes_go_by_the_worst_that_happened() -> None:
    """An error before a violation, a violation before what was not exercised, if that counts."""
    holds, missed = result(CaseVerdict.HOLDS), result(CaseVerdict.NOT_EXERCISED, missing=("x",))
    violated, error = result(CaseVerdict.VIOLATED), result(CaseVerdict.ERROR)

    def code(*results: CaseResult, strict: bool = True) -> ExitCode:
        return SuiteResult(results).exit_code(strict_coverage=strict)

    assert ExitCode.BAD_INPUT is code(holds, violated, error, missed)
    assert ExitCode.BROKEN is code(holds, violated, missed)
    assert ExitCode.NOT_EXERCISED is code(holds, missed)
    assert ExitCode.HOLDS is code(holds, missed, strict=False)
    assert ExitCode.HOLDS is code(result(CaseVerdict.WAIVED), result(CaseVerdict.NOT_APPLICABLE))


def test_a_suite_names_the_agent_and_not_what_single_cases_make_of_it() -> None:
    """Some cases give the reference loop a profile or a fault."""
    holds = result(CaseVerdict.HOLDS)
    plain = attrs.evolve(holds, agent=Identity("reference", "1"))
    dressed = attrs.evolve(plain, case=attrs.evolve(CASE, profile="yoagent"))
    dressed = attrs.evolve(dressed, agent=Identity("reference", "1", profile="yoagent"))
    faulty = attrs.evolve(plain, case=attrs.evolve(CASE, mutant="x"), agent=Identity("x", "1"))

    def title(*results: CaseResult) -> str | None:
        agent = SuiteResult(results).agent
        return None if agent is None else agent.title

    assert "reference 1" == title(faulty, dressed, plain)
    assert "reference@yoagent 1" == title(faulty, dressed)
    assert None is title(holds)


def test_endings_are_counted_and_the_smallest_way_to_each_is_kept() -> None:
    """Trials that end alike are one ending; the choices that lead to it are named."""
    tally = Tally(CASE)
    for trial in (verdict(1, 1), verdict(0, 1), attrs.evolve(verdict(0), ending="other")):
        tally.add(trial)
    first, other = tally.ended()

    assert (2, ((1, 1),), ("point 1: cancel",)) == (first.count, first.schedule, first.choices)
    assert (1, ()) == (other.count, other.choices)

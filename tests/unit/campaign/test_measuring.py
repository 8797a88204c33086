"""Measuring the suite: generated mutants are tried with the cases that reach them."""

from __future__ import annotations

from typing import Any

import pytest

from simharness.agents.mutants.generated import SURVIVORS, Change, changes
from simharness.campaign.budget import Plan
from simharness.campaign.measuring import ERROR, NOT_EXERCISED, Fate, measure, plans
from simharness.campaign.reach import reach_of
from simharness.report import generated
from simharness.scenario.load import load_text

TEXT = 'scenario: text\nmodel: ["Hi."]\nrun: [{prompt: go}]\n'
RETRY = """scenario: retry
model: [{attempts: [[{error: {message: busy, retryable: true}}], ["Hi."]]}]
run: [{prompt: go}]
"""
FAULT = """scenario: fault
mutant: cut-text-is-lost
violates: delivered-prefix-kept
model: [["One. ", "Two."]]
run: [{prompt: go}, {cancel: {after: chunk 1}}]
"""
CASES = [case for text in (TEXT, RETRY, FAULT) for case in load_text(text).cases]
DEFAULT = (Plan(strategy="default"),)


def change(name: str) -> Change:
    """The change of that name."""
    (found,) = (one for one in changes(name) if one.id == name)
    return found


END = change("journal.Journal.append: delete `self.report(MessageEnd(message))`")
WAIT = change('answering.Answering.back_off: delete `await self._world.wait("backoff", delay_s)`')
CHANCE = change("retry.Retry._chance: true `self._random is None`")


def test_a_case_that_does_not_execute_the_change_is_not_run() -> None:
    """Nor one that is about a mutant of its own."""
    reach = reach_of(CASES)
    assert {"text", "retry"} == {case.id for case in reach.of(END)}
    assert ["retry"] == [case.id for case in reach.of(WAIT)]


def test_the_case_that_executes_what_few_do_comes_first() -> None:
    """The closer to the change that is, the likelier it notices."""
    wanted = "self._retry.wanted(error, attempt=tried, shown=answer.shown)"
    near = change(f"answering.Answering.passing_error: true `{wanted}`")
    assert "retry" == reach_of([*load_text(TEXT).cases, *CASES]).of(near)[0].id


def test_a_mutant_is_killed_by_the_first_case_that_notices() -> None:
    """What was noticed is named, and nothing is run after it."""
    fate = measure(END, CASES[:2], DEFAULT)
    assert not fate.survives
    assert ("text", 1) == (fate.case, fate.trials)
    assert ("nested-order", "start-end-paired") == fate.killed_by


def test_a_mutant_that_no_case_notices_survives_all_plans() -> None:
    """Each plan has its turn, and a total of its own."""
    fate = measure(CHANCE, CASES[:2], (*DEFAULT, Plan(budget=3, total=2)))
    assert fate.survives
    assert 4 == fate.trials


def test_a_mutant_that_cannot_be_loaded_is_killed_by_its_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So is one that raises where the harness asks it something."""

    def broken(_: Change) -> Any:
        raise SyntaxError

    monkeypatch.setattr("simharness.campaign.measuring.make_changed", broken)
    assert (ERROR,) == measure(END, CASES, DEFAULT).killed_by


def test_a_plan_is_preceded_by_all_default_schedules_and_has_a_total() -> None:
    """Most mutants die on the default schedule of some case."""
    first, second = plans(Plan(budget=7))
    assert ("default", None) == (first.strategy, first.total)
    assert (None, 7, 500) == (second.strategy, second.budget, second.total)


def test_the_report_lists_survivors_with_their_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    """A survivor without a reason is shown as such."""
    monkeypatch.setattr(
        "simharness.campaign.measuring.SURVIVORS", {WAIT.id: "Only cost: it is slow."}
    )
    fates = [Fate(END, ("settles",), "text", 1), Fate(WAIT, trials=3), Fate(CHANCE, trials=3)]
    text = generated.as_text(fates)
    assert f"SURVIVES {WAIT.file}:{WAIT.line} {WAIT.id}\n    Only cost: it is slow." in text
    assert f"{CHANCE.id}\n    no reason is known" in text
    assert text.endswith(
        "3 generated mutants: 1 killed (33.3%), 2 survive, 1 of them without a reason"
    )


def test_the_machine_form_is_a_list_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What survives stands there with an empty `killed_by`, and not among the `survivors`."""
    monkeypatch.setattr("simharness.campaign.measuring.SURVIVORS", {})
    report: dict[str, Any] = generated.as_object(
        [Fate(END, ("settles",), "text", 1), Fate(WAIT, trials=3)]
    )
    killed, alive = report["generated"]
    assert {"id", "file", "line", "killed_by", "case", "reason"} == set(killed)
    assert (["settles"], "text") == (killed["killed_by"], killed["case"])
    assert ([], None, "") == (alive["killed_by"], alive["case"], alive["reason"])
    assert [] == report["survivors"]


def test_no_survivor_is_explained_that_is_killed() -> None:
    """A reason is shown for a survivor only."""
    known = next(iter(SURVIVORS), WAIT.id)
    fate = Fate(change(known), ("settles",))
    assert "" == fate.reason


def test_a_mutant_is_killed_if_something_written_does_not_happen_any_more() -> None:
    """As with `--strict-coverage`; what the sound loop does not do either counts for nothing."""
    wanted = "self._retry.wanted(error, attempt=tried, shown=answer.shown)"
    final = change(f"answering.Answering.passing_error: false `{wanted}`")
    fault = "{error: {message: bad}}"
    twice = RETRY.replace('"Hi."', fault)
    never = twice.replace("attempts: [", 'attempts: [["Fine."], ')
    assert (NOT_EXERCISED,) == measure(final, load_text(twice).cases, DEFAULT).killed_by
    assert measure(final, load_text(never).cases, DEFAULT).survives

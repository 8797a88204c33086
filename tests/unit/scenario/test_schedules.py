"""`schedule:` of a scenario: read, refused with a place, and played."""

from __future__ import annotations

import pytest

from simharness.agents import find
from simharness.campaign.budget import Plan
from simharness.check import check_case
from simharness.verdict import CaseVerdict
from tests.unit.scenario.sheets import one_case, problems_of, sheet

CANCEL = {"model": "[[a, b]]", "run": "[{prompt: hi}, {cancel: {anywhere: true, way: task}}]"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[cancel before b]", "4:12: a deviation is a mapping such as {take: cancel anywhere"),
        ("[{before: b}]", "4:12: a deviation says what it takes"),
        ("[{tkae: b}]", '4:13: unknown key "tkae" of a deviation; did you mean "take"?'),
        ("[{take: a, before: b, after: c}]", '"before" and "after" cannot be given together'),
        ("[{take: a, place: 0}]", '4:29: "place" must be a whole number of at least 1, not "0"'),
        ("{take: a}", '4:11: "schedule" must be a list, not a mapping'),
    ],
)
def test_a_mistake_is_shown_where_it_stands(written: str, said: str) -> None:
    """One message with line and column."""
    (problem,) = problems_of(sheet(schedule=written))
    assert said in problem


def test_the_schedule_is_played_before_the_search() -> None:
    """A budget of one trial is spent on it: the cancel comes, which the default never makes."""
    schedule = "[{take: cancel anywhere, before: chunk 2 of request 1}]"
    case = one_case(**CANCEL, schedule=schedule)
    result = check_case(case, find("reference"), Plan(budget=1))
    assert ("cancelled", "completed") == result.ended[0].outcomes
    assert "schedule in words: 0 of 1 fail" in result.coverage


def test_a_schedule_that_finds_no_place_is_not_exercised() -> None:
    """Nobody mistakes it for one that holds."""
    case = one_case(**CANCEL, schedule="[{take: cancel anywhere, before: chunk 9 of request 1}]")
    result = check_case(case, find("reference"), Plan(budget=20))
    assert CaseVerdict.NOT_EXERCISED is result.verdict
    assert ("schedule: cancel anywhere before chunk 9 of request 1",) == result.not_exercised


def test_the_strategy_schedule_plays_no_more_than_that() -> None:
    """The schedule with its place moved a little, and the default one."""
    schedule = "[{take: cancel anywhere, before: chunk 2 of request 1}]"
    case = one_case(**CANCEL, schedule=schedule, explore="{strategy: schedule}")
    result = check_case(case, find("reference"), Plan(budget=1000))
    assert (7, CaseVerdict.HOLDS) == (result.trials, result.verdict)

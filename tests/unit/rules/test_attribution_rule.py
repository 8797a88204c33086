"""cancel-attribution: the reported cause names the cancel that counts."""

import pytest

from simharness.contract import FAMILIES, Contract
from simharness.trace import ActionTaken, AgentEnd, CancelCalled, Outcome, PromptCalled, Record
from tests.unit.rules.traces import done, texts, verdict

FIRST = Contract(cause_precedence="first", reports=FAMILIES)
MARKS = Contract(cause_precedence="mark-over-caller", reports=FAMILIES)
BUDGET = CancelCalled("api", "budget")
USER = CancelCalled("api", "user")
SHUTDOWN = ActionTaken("shutdown during search")


def problems(*stops: Record, cause: str, contract: Contract = MARKS) -> list[str]:
    """What is wrong with the cause of a run that was stopped so."""
    end = AgentEnd(Outcome.CANCELLED, cause)
    records = [PromptCalled("hi"), *stops, end, done()]
    return texts(verdict("cancel-attribution", *records, contract=contract))


def test_the_first_callers_reason_is_the_cause() -> None:
    """A second cancel changes nothing."""
    assert [] == problems(BUDGET, USER, cause="budget")
    wanted = ["The cancel of run 1 is put down to user, not budget."]
    assert wanted == problems(BUDGET, USER, cause="user")


@pytest.mark.parametrize("stops", [(USER, SHUTDOWN), (SHUTDOWN, USER)])
def test_a_mark_of_the_framework_outranks_callers(stops: tuple[Record, ...]) -> None:
    """A shutdown also calls the caller's cancel, before or after its mark."""
    assert [] == problems(*stops, cause="shutdown")
    assert 1 == len(problems(*stops, cause="user"))


def test_whoever_was_first_counts_where_that_is_declared() -> None:
    """The mark has no precedence then."""
    assert [] == problems(USER, SHUTDOWN, cause="user", contract=FIRST)
    assert [] == problems(SHUTDOWN, USER, cause="shutdown", contract=FIRST)
    assert 1 == len(problems(USER, SHUTDOWN, cause="shutdown", contract=FIRST))


def test_a_cancel_without_a_reason_is_not_judged() -> None:
    """A task cancel brings none, and who was heard first cannot be seen."""
    assert [] == problems(CancelCalled("task", "user"), BUDGET, cause="budget")


def test_a_run_that_completed_or_names_no_cause_is_no_occasion() -> None:
    """Nothing is attributed."""
    records = [PromptCalled("hi"), BUDGET, AgentEnd(Outcome.COMPLETED), done()]
    assert 0 == verdict("cancel-attribution", *records, contract=MARKS).occasions
    assert [] == problems(BUDGET, cause="")

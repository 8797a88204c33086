"""cancel-attribution: the reported cause names the cancel that counts."""

import pytest

from simharness.contract import FAMILIES, Contract
from simharness.trace import (
    ActionTaken,
    AgentEnd,
    CancelCalled,
    MessageEnd,
    Notice,
    Outcome,
    PromptCalled,
    Record,
    StreamTold,
    user,
)
from tests.unit.rules.traces import done, texts, verdict

FIRST = Contract(cause_precedence="first", reports=FAMILIES)
MARKS = Contract(cause_precedence="mark-over-caller", reports=FAMILIES)
BUDGET = CancelCalled("api", "budget")
USER = CancelCalled("api", "user")
SHUTDOWN = CancelCalled("shutdown", "shutdown")
DRAIN = ActionTaken("quiesce after chunk 1", "abandon")
TOLD = StreamTold(1, "signal")


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


def test_a_stop_that_lets_a_run_go_on_first_counts_from_where_it_is_seen() -> None:
    """The stream is told when the time is over; before that a caller may have been first."""
    assert [] == problems(DRAIN, cause="quiesce")
    assert 1 == len(problems(DRAIN, cause="user"))
    for cause in ("quiesce", "user"):
        assert [] == problems(DRAIN, USER, cause=cause)
    assert [] == problems(DRAIN, TOLD, USER, cause="quiesce")
    assert 1 == len(problems(DRAIN, TOLD, USER, cause="user"))


@pytest.mark.parametrize("seen", [(TOLD,), ()], ids=["seen", "not-seen"])
def test_of_two_stops_that_let_a_run_go_on_nobody_knows_which_it_was(
    seen: tuple[Record, ...],
) -> None:
    """The one whose window is over first; windows are in no trace."""
    for cause in ("quiesce", "shutdown"):
        assert [] == problems(DRAIN, ActionTaken("shutdown"), *seen, cause=cause)
    assert [] == problems(DRAIN, TOLD, ActionTaken("shutdown"), cause="quiesce")
    assert 1 == len(problems(DRAIN, TOLD, ActionTaken("shutdown"), cause="shutdown"))


def test_only_a_callers_stop_leaves_a_note() -> None:
    """A note claims that somebody asked for the stop; behind a shutdown nobody has."""
    note = Notice("interruption", "stopped")
    assert [] == problems(USER, note, cause="user")
    wanted = ["A note in run 1 claims a stop that no caller has asked for."]
    assert wanted == problems(SHUTDOWN, note, cause="shutdown")
    assert wanted == problems(note, cause="")


def test_a_failure_is_not_put_down_to_a_cancel_of_another_run() -> None:
    """The reason of a cancel that came before is of no concern to a run that fails later."""
    records = [
        BUDGET,
        PromptCalled("hi"),
        AgentEnd(Outcome.FAILED, "budget"),
        done("raised", error="Boom", outcome=Outcome.FAILED),
    ]
    wanted = ["The failure of run 1 is put down to budget, a cancel not its own."]
    assert wanted == texts(verdict("cancel-attribution", *records, contract=MARKS))


def test_the_exception_of_a_stop_names_whose_it_was() -> None:
    """Who awaits a run hears of a stop by an exception only."""
    for error, wrong in (("StoppedError: stopped: shutdown", 0), ("StoppedError: stopped", 1)):
        records = [
            PromptCalled("hi"),
            SHUTDOWN,
            done("raised", error=error, outcome=Outcome.CANCELLED),
        ]
        assert wrong == len(texts(verdict("cancel-attribution", *records, contract=MARKS)))


def test_a_cancel_without_a_reason_is_not_judged() -> None:
    """A task cancel brings none, and who was heard first cannot be seen."""
    assert [] == problems(CancelCalled("task", "user"), BUDGET, cause="budget")


def test_a_run_that_completed_or_names_no_cause_is_no_occasion() -> None:
    """Nothing is attributed."""
    records = [PromptCalled("hi"), BUDGET, AgentEnd(Outcome.COMPLETED), done()]
    assert 0 == verdict("cancel-attribution", *records, contract=MARKS).occasions
    assert [] == problems(BUDGET, cause="")


def test_a_declared_note_claims_a_callers_stop() -> None:
    """Behind a shutdown it is a lie."""
    notes = Contract(
        cause_precedence="mark-over-caller", cancel_marker="note([halt])", reports=FAMILIES
    )
    note = MessageEnd(user("[halt]"))
    assert [] == problems(USER, note, cause="user", contract=notes)
    assert 1 == len(problems(SHUTDOWN, note, cause="shutdown", contract=notes))

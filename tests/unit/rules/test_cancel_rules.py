"""The rules about cancels and failures."""

import attrs
import pytest

from simharness.contract import Contract
from simharness.storing import Killed, StoreWrite
from simharness.trace import (
    ActionTaken,
    AgentEnd,
    CancelCalled,
    CancelEffective,
    ChunkTaken,
    FailureCounted,
    HookCalled,
    LeftBehind,
    LimitHit,
    LogRow,
    LoopError,
    Notice,
    Outcome,
    PromptCalled,
    ProviderRetry,
    Record,
    RequestMade,
    StreamTold,
    TerminalTaken,
    ToolEnded,
    TurnEnd,
    TurnStart,
    user,
)
from tests.unit.rules.traces import REPORTS, done, texts, verdict

HI = user("hi")
HELLO, ASKED = PromptCalled("hi"), RequestMade(1, (HI,))
CALLED, EFFECTIVE = CancelCalled("api"), CancelEffective()
GRACEFUL = CancelCalled("api-after-turn")
FINISHED = TerminalTaken(1, "finish", "stop")
NEXT = RequestMade(2, (HI, HI))
PLAIN = (HELLO, ASKED, FINISHED, done())
CUT = (HELLO, ASKED, CALLED, EFFECTIVE, TerminalTaken(1, "error", "gone", answering=True))


def said(
    rule: str, *records: Record | tuple[int, Record], contract: Contract = REPORTS
) -> list[str]:
    """The messages of one rule about `records`, for an agent that reports everything."""
    return texts(verdict(rule, *records, contract=contract))


# --- no-model-call-after-cancel -----------------------------------------------------------------


def test_a_cancelled_run_without_further_request_is_fine() -> None:
    """The first request was the last."""
    judged = verdict("no-model-call-after-cancel", *CUT, done())
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_request_after_the_cancel_is_broken() -> None:
    """The flag was forgotten in front of the request."""
    wanted = ["In run 1 a model request was made after the cancel."]
    assert wanted == said("no-model-call-after-cancel", *CUT, NEXT, done())


def test_a_request_within_the_grace_is_a_note() -> None:
    """It was already on its way."""
    judged = verdict("no-model-call-after-cancel", HELLO, ASKED, CALLED, NEXT, EFFECTIVE, done())
    assert ((), 1) == (judged.violations, len(judged.notes))


def test_a_graceful_cancel_lets_the_turn_end() -> None:
    """Read from the requests if the agent reports no turns."""
    rule = "no-model-call-after-cancel"
    turn = (HELLO, ASKED, GRACEFUL, TerminalTaken(1, "error"), RequestMade(2, (HI,)))
    end = TerminalTaken(2, "finish", "tool_calls")
    assert [] == said(rule, *turn, end, done())
    wanted = ["In run 1 a model request was made after the turn in which it was to stop."]
    assert wanted == said(rule, *turn, end, RequestMade(3, (HI, HI)), done())


def test_between_two_turns_the_next_one_may_have_begun() -> None:
    """A graceful cancel that comes there stops the run one turn later at the latest."""
    rule = "no-model-call-after-cancel"
    call = ChunkTaken(1, 1, "args", "{}", "c1", "search")
    first = (HELLO, ASKED, call, TerminalTaken(1, "finish"), ToolEnded("c1", "returned"), GRACEFUL)
    second = (NEXT, TerminalTaken(2, "finish"))
    assert [] == said(rule, *first, *second, done())
    assert 1 == len(said(rule, *first, *second, RequestMade(3, (HI, HI, HI)), done()))


def test_between_two_turns_an_agent_without_grace_has_been_told() -> None:
    """Also where turns are read from the requests; a failed answer does not end its turn."""
    rule, no_grace = "no-model-call-after-cancel", Contract(cancel_grace="0")
    ended = (HELLO, ASKED, FINISHED, GRACEFUL)
    assert [] == said(rule, *ended, done(), contract=no_grace)
    assert 1 == len(said(rule, *ended, NEXT, done(), contract=no_grace))
    failed = (HELLO, ASKED, TerminalTaken(1, "error"), GRACEFUL)
    assert [] == said(rule, *failed, RequestMade(2, (HI,)), done(), contract=no_grace)


def test_before_the_first_request_the_first_turn_may_have_begun() -> None:
    """What prepares a turn belongs to it, and an agent that reports no turns does not show it."""
    rule = "no-model-call-after-cancel"
    first = (HELLO, GRACEFUL, ASKED, TerminalTaken(1, "finish"))
    assert [] == said(rule, *first, done())
    assert 1 == len(said(rule, *first, NEXT, done()))


def test_reported_turns_say_where_a_turn_ends() -> None:
    """With no grace a cancel between two turns counts at once."""
    rule = "no-model-call-after-cancel"
    turns = (HELLO, TurnStart(1), ASKED, TurnEnd(1), GRACEFUL, TurnStart(2), NEXT, TurnEnd(2))
    assert [] == said(rule, *turns, done())
    no_grace = Contract(reports=REPORTS.reports, cancel_grace="0")
    assert 1 == len(said(rule, *turns, done(), contract=no_grace))


def test_late_requests_have_no_occasion_without_a_cancel() -> None:
    """Nobody said stop."""
    assert 0 == verdict("no-model-call-after-cancel", *PLAIN).occasions


# --- cancel-not-failure -------------------------------------------------------------------------


def test_a_stop_that_is_treated_as_a_stop_is_fine() -> None:
    """A log row may say that the stream was cut."""
    records = (*CUT, LogRow(1, False, "cancelled"), AgentEnd(Outcome.CANCELLED), done())
    judged = verdict("cancel-not-failure", *records, contract=REPORTS)
    assert (1, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (ProviderRetry(1, 3, "gone", 1.0), "a retry was announced"),
        (HookCalled("on_error"), "the hook on_error was called"),
        (FailureCounted(1), "it was counted as a failure"),
        (Notice("alert", "3 failures"), "an alert was raised"),
        (RequestMade(2, (HI,)), "the same request was made again"),
        (AgentEnd(Outcome.FAILED), "it is reported as failed"),
    ],
)
def test_a_stop_that_is_treated_as_a_failure_is_broken(record: Record, words: str) -> None:
    """Each way of taking it for one."""
    assert [f"Run 1 was cancelled, yet {words}."] == said(
        "cancel-not-failure", *CUT, record, done()
    )


def test_a_chain_of_error_hooks_may_be_finished_where_it_is_declared() -> None:
    """It must have begun before: its first hook always counts."""
    finishes = attrs.evolve(REPORTS, hooks_after_cancel="rest-of-chain")
    second, first = HookCalled("on_error", 2), HookCalled("on_error", 1)
    assert [] == said("cancel-not-failure", *CUT, second, done(), contract=finishes)
    assert 1 == len(said("cancel-not-failure", *CUT, first, done(), contract=finishes))
    assert 1 == len(said("cancel-not-failure", *CUT, second, done()))


def test_a_failure_of_its_own_may_be_counted() -> None:
    """The stream had failed before anybody cancelled."""
    failed = (HELLO, ASKED, TerminalTaken(1, "error"), CALLED, EFFECTIVE)
    end = (FailureCounted(1), AgentEnd(Outcome.FAILED), done())
    assert [] == said("cancel-not-failure", *failed, *end)
    assert 1 == len(said("cancel-not-failure", *failed, ProviderRetry(1, 3, "x", 1.0), done()))


SILENT = (HELLO, ASKED, StreamTold(1, "CancelledError"))


@pytest.mark.parametrize("more", [(), (TerminalTaken(1, "finish", "stop", answering=True),)])
def test_a_stream_that_was_given_up_for_its_silence_had_failed_by_itself(
    more: tuple[Record, ...],
) -> None:
    """Before somebody cancelled, from the observer of its log row, say; whatever it answers."""
    end = (CALLED, FailureCounted(1), EFFECTIVE, AgentEnd(Outcome.FAILED), done())
    assert [] == said("cancel-not-failure", *SILENT, *more, *end)
    assert [] == said("terminal-kind", *SILENT, *more, *end)
    told_by_it = (HELLO, ASKED, CALLED, SILENT[2], FailureCounted(1), EFFECTIVE, done())
    assert 1 == len(said("cancel-not-failure", *told_by_it))


@pytest.mark.parametrize("policy", ["interrupt", "queue"])
def test_a_stream_that_was_given_up_for_another_reason_had_not_failed(policy: str) -> None:
    """A framework wants another one in its place, or a prompt takes the place of its run."""
    declared = attrs.evolve(REPORTS, second_prompt=policy, queue_on_cancel="drop")
    end: tuple[Record, ...] = (CALLED, FailureCounted(1), EFFECTIVE, done())
    restarted = (HELLO, ASKED, ActionTaken("context_restart"), SILENT[2])
    assert 1 == len(said("cancel-not-failure", *restarted, *end, contract=declared))
    ended = [(1, record) for record in (SILENT[2], *end)]
    found = said(
        *("cancel-not-failure", HELLO, ASKED, PromptCalled("rather")), *ended, contract=declared
    )
    assert (1 if policy == "interrupt" else 0) == len(found)


def test_a_restart_is_meant_for_the_stream_of_the_conversation() -> None:
    """One of a run beside it fails by itself, for silence, say."""
    restarted = (ASKED, ActionTaken("context_restart"), SILENT[2], FailureCounted(1), done())
    assert 1 == len(said("cancel-not-failure", HELLO, *restarted))
    assert [] == said("cancel-not-failure", PromptCalled("hi", "ephemeral 1"), *restarted)


def test_a_failure_behind_the_end_of_the_run_is_another_matter() -> None:
    """The terminal was there before the cancel."""
    records = (HELLO, ASKED, AgentEnd(Outcome.FAILED), CALLED, EFFECTIVE, FailureCounted(1), done())
    assert [] == said("cancel-not-failure", *records)


def test_queued_work_may_ask_the_same_again() -> None:
    """It is not a retry."""
    queued = (HELLO, ActionTaken("follow_up"), *CUT[1:], RequestMade(2, (HI,)), done())
    assert [] == said("cancel-not-failure", *queued)


QUEUED_FAILS = (
    *(AgentEnd(Outcome.CANCELLED), RequestMade(2, (HI, HI)), TerminalTaken(2, "error")),
    *(FailureCounted(1), ProviderRetry(1, 3, "gone", 1.0), AgentEnd(Outcome.FAILED)),
    done("raised", outcome=Outcome.FAILED),
)


@pytest.mark.parametrize("rule", ["cancel-not-failure", "terminal-kind", "cancel-idempotent"])
def test_queued_work_may_fail_by_itself(rule: str) -> None:
    """What was cancelled ended before; the queue may also be left from an earlier run."""
    queued = (HELLO, ActionTaken("follow_up"), *CUT[1:], CALLED)
    assert [] == said(rule, *queued, *QUEUED_FAILS)
    parked = (HELLO, ActionTaken("follow_up"), done())
    assert [] == said(rule, *parked, *CUT, CALLED, *QUEUED_FAILS)
    assert said(rule, *CUT, CALLED, *QUEUED_FAILS)
    assert said(rule, *queued, AgentEnd(Outcome.FAILED), done())


def test_failures_have_no_occasion_without_a_cancel() -> None:
    """A real failure is nobody's stop."""
    records = (HELLO, ASKED, TerminalTaken(1, "error"), FailureCounted(1), done("raised"))
    assert 0 == verdict("cancel-not-failure", *records, contract=REPORTS).occasions


# --- cancel-idempotent --------------------------------------------------------------------------

TWICE = (*CUT[:4], CALLED)


def test_a_second_cancel_that_changes_nothing_is_fine() -> None:
    """One end, cancelled."""
    judged = verdict("cancel-idempotent", *TWICE, AgentEnd(Outcome.CANCELLED), done())
    assert (1, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        ((AgentEnd(), AgentEnd()), "reported its end twice"),
        ((AgentEnd(Outcome.FAILED),), "ended as failed"),
        ((LoopError("Task exception", "X"),), "the loop had to handle an error"),
    ],
)
def test_a_second_cancel_that_disturbs_is_broken(records: tuple[Record, ...], problem: str) -> None:
    """It met half-cleaned state."""
    wanted = [f"Run 1 was cancelled twice and {problem}."]
    assert wanted == said("cancel-idempotent", *TWICE, *records, done())


def test_one_cancel_is_no_occasion_for_two() -> None:
    """Nor are two cancels of two runs."""
    assert 0 == verdict("cancel-idempotent", *CUT, done()).occasions
    assert 0 == verdict("cancel-idempotent", *CUT, done(), *CUT, done()).occasions


# --- cancel-flag-reset --------------------------------------------------------------------------

IDLE = (*PLAIN, (9, CALLED), PromptCalled("again"))


def test_an_idle_cancel_that_does_nothing_is_fine() -> None:
    """The next prompt is answered."""
    judged = verdict("cancel-flag-reset", *IDLE, ASKED, FINISHED, done())
    assert (1, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize(
    ("records", "what"),
    [
        ((ASKED, done(outcome=Outcome.CANCELLED)), "ended as cancelled"),
        ((ASKED, done("cancelled")), "ended as cancelled"),
        ((ASKED, StreamTold(1, "signal"), done()), "told its model stream to stop"),
        ((done(),), "made no request"),
    ],
)
def test_a_stale_cancel_that_touches_the_next_run_is_broken(
    records: tuple[Record, ...], what: str
) -> None:
    """After an idle cancel, and after one whose run has ended."""
    wanted = f"Run 2 was not cancelled, but after an earlier cancel it {what}."
    assert [wanted] == said("cancel-flag-reset", *IDLE, *records)
    assert [wanted] == said("cancel-flag-reset", *CUT, done(), PromptCalled("again"), *records)


def test_a_prompt_that_was_rejected_needs_no_request() -> None:
    """It was refused for a reason of its own."""
    assert [] == said("cancel-flag-reset", *IDLE, done("raised", outcome=Outcome.REJECTED))


def test_a_continue_may_have_nothing_to_do() -> None:
    """A prompt without a text makes no request where nothing was kept."""
    assert [] == said("cancel-flag-reset", *CUT, done(), PromptCalled(""), done())


def test_a_run_with_a_cause_of_its_own_is_no_occasion() -> None:
    """It was cancelled itself, or something else was done to it."""
    for cause in (CALLED, ActionTaken("shutdown")):
        records = (*IDLE, ASKED, cause, done("cancelled"))
        assert 0 == verdict("cancel-flag-reset", *records).occasions


# --- failure-surfaced ---------------------------------------------------------------------------


def test_an_error_that_is_raised_or_noticed_has_surfaced() -> None:
    """The loop's handler may see it as well."""
    handled = LoopError("Task exception", "StoreError: full")
    judged = verdict("failure-surfaced", HELLO, handled, done("raised", error="StoreError: full"))
    assert (2, ()) == (judged.occasions, judged.violations)
    noticed = (HELLO, handled, Notice("log", "StoreError: full"), done())
    assert [] == said("failure-surfaced", *noticed)


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        (
            LoopError("Task exception", "StoreError: full"),
            "An error reached only the loop's exception handler: Task exception.",
        ),
        (
            LeftBehind("unretrieved-exception", "save: StoreError", True),
            "Nobody looked at an error, unretrieved-exception: save: StoreError.",
        ),
        (
            LimitHit("agent-exit", "SystemExit"),
            "The agent ended the process instead of the run: agent-exit.",
        ),
    ],
)
def test_an_error_that_nobody_sees_is_broken(record: Record, wanted: str) -> None:
    """Each place where errors get lost."""
    assert [wanted] == said("failure-surfaced", *PLAIN, record)


def test_surfacing_has_no_occasion_without_errors() -> None:
    """All went well."""
    assert 0 == verdict("failure-surfaced", *PLAIN).occasions


def test_a_failed_write_of_a_run_that_waits_for_ever_is_told_to_nobody() -> None:
    """Unless it is the model that it waits for, or its process was killed."""
    failed, stuck = StoreWrite(1, "line", "failed"), LimitHit("deadlock", "")
    wanted = ["Write 1 of the session failed, and nobody was told."]
    assert wanted == said("failure-surfaced", HELLO, failed, stuck)
    assert wanted == said("failure-surfaced", HELLO, failed, ASKED, FINISHED, stuck)
    assert [] == said("failure-surfaced", HELLO, failed, ASKED, stuck)
    assert [] == said("failure-surfaced", HELLO, failed)
    assert [] == said("failure-surfaced", HELLO, failed, (0, Killed((1,))), stuck)

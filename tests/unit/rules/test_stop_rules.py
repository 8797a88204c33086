"""What rules make of framework stops, restarts, pauses, replays, lost rows and useless clients."""

from __future__ import annotations

import attrs
import pytest

from simharness.contract import FAMILIES, Contract
from simharness.storing import StoreWrite
from simharness.trace import (
    ActionTaken,
    AgentEnd,
    BatchPending,
    BatchSettled,
    CancelCalled,
    ChunkTaken,
    ClientRenewed,
    ClientUnusable,
    FailureCounted,
    HookCalled,
    LimitHit,
    LogLost,
    LogRow,
    MessageEnd,
    Notice,
    Outcome,
    PromptCalled,
    Record,
    ReplayTaken,
    RequestMade,
    Shown,
    StreamClosed,
    StreamTold,
    TerminalTaken,
    TurnEndAsked,
    UsageTaken,
    assistant,
    user,
)
from tests.unit.rules.traces import done, texts, verdict

PROMISES = Contract(
    reports=FAMILIES, error_content="dropped", second_prompt="reject", cause_precedence="first"
)
ASK = RequestMade(1, (user("hi"),))
AGAIN = RequestMade(2, (user("hi"),))
RESTART = ActionTaken("context_restart after chunk 1")
TOLD = StreamTold(1, "signal")
SAID = ChunkTaken(1, 1, "text", "Once upon")
QUIESCE = ActionTaken("quiesce", "abandon")
COMPLETED = AgentEnd(Outcome.COMPLETED)


def problems(rule: str, *records: Record | tuple[int, Record]) -> list[str]:
    """What one rule says of records, in a run that was prompted and has returned."""
    return texts(verdict(rule, *records, contract=PROMISES))


# --- what is asked of the model -------------------------------------------------------------------


def test_nothing_is_asked_behind_a_tool_that_ended_the_turn() -> None:
    """The tool said so, and nobody has cancelled."""
    rule, run = "no-model-call-after-cancel", (PromptCalled("hi"), ASK, TurnEndAsked("c1"))
    wanted = ["In run 1 a model request was made though a tool had ended the turn."]
    assert [] == problems(rule, *run, done())
    assert wanted == problems(rule, *run, AGAIN, done())


@pytest.mark.parametrize("why", ["shutdown", "dispose", "quiesce while idle"])
def test_nothing_is_asked_for_a_prompt_that_came_when_nothing_might_begin(why: str) -> None:
    """Behind a shutdown and a dispose for ever, in a quiesce until the resume."""
    run = (ActionTaken(why), PromptCalled("hi"), ASK, done())
    wanted = ["In run 1 a model request was made though nothing might begin."]
    assert wanted == problems("no-model-call-after-cancel", *run)


@pytest.mark.parametrize("resumed", ["before the prompt", "before the request"])
def test_behind_a_resume_all_is_as_before(resumed: str) -> None:
    """A prompt that waited is served then."""
    resume, prompt = ActionTaken("resume"), PromptCalled("hi")
    both: list[Record] = [resume, prompt] if resumed == "before the prompt" else [prompt, resume]
    assert [] == problems("no-model-call-after-cancel", QUIESCE, *both, ASK, done())


# --- streams that were given up -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("treatment", "what"),
    [
        (FailureCounted(1), "it was counted as a failure"),
        (Notice("alert", "3 failures"), "an alert was raised"),
        (HookCalled("on_error", 1), "the hook on_error was called"),
        (LogRow(1, success=False, error="given up"), "its log row is one of a failure"),
    ],
)
def test_a_stream_that_is_given_up_is_no_failure(treatment: Record, what: str) -> None:
    """It was told to end, for another one to take its place."""
    run = (PromptCalled("hi"), ASK, RESTART, TOLD, treatment, AGAIN, treatment, done())
    wanted = [f"Request 1 of run 1 was given up for another one, yet {what}."]
    assert wanted == problems("cancel-not-failure", *run)


def test_a_stream_that_is_given_up_ends_no_run() -> None:
    """Another request was to follow."""
    run = (PromptCalled("hi"), ASK, RESTART, TOLD, AgentEnd(Outcome.CANCELLED, "user"), done())
    assert 1 == len(problems("cancel-not-failure", *run))
    assert [] == problems("cancel-not-failure", *run[:2], CancelCalled("api"), *run[2:])


def test_text_of_a_stream_that_is_given_up_is_shown_and_kept_no_more() -> None:
    """What comes behind the word that it is not wanted, and what came before it."""
    given_up = (PromptCalled("hi"), ASK, SAID, RESTART, TOLD)
    wanted = ["In run 1 text of a stream was shown that had been given up."]
    assert wanted == problems("chunk-conservation", *given_up, Shown(1, "late"), AGAIN, done())
    held = RequestMade(2, (user("hi"), assistant("Once upon")))
    wanted = ["The text of request 1 of run 1, which was given up, is in a later history."]
    assert wanted == problems("error-content-dropped", *given_up, held, done())


@pytest.mark.parametrize(("policy", "kept"), [("queue", 1), ("interrupt", 0), ("rollback", 0)])
def test_a_prompt_that_interrupts_decides_what_becomes_of_a_stream_as_a_cancel_does(
    policy: str, kept: int
) -> None:
    """It came before the stream was closed, which was to be given up for another one."""
    before = (PromptCalled("hi"), ASK, SAID, RESTART, TOLD)
    held = RequestMade(1, (user("hi"), assistant("Once upon"), user("more")))
    ends: list[Record | tuple[int, Record]] = [(1, StreamClosed(1, "aclose")), (1, done())]
    behind: list[Record | tuple[int, Record]] = [(2, held), (2, done())]
    contract = attrs.evolve(PROMISES, second_prompt=policy)
    during = [*before, PromptCalled("more"), *ends, *behind]
    judged = verdict("error-content-dropped", *during, contract=contract)
    assert kept == len(judged.violations)
    late = [*before, ends[0], PromptCalled("more"), ends[1], *behind]
    assert 1 == len(verdict("error-content-dropped", *late, contract=contract).violations)


# --- answers that begin anew ----------------------------------------------------------------------


def test_what_came_before_an_answer_began_anew_is_dropped() -> None:
    """Only what the stream sent since then is the answer."""
    anew = (PromptCalled("hi"), ASK, SAID, ReplayTaken(1), ChunkTaken(1, 2, "text", "Here"))
    end = (TerminalTaken(1, "finish", "stop"), done(), PromptCalled("again"))
    good = RequestMade(1, (user("hi"), assistant("Here"), user("again")))
    bad = RequestMade(1, (user("hi"), assistant("Once uponHere"), user("again")))
    wanted = ["The text of request 1 of run 1, which began anew, is in a later history."]
    assert [] == problems("error-content-dropped", *anew, *end, good, done())
    assert wanted == problems("error-content-dropped", *anew, *end, bad, done())


# --- pauses ---------------------------------------------------------------------------------------


def test_a_prompt_that_waits_in_a_pause_is_not_one_during_a_run() -> None:
    """Where it has to wait the policy for prompts during a run is not asked."""
    during: list[Record | tuple[int, Record]] = [
        PromptCalled("hi"),
        ASK,
        PromptCalled("more"),
        (1, SAID),
        (1, done()),
        (2, ASK),
        (2, done()),
    ]
    assert ["Run 2 was prompted during run 1, and is not rejected."] == problems(
        "single-flight", *during
    )
    assert [] == problems("single-flight", *during[:2], QUIESCE, *during[2:])


@pytest.mark.parametrize(
    ("action", "stuck"),
    [
        (QUIESCE, 1),
        (ActionTaken("quiesce"), 0),
        (ActionTaken("shutdown"), 1),
        (ActionTaken("resume"), 0),
    ],
)
def test_a_run_that_is_to_be_stopped_has_to_settle(action: Record, stuck: int) -> None:
    """A silent stream is the script's unless somebody asked for the end of it."""
    run = (PromptCalled("hi"), ASK, action, LimitHit("deadlock", "stream"))
    assert stuck == len(problems("settles", *run))


# --- books ----------------------------------------------------------------------------------------


def test_a_row_that_the_log_did_not_take_is_told() -> None:
    """By a notice, or by what the caller gets."""
    lost = (PromptCalled("hi"), LogLost(1))
    wanted = ["The log row of attempt 1 was lost, and nobody was told."]
    assert wanted == problems("failure-surfaced", *lost, done())
    assert [] == problems("failure-surfaced", *lost, Notice("log-failed", "disk full"), done())
    assert [] == problems("failure-surfaced", *lost, done("raised", error="OSError: full"))


def test_a_write_that_failed_is_made_again_or_told() -> None:
    """A line that the store never took is known to somebody; one that was saved later to nobody."""
    failed = (PromptCalled("hi"), StoreWrite(1, "line", "failed"))
    wanted = ["Write 1 of the session failed, and nobody was told."]
    assert wanted == problems("failure-surfaced", *failed, done())
    assert wanted == problems("failure-surfaced", *failed, StoreWrite(2, "other", "saved"), done())
    assert [] == problems("failure-surfaced", *failed, StoreWrite(2, "line", "saved"), done())
    assert [] == problems("failure-surfaced", *failed, Notice("store-failed", "full"), done())
    assert [] == problems("failure-surfaced", *failed, done("raised", error="OSError: full"))
    saved = (PromptCalled("hi"), StoreWrite(1, "line", "saved"), done())
    assert [] == problems("failure-surfaced", *saved)


def test_a_write_that_was_given_up_was_told_then() -> None:
    """When it fails at last nobody is there any more."""
    given_up = (PromptCalled("hi"), StoreWrite(1, "line", "abandoned"))
    late = (done(), StoreWrite(1, "line", "failed"))
    assert [] == problems("failure-surfaced", *given_up, Notice("not-saved", "a line"), *late)
    assert 1 == len(problems("failure-surfaced", *given_up, *late))


def test_usage_of_a_lost_row_is_missed_nowhere_but_in_the_sum() -> None:
    """The row could not be written; what the run as a whole has used is known all the same."""
    run = (PromptCalled("hi"), ASK, UsageTaken(1, 5, 1), LogLost(1, (5, 1)))
    assert [] == problems("usage-once", *run, AgentEnd(Outcome.COMPLETED, usage=(5, 1)), done())
    wanted = ["The usage of run 1 is not the sum of what its streams reported."]
    twice = AgentEnd(Outcome.COMPLETED, usage=(10, 2))
    assert wanted == problems("usage-once", *run, twice, done())


def test_a_batch_is_settled_once_and_before_the_run() -> None:
    """It is held back like something that was begun."""
    pending, settled = BatchPending(("c1",)), BatchSettled(("c1",), aborted=True)
    rule = "start-end-paired"
    assert [] == problems(rule, PromptCalled("hi"), pending, settled, done())
    assert 1 == len(problems(rule, PromptCalled("hi"), pending, done()))
    assert 1 == len(problems(rule, PromptCalled("hi"), pending, settled, settled, done()))
    late = (PromptCalled("hi"), pending, AgentEnd(Outcome.CANCELLED), settled, done())
    assert ["BatchSettled of run 1 came after its terminal."] == problems(
        "no-event-after-terminal", *late
    )


def test_a_client_that_was_not_renewed_is_what_an_earlier_cancel_left() -> None:
    """A renewed one is an occasion and no fault."""
    wanted = ["Request 2 of run 1 was made by a client that a cut stream had left of no more use."]
    assert wanted == problems("cancel-flag-reset", PromptCalled("hi"), ClientUnusable(2), done())
    assert [] == problems("cancel-flag-reset", PromptCalled("hi"), ClientRenewed(), done())


# --- channels -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (HookCalled("on_error", 1), "Run 1 is reported as completed, but to the error hook as fai"),
        (
            MessageEnd(assistant("Half", interrupted=True)),
            "Run 1 is reported as completed, but its last message as interrupted.",
        ),
    ],
)
def test_hooks_and_the_history_name_the_end_as_well(said: Record, wrong: str) -> None:
    """Whoever looks at them acts on them."""
    run = (PromptCalled("hi"), said, COMPLETED, done(outcome=Outcome.COMPLETED))
    found = problems("observers-agree", *run)
    assert [wrong] == [one[: len(wrong)] for one in found]

"""The rules about reported records: pairs, order, terminals, deltas and agreement."""

import attrs
import pytest

from simharness.contract import Contract
from simharness.storing import Killed, SessionLoaded, SessionRead
from simharness.trace import (
    ActionTaken,
    AgentEnd,
    AgentStart,
    AttemptKept,
    Call,
    CancelCalled,
    CancelEffective,
    ChunkTaken,
    InputRejected,
    LimitHit,
    LogRow,
    Message,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    Outcome,
    PromptCalled,
    ProviderRetry,
    Record,
    RequestMade,
    Shown,
    StreamEnd,
    StreamTold,
    TerminalTaken,
    ToolEffect,
    ToolEnded,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolStarted,
    TurnEnd,
    TurnStart,
    UsageTaken,
    assistant,
    tool_result,
    user,
)
from tests.unit.rules.traces import REPORTS, done, texts, verdict

HI = user("hi")
OK = assistant("ok")
HELLO = PromptCalled("hi")
ASKED = RequestMade(1, (HI,))
FINISHED = TerminalTaken(1, "finish", "stop")
CALLED, EFFECTIVE = CancelCalled("api"), CancelEffective()
MESSAGE = (MessageStart(assistant()), MessageEnd(OK))
TOOL = (ToolExecutionStart("c1", "search", "{}"), ToolExecutionEnd("c1", "search", "3"))
GOOD: tuple[Record, ...] = (
    HELLO,
    AgentStart(),
    TurnStart(1),
    *MESSAGE,
    *TOOL,
    TurnEnd(1),
    AgentEnd(Outcome.COMPLETED),
)
SILENT = (HELLO, ASKED, FINISHED, done())


def said(
    rule: str, *records: Record | tuple[int, Record], contract: Contract = REPORTS
) -> list[str]:
    """The messages of one rule about `records`, for an agent that reports everything."""
    return texts(verdict(rule, *records, contract=contract))


# --- start-end-paired ---------------------------------------------------------------------------


def test_every_start_with_its_end_is_paired() -> None:
    """Four families, eight records."""
    judged = verdict("start-end-paired", *GOOD, done(), contract=REPORTS)
    assert (8, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize(
    ("missing", "name"),
    [(1, "the run"), (2, "turn 1"), (3, "the assistant message"), (5, "call c1 of search")],
)
def test_an_end_without_a_start_is_broken(missing: int, name: str) -> None:
    """Each family by its name."""
    records = [*GOOD[:missing], *GOOD[missing + 1 :], done()]
    wanted = f"In run 1 the end of {name} was reported without a start."
    assert [wanted] == said("start-end-paired", *records)


@pytest.mark.parametrize(
    ("missing", "name"),
    [(8, "the run"), (7, "turn 1"), (4, "the assistant message"), (6, "call c1 of search")],
)
def test_a_start_without_an_end_is_broken(missing: int, name: str) -> None:
    """Each family by its name."""
    records = [*GOOD[:missing], *GOOD[missing + 1 :], done()]
    assert [f"In run 1 the start of {name} has no end."] == said("start-end-paired", *records)


def test_families_that_are_not_reported_are_not_judged() -> None:
    """An agent that reports no turn ends promised none."""
    contract = Contract(reports=frozenset({"message"}))
    assert [] == said("start-end-paired", *GOOD[:7], done(), contract=contract)


def test_a_torn_down_run_owes_its_ends_only_if_it_promised_them() -> None:
    """After task.cancel() nobody may be there to hear them."""
    torn = (*GOOD[:4], done("cancelled"))
    assert [] == said("start-end-paired", *torn)
    promises = Contract(reports=REPORTS.reports, on_dispose="terminal")
    assert 3 == len(said("start-end-paired", *torn, contract=promises))


def test_derived_records_are_not_paired() -> None:
    """What an adapter made up from the wire proves nothing."""
    assert [] == said("start-end-paired", *GOOD, TurnStart(2, derived=True), done())


def test_a_message_that_was_appended_silently_is_broken() -> None:
    """The next prompt sends more answers than the events told of."""
    later = (PromptCalled("again"), RequestMade(1, (HI, OK, assistant("?"), user("again"))))
    wanted = "In request 1 of run 2 there is a message of role assistant that had no events."
    assert [wanted] == said("start-end-paired", *GOOD, done(), *later)


def test_pairing_of_events_has_no_occasion_without_events() -> None:
    """A silent agent."""
    assert 0 == verdict("start-end-paired", *SILENT, contract=REPORTS).occasions


# --- nested-order -------------------------------------------------------------------------------


def test_blocks_that_nest_are_fine() -> None:
    """Message and tools inside the turn, the turn inside the run."""
    assert [] == said("nested-order", *GOOD, done())


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ((TurnStart(1), MESSAGE[0], TurnEnd(1)), "turn 1 ended inside a message"),
        ((TurnStart(1), TOOL[0], TurnEnd(1)), "turn 1 ended inside a tool call"),
        ((TurnStart(1), TurnStart(2)), "turn 2 started inside a turn"),
        ((MESSAGE[0], MESSAGE[0]), "a message started inside a message"),
        ((TurnStart(1), AgentEnd()), "the run was reported as over inside a turn"),
    ],
)
def test_a_block_that_is_left_open_is_broken(records: tuple[Record, ...], words: str) -> None:
    """Nothing ends or begins inside what is still open."""
    assert [f"In run 1 {words}."] == said("nested-order", HELLO, *records)


def test_a_message_behind_its_turn_has_no_place_but_as_the_declared_marker() -> None:
    """An agent that does not say what it adds after a cancel is not judged."""
    marker = tuple(kind(user("[halt]")) for kind in (MessageStart, MessageEnd))
    records = (HELLO, TurnStart(1), TurnEnd(1), *marker, AgentEnd())
    words = "In run 1 a message that no contract declares started behind its turn."
    for declared, found in ((None, []), ("none", [words]), ("user-message([halt])", [])):
        contract = attrs.evolve(REPORTS, cancel_marker=declared)
        assert found == said("nested-order", *records, contract=contract)
    elsewhere = (HELLO, *marker, TurnStart(1), TurnEnd(1), AgentEnd(), *marker)
    none = attrs.evolve(REPORTS, cancel_marker="none")
    assert [] == said("nested-order", *elsewhere, contract=none)


def test_parallel_tools_may_overlap() -> None:
    """Two calls are open at once and end in any order."""
    other = (ToolExecutionStart("c2", "save", "{}"), ToolExecutionEnd("c2", "save", "ok"))
    assert [] == said("nested-order", HELLO, TOOL[0], other[0], TOOL[1], other[1])


def test_nesting_has_no_occasion_without_blocks() -> None:
    """A silent agent."""
    assert 0 == verdict("nested-order", *SILENT, contract=REPORTS).occasions


# --- one-terminal -------------------------------------------------------------------------------


def test_one_terminal_for_run_and_turn_is_fine() -> None:
    """Exactly one of each."""
    judged = verdict("one-terminal", *GOOD, done(), contract=REPORTS)
    assert (2, ()) == (judged.occasions, judged.violations)


def test_two_terminals_are_broken() -> None:
    """The run is over twice."""
    assert ["The run 1 has two terminals."] == said("one-terminal", *GOOD, AgentEnd(), done())


def test_a_missing_terminal_is_broken() -> None:
    """Run and turn were started and never ended."""
    wanted = ["The run 1 has no terminal.", "The turn 1 of run 1 has no terminal."]
    assert wanted == said("one-terminal", *GOOD[:3], done())


def test_a_queued_message_may_begin_the_agent_anew() -> None:
    """Two starts, two ends."""
    assert [] == said("one-terminal", *GOOD, AgentStart(), AgentEnd(), done())


def test_a_run_that_never_started_owes_no_terminal() -> None:
    """A refused prompt."""
    judged = verdict("one-terminal", HELLO, done("raised"), contract=REPORTS)
    assert 0 == judged.occasions


# --- terminal-kind ------------------------------------------------------------------------------

CUT = (HELLO, ASKED, CALLED, EFFECTIVE, TerminalTaken(1, "error", "gone", answering=True))


def ended(outcome: Outcome, *records: Record, contract: Contract = REPORTS) -> list[str]:
    """What terminal-kind says if a run of `records` reports `outcome`."""
    return said("terminal-kind", *records, AgentEnd(outcome), done(), contract=contract)


@pytest.mark.parametrize("kind", ["aborted", "error", "raise", "close", "finish"])
def test_a_cancel_is_cancelled_whatever_the_stream_reports(kind: str) -> None:
    """The form of the report does not matter."""
    detail = "user" if kind == "aborted" else ""
    records = (*CUT[:4], TerminalTaken(1, kind, detail, answering=True))
    assert [] == ended(Outcome.CANCELLED, *records)
    for wrong in (Outcome.FAILED, Outcome.COMPLETED):
        assert [f"Run 1 was cancelled but reports {wrong}."] == ended(wrong, *records)


def test_both_ends_are_true_if_the_last_message_came_first() -> None:
    """Finish taken, no calls: completed and cancelled are both right."""
    records = (HELLO, ASKED, FINISHED, CALLED, EFFECTIVE)
    assert [] == ended(Outcome.COMPLETED, *records)
    assert [] == ended(Outcome.CANCELLED, *records)


def test_a_finish_with_calls_does_not_complete_a_cancelled_run() -> None:
    """There was more to come."""
    call = ChunkTaken(1, 1, "args", "{}", "c1", "search")
    calls = TerminalTaken(1, "finish", "tool_calls")
    assert 1 == len(ended(Outcome.COMPLETED, HELLO, ASKED, call, calls, CALLED, EFFECTIVE))


def test_a_foreign_abort_is_a_stop_only_where_it_is_declared() -> None:
    """The provider aborted for a reason of its own, after a cancel."""
    records = (*CUT[:4], TerminalTaken(1, "aborted", "timeout", answering=True))
    assert [] == ended(Outcome.FAILED, *records)
    stop = Contract(reports=REPORTS.reports, foreign_abort_after_cancel="stop")
    assert 1 == len(ended(Outcome.FAILED, *records, contract=stop))


@pytest.mark.parametrize("kind", ["error", "raise", "aborted"])
def test_a_failed_stream_is_neither_success_nor_cancel(kind: str) -> None:
    """Nobody cancelled."""
    records = (HELLO, ASKED, TerminalTaken(1, kind))
    assert [] == ended(Outcome.FAILED, *records)
    assert 1 == len(ended(Outcome.COMPLETED, *records))
    assert 1 == len(ended(Outcome.CANCELLED, *records))


def test_a_finished_run_that_nobody_cancelled_is_not_cancelled() -> None:
    """Whatever an earlier cancel may have left is another rule's."""
    assert 1 == len(ended(Outcome.CANCELLED, HELLO, ASKED, FINISHED))
    assert [] == ended(Outcome.CANCELLED, CALLED, HELLO, ASKED, FINISHED)
    assert [] == ended(Outcome.CANCELLED, HELLO, ASKED, ActionTaken("shutdown"), FINISHED)


def test_a_run_that_a_later_prompt_stopped_may_end_as_cancelled() -> None:
    """Also if its stream failed at that moment."""
    end = (1, AgentEnd(Outcome.CANCELLED))
    records = (HELLO, ASKED, PromptCalled("rather"), (1, TerminalTaken(1, "error")), end)
    for policy, broken in (("rollback", 0), ("queue", 1)):
        contract = Contract(reports=REPORTS.reports, second_prompt=policy, queue_on_cancel="park")
        assert broken == len(said("terminal-kind", *records, (1, done()), contract=contract))


def test_an_incomplete_response_is_no_success() -> None:
    """The provider said that something is missing."""
    records = (HELLO, ASKED, TerminalTaken(1, "finish", "incomplete"))
    assert 1 == len(ended(Outcome.COMPLETED, *records))
    assert [] == ended(Outcome.COMPLETED, HELLO, ASKED, TerminalTaken(1, "finish", "length"))


def test_a_silent_close_is_judged_as_declared() -> None:
    """Undeclared it is not judged at all."""
    records = (HELLO, ASKED, TerminalTaken(1, "close"))
    assert [] == ended(Outcome.COMPLETED, *records)
    fails = Contract(reports=REPORTS.reports, silent_close="failed")
    assert 1 == len(ended(Outcome.COMPLETED, *records, contract=fails))
    completes = Contract(reports=REPORTS.reports, silent_close="completed")
    assert [] == ended(Outcome.COMPLETED, *records, contract=completes)
    assert 1 == len(ended(Outcome.FAILED, *records, contract=completes))
    assert [] == ended(Outcome.FAILED, *records, contract=fails)


def test_what_the_user_did_otherwise_is_not_judged() -> None:
    """A shutdown has outcomes of its own."""
    records = (HELLO, ASKED, ActionTaken("shutdown"), TerminalTaken(1, "error"))
    assert [] == ended(Outcome.CANCELLED, *records)


def test_a_rejected_input_stays_rejected() -> None:
    """The filter was first."""
    rejected = (HELLO, InputRejected("no"), CALLED, EFFECTIVE)
    assert [] == ended(Outcome.REJECTED, *rejected)


@pytest.mark.parametrize("cancel", [CancelCalled("api-after-turn"), CALLED])
def test_a_cancel_that_came_too_late_or_may_wait_is_no_occasion(cancel: CancelCalled) -> None:
    """Behind the terminal it changes nothing; a graceful one may lead to either end."""
    end = AgentEnd(Outcome.COMPLETED)
    order = (end, cancel) if cancel is CALLED else (cancel, end)
    judged = verdict("terminal-kind", HELLO, ASKED, FINISHED, *order, done(), contract=REPORTS)
    assert 0 == judged.occasions


def test_a_failure_before_the_cancel_may_end_as_failed() -> None:
    """Both are true, whatever the stream's last words were."""
    for kind in ("error", "close"):
        records = (HELLO, ASKED, TerminalTaken(1, kind), CALLED, EFFECTIVE)
        assert [] == ended(Outcome.FAILED, *records)


@pytest.mark.parametrize(
    "records", [(*CUT, done()), (*SILENT[:3], AgentEnd(Outcome.FAILED), done())]
)
def test_the_kind_has_no_occasion_without_outcome_or_cause(records: tuple[Record, ...]) -> None:
    """Nothing was reported; or the run ended on a finish, whatever came then."""
    assert 0 == verdict("terminal-kind", *records, contract=REPORTS).occasions


# --- no-event-after-terminal --------------------------------------------------------------------


def test_nothing_behind_the_terminal_is_fine() -> None:
    """The end is the end."""
    judged = verdict("no-event-after-terminal", *GOOD, done(), contract=REPORTS)
    assert (1, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize("late", [TurnEnd(1), MessageUpdate("x"), StreamEnd(1)])
def test_an_event_behind_the_terminal_is_broken(late: Record) -> None:
    """Also if it comes during the next run."""
    wanted = [f"{type(late).__name__} of run 1 came after its terminal."]
    assert wanted == said("no-event-after-terminal", *GOOD, late, done())
    later = (done(), PromptCalled("again"), (1, late))
    assert wanted == said("no-event-after-terminal", *GOOD, *later)


def test_text_that_is_shown_late_is_broken() -> None:
    """Behind the settling, or as part of another run."""
    took, shown = ChunkTaken(1, 1, "text", "Hello"), Shown(1, "Hello")
    late = (HELLO, ASKED, took, done(), shown)
    rule = "no-event-after-terminal"
    assert ["Text of run 1 was shown after it had settled."] == said(rule, *late)
    other = (HELLO, ASKED, took, Shown(1, "H"), done(), PromptCalled("again"), ASKED, shown)
    assert ["Text of run 1 was shown as part of run 2."] == said(rule, *other)


def test_late_events_have_no_occasion_without_terminals() -> None:
    """Nothing was reported or shown."""
    assert 0 == verdict("no-event-after-terminal", *SILENT, contract=REPORTS).occasions


# --- settle-order -------------------------------------------------------------------------------

STARTED = ToolStarted("c1", "search", "{}")


def test_the_end_behind_the_last_tool_is_fine() -> None:
    """First the work, then its end."""
    records = (HELLO, STARTED, ToolEnded("c1", "returned"), AgentEnd(), done())
    judged = verdict("settle-order", *records)
    assert (1, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize(
    ("late", "words"),
    [(ToolEffect("c1", 1), "the last effect of a tool"), (ASKED, "its last model request")],
)
def test_work_behind_the_reported_end_is_broken(late: Record, words: str) -> None:
    """The end was reported when the stop was merely asked for."""
    wanted = [f"Run 1 was reported as over before {words}."]
    assert wanted == said("settle-order", HELLO, STARTED, AgentEnd(), late, done())


def test_a_body_that_is_torn_down_may_end_late() -> None:
    """It only winds up."""
    assert [] == said("settle-order", HELLO, STARTED, done(), ToolEnded("c1", "cancelled"))


def test_settle_order_has_no_occasion_before_the_settling() -> None:
    """The run is not over."""
    assert 0 == verdict("settle-order", HELLO, STARTED).occasions


# --- chunk-conservation -------------------------------------------------------------------------


def shown(*pieces: str, final: str = "Hello", between: Record | None = None) -> list[str]:
    """What chunk-conservation says if `pieces` were shown of the message `final`."""
    records = [
        HELLO,
        ASKED,
        *([between] if between else []),
        *(Shown(1, piece) for piece in pieces),
    ]
    later = (PromptCalled("again"), RequestMade(1, (HI, assistant(final), user("again"))))
    return said("chunk-conservation", *records, FINISHED, done(), *later)


def test_deltas_that_make_up_the_message_are_fine() -> None:
    """However the blocks are joined."""
    assert [] == shown("Hel", "lo")
    assert [] == shown("One.", "Two.", final="One.\nTwo.")


@pytest.mark.parametrize(
    ("pieces", "problem"),
    [
        (("Hel", "Hel", "lo"), "more was shown than the final message holds"),
        (("lo",), "not all of the final message had been shown"),
        (("Bye",), "what was shown is not the final message"),
    ],
)
def test_other_deltas_are_broken(pieces: tuple[str, ...], problem: str) -> None:
    """Shown twice, not at all, or something else."""
    assert [f"In run 1, request 1, {problem}."] == shown(*pieces)


def test_text_that_came_with_the_start_was_delivered_too() -> None:
    """Some agents announce a message with its first words in it."""
    assert [] == shown("lo", between=MessageStart(assistant("Hel")))


def test_a_finish_of_a_stream_that_was_told_to_end_finishes_no_message() -> None:
    """It was given up for silence, say, and its text dropped for a message that says so."""
    assert [] == shown("Hello", final="", between=StreamTold(1, "CancelledError"))
    assert 1 == len(shown("Hello", final=""))


def test_messages_of_two_runs_at_once_are_not_told_apart() -> None:
    """Which of them stands where in the history is not known, so neither is judged."""
    first, second = assistant("First"), assistant("Second")
    both = (HI, first, user("hurry"), second, user("again"))
    judged = said(
        "chunk-conservation",
        HELLO,
        ASKED,
        PromptCalled("hurry"),
        RequestMade(1, (user("hurry"),)),
        Shown(1, "Second"),
        FINISHED,
        done(),
        (1, Shown(1, "First")),
        (1, FINISHED),
        (1, done()),
        PromptCalled("again"),
        RequestMade(1, both),
    )
    assert [] == judged


RETRIED = (HELLO, ASKED, Shown(1, "Hel"), TerminalTaken(1, "error"))
SECOND = (RequestMade(2, (HI,)), Shown(2, "Hello"), TerminalTaken(2, "finish", "stop"), done())


def test_a_retry_behind_visible_output_follows_the_declared_policy() -> None:
    """Never, with a boundary, or undeclared and not judged."""
    rule = "chunk-conservation"
    boundary = ProviderRetry(1, 3, "overloaded", 0.0)
    wanted = ["In run 1 a retry was shown behind the text of the failed attempt."]
    assert wanted == said(rule, *RETRIED, *SECOND, contract=retries("with-boundary"))
    assert [] == said(rule, *RETRIED, boundary, *SECOND, contract=retries("with-boundary"))
    assert wanted == said(rule, *RETRIED, boundary, *SECOND, contract=retries("never"))
    assert [] == said(rule, *RETRIED, *SECOND)


def test_an_attempt_that_showed_nothing_may_be_retried() -> None:
    """Nobody saw it."""
    quiet = (HELLO, ASKED, TerminalTaken(1, "error"), *SECOND)
    assert [] == said("chunk-conservation", *quiet, contract=retries("never"))
    finished = (HELLO, ASKED, Shown(1, "Hel"), FINISHED, *SECOND)
    assert [] == said("chunk-conservation", *finished, contract=retries("never"))


def retries(policy: str) -> Contract:
    """An agent with this policy for retries after visible output."""
    return Contract(retry_after_visible_output=policy)


def test_updates_of_which_nobody_saw_anything_are_broken() -> None:
    """What an agent reports that it has shown was handed over; an empty update shows nothing."""
    told = (HELLO, ASKED, MessageUpdate("Hello"), FINISHED, done())
    problem = 'In run 1 the update "Hello" was reported, and nothing was ever shown.'
    assert [problem] == said("chunk-conservation", *told)
    assert [] == said("chunk-conservation", HELLO, ASKED, MessageUpdate(""), FINISHED, done())


def test_conservation_has_no_occasion_if_nothing_is_shown() -> None:
    """No deltas."""
    assert 0 == verdict("chunk-conservation", *SILENT).occasions


# --- observers-agree ----------------------------------------------------------------------------


def test_channels_that_name_one_outcome_agree() -> None:
    """Event, return and log row."""
    records = (HELLO, LogRow(1, True), AgentEnd(Outcome.COMPLETED))
    judged = verdict("observers-agree", *records, done(outcome=Outcome.COMPLETED))
    assert (1, ()) == (judged.occasions, judged.violations)


def test_channels_that_contradict_each_other_are_broken() -> None:
    """The event says completed, the caller gets an exception."""
    records = (HELLO, AgentEnd(Outcome.COMPLETED), done("raised", outcome=Outcome.FAILED))
    assert ["Run 1 is reported as completed and as failed."] == said("observers-agree", *records)


def test_a_failed_log_row_contradicts_a_completed_run() -> None:
    """The last stream failed, says the log."""
    records = (HELLO, LogRow(1, False, "gone"), AgentEnd(Outcome.COMPLETED), done())
    wanted = "Run 1 is reported as completed, but its last log row as failed."
    assert [wanted] == said("observers-agree", *records)


def test_a_cut_stream_is_no_success_in_the_log() -> None:
    """A stream that the cancel ended is not one that finished; one that had finished is."""
    cut = (HELLO, ASKED, CancelCalled("api"), EFFECTIVE)
    ended = (AgentEnd(Outcome.CANCELLED), done(outcome=Outcome.CANCELLED))
    wanted = "Run 1 is reported as cancelled, but the stream it cut is logged as success."
    assert [wanted] == said("observers-agree", *cut, LogRow(1, True), *ended)
    answer = TerminalTaken(1, "aborted", answering=True)
    assert [wanted] == said("observers-agree", *cut, answer, LogRow(1, True), *ended)
    assert [] == said("observers-agree", *cut, LogRow(1, False, "cancelled"), *ended)
    assert [] == said("observers-agree", *cut, LogRow(1, True, reason="given up"), *ended)
    finished = (HELLO, ASKED, TerminalTaken(1, "finish", "tool_calls"), LogRow(1, True))
    assert [] == said("observers-agree", *finished, *cut[2:], *ended)


def test_an_answer_to_the_queue_is_not_the_stream_that_the_first_cancel_cut() -> None:
    """Attempts count anew where the queue begins to run, requests do not."""
    answer = TerminalTaken(1, "aborted", answering=True)
    cut = (HELLO, ASKED, ActionTaken("follow_up"), CancelCalled("api"), answer)
    ended = AgentEnd(Outcome.CANCELLED)
    second = (LogRow(1, True), CancelCalled("api"), ended, done(outcome=Outcome.CANCELLED))
    first = (*cut, LogRow(1, False, "cancelled"), ended, RequestMade(2, (HI,)))
    assert [] == said("observers-agree", *first, TerminalTaken(2, "finish", "stop"), *second)
    late = TerminalTaken(2, "aborted", answering=True)
    assert 1 == len(said("observers-agree", *first, late, *second))


def test_log_rows_of_a_cancelled_part_say_nothing_about_the_queued_one() -> None:
    """Attempts count anew where the queue begins to run."""
    cut = (ActionTaken("follow_up"), LogRow(2, False, "gone"), AgentEnd(Outcome.CANCELLED))
    queued = (LogRow(1, True), AgentEnd(Outcome.COMPLETED), done())
    assert [] == said("observers-agree", HELLO, *cut, *queued)
    assert 1 == len(said("observers-agree", HELLO, *cut, LogRow(1, False, "gone"), *queued[1:]))


@pytest.mark.parametrize(
    "ended", [(Killed((1,)),), (RequestMade(3, (HI,)), LimitHit("deadlock", ""))]
)
def test_log_rows_behind_the_last_end_of_a_run_that_never_settled(
    ended: tuple[Record, ...],
) -> None:
    """They are about what was queued, which has no end: the process was killed, or it hangs."""
    first = (HELLO, ActionTaken("follow_up"), LogRow(1, True), AgentEnd(Outcome.COMPLETED))
    failed = LogRow(1, False, "gone")
    assert [] == said("observers-agree", *first, AgentStart(), failed, *ended)
    assert 1 == len(said("observers-agree", *first[:2], failed, first[-1], *ended))
    assert 1 == len(said("observers-agree", *first, failed, done()))


def test_an_exception_may_stand_for_a_limit() -> None:
    """It has no other word."""
    records = (HELLO, AgentEnd(Outcome.LIMIT), done("raised", outcome=Outcome.FAILED))
    assert [] == said("observers-agree", *records)


def test_a_task_cancel_behind_the_reported_end_contradicts_nothing() -> None:
    """The run was completed, and then its caller was cancelled."""
    records = (HELLO, AgentEnd(Outcome.COMPLETED), CancelCalled("task"), EFFECTIVE)
    cancelled = done("cancelled", outcome=Outcome.CANCELLED)
    assert [] == said("observers-agree", *records, cancelled)
    for presses in (1, 2):  # a second Ctrl-C cancels whatever runs
        two = (HELLO, PromptCalled("aside", "b"), records[1])
        pressed = [(1, CancelCalled("interrupt"))] * presses
        judged = said("observers-agree", *two, *pressed, cancelled, (1, done()))
        assert 2 - presses == len(judged)


def test_events_alone_give_the_history() -> None:
    """A client that missed nothing holds the next request's conversation."""
    call = assistant("", Call("c1", "search", "{}"))
    told = [record for one in (call, tool_result("c1", "3")) for record in heard(one)]
    later = RequestMade(1, (HI, call, tool_result("c1", "3"), user("again")))
    records = (HELLO, *told, done(), PromptCalled("again"), later)
    assert [] == said("observers-agree", *records)
    wanted = "The events give another conversation than request 1 of run 2 holds."
    assert [wanted] == said("observers-agree", *records[:3], *records[5:])


def going_on(*events: Record, held: tuple[Message, ...], sent: tuple[Message, ...]) -> list[str]:
    """What is said of a session that held something, after one run, when the next request sends
    `sent`; `events` come before that run."""
    said_now = assistant("Hello")
    load = SessionLoaded(held), SessionRead(held)
    run = PromptCalled("hi"), RequestMade(1, (*held, HI)), *heard(said_now), done()
    later = PromptCalled("again"), RequestMade(1, (*sent, HI, said_now, user("again")))
    return said("observers-agree", *load, *events, *run, *later)


def test_what_a_session_held_at_the_beginning_is_no_news() -> None:
    """A client that has loaded it as well holds the next request's conversation."""
    call = assistant("", Call("x1", "search", "{}"))
    held = (user("a"), call, tool_result("x1", "3"), assistant("A."))
    wanted = ["The events give another conversation than request 1 of run 2 holds."]
    assert [] == going_on(held=held, sent=held)
    assert wanted == going_on(held=held, sent=held[:-1])
    assert wanted == going_on(held=held, sent=())
    told = [record for message in held for record in heard(message)]
    assert [] == going_on(*told, held=held, sent=held)
    assert wanted == going_on(*told, held=held, sent=held[:-1])


@pytest.mark.parametrize("load", ["ill-formed", "failed", "not-shown"])
def test_a_session_that_cannot_be_taken_up_as_it_is_is_not_compared(load: str) -> None:
    """It is mended where its agent pleases, or nobody knows what was made of it."""
    held = (user("a"), assistant("", Call("x1", "search", "{}")), assistant("A."))
    shown = held if load == "ill-formed" else ()
    loaded = SessionLoaded(shown, "OSError: no" if load == "failed" else "")
    read = SessionRead(held)
    later = PromptCalled("again"), RequestMade(1, (HI, *held[2:], user("again")))
    records = loaded, read, HELLO, ASKED, done(), *later
    assert [] == said("observers-agree", *records)


def heard(message: object) -> tuple[Record, Record]:
    """The events of one message."""
    return MessageStart(message), MessageEnd(message)  # type: ignore[arg-type]


def test_agreement_has_no_occasion_with_one_channel() -> None:
    """Nobody to disagree with."""
    contract = Contract(reports=frozenset({"agent"}))
    assert 0 == verdict("observers-agree", *GOOD, done(), contract=contract).occasions


# --- usage-once ---------------------------------------------------------------------------------

USED = (HELLO, ASKED, UsageTaken(1, 10, 1), UsageTaken(1, 10, 5))


def test_the_last_report_is_counted_once() -> None:
    """Cumulative reports overwrite."""
    judged = verdict("usage-once", *USED, LogRow(1, True, usage=(10, 5)), done(), contract=REPORTS)
    assert (2, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ((LogRow(1, True, usage=(20, 6)),), "is not counted as it was last reported"),
        ((LogRow(1, True, usage=(10, 5)),) * 2, "is counted twice"),
        ((LogRow(1, True),), "is not counted"),
        ((), "is in no log row"),
    ],
)
def test_usage_that_is_added_doubled_or_lost_is_broken(
    rows: tuple[Record, ...], problem: str
) -> None:
    """Each way of counting wrongly."""
    wanted = [f"The usage of request 1 of run 1 {problem}."]
    assert wanted == said("usage-once", *USED, *rows, done())


def test_unknown_usage_is_absent_not_zero() -> None:
    """Nothing was reported, so nothing is known."""
    row = LogRow(1, True, usage=(0, 0))
    wanted = ["The usage of request 1 of run 1 was never reported but is counted."]
    assert wanted == said("usage-once", HELLO, ASKED, row, done())


def test_attempt_records_are_read_if_there_is_no_log() -> None:
    """An agent may keep only its discarded attempts."""
    contract = Contract(reports=frozenset({"attempt"}))
    kept = AttemptKept(1, "", usage=(1, 1))
    assert 1 == len(said("usage-once", *USED, kept, done(), contract=contract))


def test_attempts_may_count_anew_where_queued_work_begins() -> None:
    """The first attempt behind the end of the first part is the second request."""
    first = (*USED, LogRow(1, True, usage=(10, 5)), AgentEnd(Outcome.CANCELLED))
    second = (AgentStart(), RequestMade(2, (HI,)), UsageTaken(2, 7, 7))
    assert [] == said("usage-once", *first, *second, LogRow(1, True, usage=(7, 7)), done())
    assert 1 == len(said("usage-once", *first, *second, LogRow(1, True), done()))
    third = (LogRow(1, False, "gone", (7, 7)), RequestMade(3, (HI,)), UsageTaken(3, 8, 8))
    again = LogRow(2, True, usage=(8, 8))
    assert [] == said("usage-once", *first, *second, *third, again, done())


def test_usage_has_no_occasion_without_reports() -> None:
    """No usage, no log."""
    assert 0 == verdict("usage-once", *SILENT, contract=REPORTS).occasions

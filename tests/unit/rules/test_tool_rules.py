"""The rules about tool bodies and single calls."""

import pytest

from simharness.contract import Contract
from simharness.trace import (
    ActionTaken,
    AgentEnd,
    Call,
    CancelCalled,
    CancelEffective,
    ChunkTaken,
    HookCalled,
    Message,
    Opaque,
    Outcome,
    PromptCalled,
    Record,
    ReplayTaken,
    RequestMade,
    StreamTold,
    TerminalTaken,
    Text,
    ToolEffect,
    ToolEnded,
    ToolStarted,
    TurnEnd,
    TurnStart,
    assistant,
    tool_result,
    user,
)
from simharness.verdict import Judgement
from tests.unit.rules.traces import REPORTS, done, texts, verdict

HI = user("hi")
NO_GRACE = Contract(cancel_grace="0")
CALLED, EFFECTIVE = CancelCalled("api"), CancelEffective()
TWO_CALLS: tuple[Record, ...] = (
    PromptCalled("hi"),
    RequestMade(1, (HI,), tools=("search", "save")),
    ChunkTaken(1, 1, "args", "{}", "c1", "search"),
    ChunkTaken(1, 2, "args", "{}", "c2", "save"),
    TerminalTaken(1, "finish", "tool_calls"),
)
ONE, TWO = ToolStarted("c1", "search", "{}"), ToolStarted("c2", "save", "{}")
ONE_DONE, TWO_DONE = ToolEnded("c1", "returned", "3 hits"), ToolEnded("c2", "returned", "saved")
BOTH = assistant("", Call("c1", "search", "{}"), Call("c2", "save", "{}"))
PLAIN = (PromptCalled("hi"), RequestMade(1, (HI,)), TerminalTaken(1, "finish", "stop"), done())


# --- no-tool-start-after-cancel ---------------------------------------------------------------


def late(*records: Record, contract: Contract = NO_GRACE) -> list[str]:
    """What no-tool-start-after-cancel says about two calls, `records`, and the end."""
    rule = "no-tool-start-after-cancel"
    return texts(verdict(rule, *TWO_CALLS, *records, done("cancelled"), contract=contract))


def test_a_queued_call_that_never_starts_is_fine() -> None:
    """The first tool ends, the second is not run."""
    rule = "no-tool-start-after-cancel"
    judged = verdict(rule, *TWO_CALLS, ONE, CALLED, EFFECTIVE, ONE_DONE, done("cancelled"))
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_tool_that_starts_after_the_cancel_is_broken() -> None:
    """The second tool runs although the user said stop."""
    wanted = ["In run 1 tool save was started after the cancel."]
    assert wanted == late(ONE, CALLED, EFFECTIVE, ONE_DONE, TWO)


def test_a_start_within_the_grace_is_a_note() -> None:
    """Between call and effect only an agent without grace is to blame."""
    rule = "no-tool-start-after-cancel"
    judged = verdict(rule, *TWO_CALLS, ONE, CALLED, TWO, EFFECTIVE, done("cancelled"))
    assert () == judged.violations
    assert ("late start within the grace of the cancel: tool save",) == judged.notes
    assert 1 == len(late(ONE, CALLED, TWO, EFFECTIVE))


@pytest.mark.parametrize("cancel", [CancelCalled("task"), CancelCalled("api", inside=True)])
def test_without_grace_only_a_cancel_the_agent_was_told_of_counts_at_once(
    cancel: CancelCalled,
) -> None:
    """A task.cancel() is not known before it is delivered, nor may ready tasks know of it."""
    assert [] == late(ONE, cancel, TWO, EFFECTIVE)


def test_the_step_that_called_the_cancel_has_no_grace() -> None:
    """It was told before it went on."""
    started = ToolStarted("c2", "save", "{}", told=True)
    wanted = ["In run 1 tool save was started by the step that had called the cancel."]
    assert wanted == late(ONE, CancelCalled("api", inside=True), started, EFFECTIVE)


def test_middleware_counts_unless_the_chain_may_finish() -> None:
    """A hook in front of a tool is a start, except where the contract lets it run."""
    hook = HookCalled("middleware", 2)
    assert 1 == len(late(CALLED, EFFECTIVE, hook))
    finishes = Contract(hooks_after_cancel="rest-of-chain")
    assert [] == late(CALLED, EFFECTIVE, hook, contract=finishes)
    assert 1 == len(late(CALLED, EFFECTIVE, HookCalled("middleware", 1), contract=finishes))
    assert [] == late(CALLED, EFFECTIVE, HookCalled("after_turn"))


def test_a_graceful_cancel_counts_from_the_end_of_the_turn() -> None:
    """Tools of the current turn may still run, those of the next may not."""
    graceful = CancelCalled("api-after-turn")
    turns = (TurnStart(1), ONE, graceful, ONE_DONE, TWO, TurnEnd(1))
    assert [] == late(*turns, contract=REPORTS)
    assert 1 == len(late(*turns, TurnStart(2), ToolStarted("c3", "save", "{}"), contract=REPORTS))


def test_queued_work_may_start_tools_after_a_cancel() -> None:
    """A queue that runs on is the contract's business."""
    queued = ActionTaken("follow_up")
    assert [] == late(queued, CALLED, EFFECTIVE, TWO)
    assert 1 == len(late(queued, CALLED, EFFECTIVE, TWO, contract=Contract(queue_on_cancel="drop")))


def test_leaving_the_iterator_counts_only_where_it_stops_the_run() -> None:
    """Otherwise the run may carry on."""
    left = CancelCalled("close")
    assert [] == late(left, EFFECTIVE, TWO)
    assert 1 == len(late(left, EFFECTIVE, TWO, contract=Contract(disconnect="stops")))


def test_late_starts_have_no_occasion_without_a_cancel() -> None:
    """Nobody said stop."""
    assert 0 == verdict("no-tool-start-after-cancel", *TWO_CALLS, ONE, TWO, done()).occasions


# --- no-orphan-work -----------------------------------------------------------------------------


def test_a_run_that_settles_behind_its_tools_leaves_no_orphans() -> None:
    """Everything happened before the end."""
    judged = verdict("no-orphan-work", *TWO_CALLS, ONE, ToolEffect("c1", 1), ONE_DONE, done())
    assert (1, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (ToolEffect("c1", 1), "tool search had an effect"),
        (ONE_DONE, "tool search ran to its end"),
        (TWO, "tool save was started"),
        (RequestMade(2, (HI,)), "a model request was made"),
    ],
)
def test_work_behind_the_settling_is_broken(record: Record, words: str) -> None:
    """Whatever a settled run still does, it does behind its caller's back."""
    judged = verdict("no-orphan-work", *TWO_CALLS, ONE, done("cancelled"), record)
    assert [f"After run 1 had settled {words}."] == texts(judged)


@pytest.mark.parametrize(
    "records",
    [
        (ToolStarted("c1", "search", "{}", thread=True), done("cancelled"), ToolEffect("c1", 1)),
        (ONE, done("cancelled"), ToolEnded("c1", "cancelled")),
    ],
)
def test_threads_and_bodies_that_are_torn_down_are_notes(records: tuple[Record, ...]) -> None:
    """asyncio cannot stop a thread, and a cancelled body winds up."""
    judged = verdict("no-orphan-work", *TWO_CALLS, *records)
    assert ((), 1) == (judged.violations, len(judged.notes))


def test_a_worker_that_serves_later_prompts_is_no_orphan() -> None:
    """What a long-lived worker does is stamped with the prompt under which it was made."""
    serves = (1, RequestMade(2, (HI, assistant("ok"), user("again"))))
    judged = verdict("no-orphan-work", *PLAIN, PromptCalled("again"), serves, done())
    assert () == judged.violations


def test_orphans_have_no_occasion_before_the_settling() -> None:
    """A run that did not settle cannot leave anything."""
    assert 0 == verdict("no-orphan-work", *TWO_CALLS, ONE).occasions


# --- cancel-scope -------------------------------------------------------------------------------

OPEN_STREAM = (PromptCalled("hi"), RequestMade(1, (HI,)))


def test_a_cancel_that_reaches_stream_and_tool_has_its_scope() -> None:
    """The stream is told, the body ends within the run."""
    told = verdict("cancel-scope", *OPEN_STREAM, CALLED, StreamTold(1, "signal"), done())
    body = verdict("cancel-scope", *TWO_CALLS, ONE, CALLED, ONE_DONE, done())
    assert [(1, ()), (1, ())] == [(j.occasions, j.violations) for j in (told, body)]


def test_a_stream_that_is_never_told_is_broken() -> None:
    """The provider goes on generating."""
    judged = verdict("cancel-scope", *OPEN_STREAM, CALLED, done())
    assert ["The cancel of run 1 did not reach its model stream."] == texts(judged)


def test_a_body_that_outlives_the_cancelled_run_is_broken() -> None:
    """It was never told, or told and not waited for: the text claims neither."""
    judged = verdict("cancel-scope", *TWO_CALLS, ONE, CALLED, done(), ONE_DONE)
    assert ["The cancel of run 1 did not end tool search before the run was over."] == texts(judged)


def test_a_cancel_that_hits_another_session_is_broken() -> None:
    """Two sessions share one flag."""
    judged = verdict(
        "cancel-scope",
        PromptCalled("hi"),
        PromptCalled("hi", "b"),
        (1, CALLED),
        (2, done("cancelled", outcome=Outcome.CANCELLED)),
        (1, done("cancelled")),
    )
    assert ["The cancel of run 1 cancelled run 2 of another session."] == texts(judged)


@pytest.mark.parametrize(("policy", "broken"), [("queue", 1), ("interrupt", 0), ("rollback", 0)])
def test_a_run_that_another_prompt_stopped_was_not_cancelled_from_beside(
    policy: str, broken: int
) -> None:
    """It was interrupted or rolled back, and not over yet when the run beside it was cancelled."""
    judged = verdict(
        "cancel-scope",
        PromptCalled("hi"),
        PromptCalled("rather"),
        PromptCalled("aside", "b"),
        (3, CALLED),
        (1, done("cancelled", outcome=Outcome.CANCELLED)),
        (3, done("cancelled")),
        (2, done()),
        contract=Contract(second_prompt=policy),
    )
    assert broken == len(judged.violations)


@pytest.mark.parametrize(("presses", "broken"), [(1, 1), (2, 0)])
def test_a_second_ctrl_c_cancels_whatever_runs(presses: int, broken: int) -> None:
    """It is raised out of the event loop, whereupon every task is cancelled."""
    judged = verdict(
        "cancel-scope",
        PromptCalled("hi"),
        PromptCalled("aside", "b"),
        *[(1, CancelCalled("interrupt"))] * presses,
        (1, done("cancelled")),
        (2, done("cancelled")),
    )
    assert broken == len(judged.violations)


def test_scope_has_no_occasion_if_nothing_was_open() -> None:
    """A cancel between two steps reaches nothing."""
    assert 0 == verdict("cancel-scope", *PLAIN[:3], CALLED, done()).occasions


# --- tool-exec-once -----------------------------------------------------------------------------


def test_each_call_run_once_is_fine() -> None:
    """Two calls, two bodies."""
    judged = verdict("tool-exec-once", *TWO_CALLS, ONE, ONE_DONE, TWO, TWO_DONE, done())
    assert (2, ()) == (judged.occasions, judged.violations)


def test_a_call_that_is_run_twice_is_broken() -> None:
    """A preview was acted on, and its final form as well."""
    again = ChunkTaken(1, 3, "args", "{}", "c1", "search")
    judged = verdict("tool-exec-once", *TWO_CALLS[:4], again, *TWO_CALLS[4:], ONE, ONE, done())
    assert ["Call c1 of search was run more than once."] == texts(judged)


def test_an_id_that_the_model_used_for_two_calls_may_be_run_twice() -> None:
    """The calls are different, only their name is not."""
    other = ChunkTaken(1, 3, "args", '{"q": 1}', "c1", "search")
    judged = verdict("tool-exec-once", *TWO_CALLS[:4], other, *TWO_CALLS[4:], ONE, ONE, done())
    assert () == judged.violations


def test_running_once_has_no_occasion_without_tools() -> None:
    """No body started."""
    assert 0 == verdict("tool-exec-once", *PLAIN).occasions


# --- sibling-isolation --------------------------------------------------------------------------

FAILS = ToolEnded("c1", "raised", "boom")
ERROR = tool_result("c1", "boom", is_error=True)


def siblings(*results: Message) -> list[str]:
    """The first tool fails, the second returns; the next request holds `results`."""
    asked = RequestMade(2, (HI, BOTH, *results))
    rule = "sibling-isolation"
    return texts(verdict(rule, *TWO_CALLS, ONE, TWO, FAILS, TWO_DONE, asked, done()))


def test_the_result_of_a_sibling_survives() -> None:
    """Error and result stand side by side."""
    assert [] == siblings(ERROR, tool_result("c2", "saved"))


@pytest.mark.parametrize("results", [(), (tool_result("c2", "aborted", is_error=True),)])
def test_a_lost_sibling_is_broken(results: tuple[Message, ...]) -> None:
    """Dropped, or replaced by an error, although the tool returned."""
    assert ["In run 1 the result of save was lost when search failed."] == siblings(ERROR, *results)


def test_a_failed_run_that_is_kept_keeps_its_good_results() -> None:
    """The next prompt's history holds the response, so it is judged there."""
    records = (*TWO_CALLS, ONE, TWO, FAILS, TWO_DONE, done("raised"))
    later = (PromptCalled("again"), RequestMade(1, (HI, BOTH, ERROR, user("again"))))
    assert 1 == len(verdict("sibling-isolation", *records, *later).violations)
    assert 0 == verdict("sibling-isolation", *records).occasions


def test_a_failed_run_that_is_dropped_as_a_whole_is_not_judged() -> None:
    """Nothing of it is in the next prompt's history."""
    records = (*TWO_CALLS, ONE, TWO, FAILS, TWO_DONE, done("raised"))
    later = (PromptCalled("again"), RequestMade(1, (user("again"),)))
    assert 0 == verdict("sibling-isolation", *records, *later).occasions


# --- bad-tool-answered --------------------------------------------------------------------------

UNKNOWN = (
    *TWO_CALLS[:2],
    ChunkTaken(1, 1, "args", "{}", "c1", "serch"),
    TerminalTaken(1, "finish", "tool_calls"),
)
CALL = assistant("", Call("c1", "serch", "{}"))


def test_an_unknown_tool_that_is_answered_is_fine() -> None:
    """The model hears of its mistake."""
    answer = RequestMade(2, (HI, CALL, tool_result("c1", "unknown tool", is_error=True)))
    judged = verdict("bad-tool-answered", *UNKNOWN, answer, done())
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_call_may_be_sent_back_under_a_legal_name() -> None:
    """Providers refuse illegal names in a history; the id says which call it is."""
    renamed = assistant("", Call("c1", "INVALID", "{}"))
    answer = RequestMade(2, (HI, renamed, tool_result("c1", "no legal name", is_error=True)))
    judged = verdict("bad-tool-answered", *UNKNOWN, answer, done())
    assert (1, ()) == (judged.occasions, judged.violations)
    bare = verdict("bad-tool-answered", *UNKNOWN, RequestMade(2, (HI, renamed)), done())
    assert 1 == len(bare.violations)


def test_an_unknown_tool_that_ends_the_run_is_broken() -> None:
    """A slip of the model must not end the conversation."""
    judged = verdict("bad-tool-answered", *UNKNOWN, done("raised", error="KeyError"))
    assert ["Run 1 ended on a call of an unknown tool (serch)."] == texts(judged)


def test_an_unknown_tool_that_stays_unanswered_is_broken() -> None:
    """The loop goes on but the call has no result."""
    judged = verdict("bad-tool-answered", *UNKNOWN, RequestMade(2, (HI, CALL)), done())
    wanted = "In request 2 of run 1 the call of an unknown tool (serch) is not answered."
    assert [wanted] == texts(judged)


def test_an_agent_that_sends_calls_as_text_cannot_be_asked_for_their_answers() -> None:
    """Its requests hold neither calls nor results, and the calls as something opaque."""
    said = Message("assistant", (Text("Look."), Opaque("calling serch")))
    answer = RequestMade(2, (HI, said, user("Error: unknown tool")))
    assert Judgement() == verdict("bad-tool-answered", *UNKNOWN, answer, done())


def test_a_limit_may_end_the_run_on_an_unknown_tool() -> None:
    """It was over anyway."""
    end = AgentEnd(Outcome.LIMIT)
    assert 0 == verdict("bad-tool-answered", *UNKNOWN, end, done(), contract=REPORTS).occasions


def test_another_prompt_may_end_the_run_on_an_unknown_tool() -> None:
    """It took the place of the run."""
    second = (PromptCalled("rather"), (1, done("cancelled")), (2, done()))
    assert 0 == verdict("bad-tool-answered", *UNKNOWN, *second).occasions


@pytest.mark.parametrize(
    "end",
    [
        TerminalTaken(1, "error"),
        TerminalTaken(1, "finish", "length"),
        TerminalTaken(1, "finish", "tool_calls", answering=True),
    ],
)
def test_a_response_that_asked_for_nothing_is_no_occasion(end: Record) -> None:
    """It failed, was cut at the output limit, or was finished only because it was given up."""
    assert 0 == verdict("bad-tool-answered", *UNKNOWN[:3], end, done()).occasions


@pytest.mark.parametrize(("told", "broken"), [((StreamTold(1, "CancelledError"),), 0), ((), 1)])
def test_an_answer_that_was_under_way_when_its_stream_was_given_up_comes_too_late(
    told: tuple[Record, ...], broken: int
) -> None:
    """The limit of silence was over in the same moment; an answer in time is another matter."""
    answered = (*UNKNOWN[:3], *told, UNKNOWN[3])
    failed = verdict("bad-tool-answered", *answered, done("raised"))
    again = (RequestMade(2, (HI,), tools=("search",)), TerminalTaken(2, "finish", "stop"), done())
    repeated = verdict("bad-tool-answered", *answered, *again)
    assert (broken, broken) == (failed.occasions, len(failed.violations))
    assert (broken, broken) == (repeated.occasions, len(repeated.violations))


def test_a_call_behind_the_reported_end_of_an_answer_is_none_of_it() -> None:
    """Who reads on ignores it; a call in front of the end is still to be answered."""
    behind = (*UNKNOWN[:2], UNKNOWN[3], UNKNOWN[2])
    assert 0 == verdict("bad-tool-answered", *behind, done()).occasions
    both = (*UNKNOWN, ChunkTaken(1, 2, "args", "{}", "c2", "look"))
    wanted = ["Run 1 ended on a call of an unknown tool (serch)."]
    assert wanted == texts(verdict("bad-tool-answered", *both, done()))


def test_an_answer_whose_end_was_reported_does_not_begin_anew() -> None:
    """What the stream says behind it takes none of its calls back."""
    judged = verdict("bad-tool-answered", *UNKNOWN, ReplayTaken(1), done())
    assert ["Run 1 ended on a call of an unknown tool (serch)."] == texts(judged)


def test_the_rest_of_a_call_that_was_taken_back_is_no_call_of_that_tool() -> None:
    """The stream began anew; the piece that came then bears neither name nor id."""
    began = (*UNKNOWN[:2], ChunkTaken(1, 1, "args", "{", "c1", "serch"), ReplayTaken(1))
    rest = (ChunkTaken(1, 2, "args", "}", "c1", "serch"), UNKNOWN[-1])
    nameless = assistant("", Call("call-0", "", "}"))
    answer = RequestMade(2, (HI, nameless, tool_result("call-0", "no tool ''", is_error=True)))
    assert 0 == verdict("bad-tool-answered", *began, *rest, answer, done()).occasions
    another = ChunkTaken(1, 2, "args", "{}", "c2", "serch")
    judged = verdict("bad-tool-answered", *began, another, UNKNOWN[-1], done())
    assert ["Run 1 ended on a call of an unknown tool (serch)."] == texts(judged)


def test_known_tools_are_no_occasion() -> None:
    """Both tools were offered."""
    assert 0 == verdict("bad-tool-answered", *TWO_CALLS, ONE, TWO, done()).occasions

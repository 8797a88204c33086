"""The rules about what the model is told of a turn that did not come to its end."""

import attrs
import pytest

from simharness.contract import Contract
from simharness.trace import (
    ActionTaken,
    Call,
    CancelCalled,
    CancelEffective,
    ChunkTaken,
    Message,
    PromptCalled,
    Record,
    RequestMade,
    TerminalTaken,
    ToolEnded,
    ToolStarted,
    assistant,
    tool_result,
    user,
)
from tests.unit.rules.traces import done, texts, verdict

HI = user("hi")
AGAIN = user("again")
EMPTY = Message("assistant")
KEPT = Contract(cut_message="kept")
VISIBLE = Contract(abort_visible="yes")
DEPLOY = assistant("", Call("c1", "deploy", "{}"))


def run(*ends: Record, then: tuple[Message, ...]) -> list[Record]:
    """A run that ends so, and the next prompt, which sends `then`."""
    return [
        PromptCalled("hi"),
        RequestMade(1, (HI,)),
        *ends,
        done(),
        PromptCalled("again"),
        RequestMade(1, (*then, AGAIN)),
    ]


def cut(*then: Message, before: tuple[Record, ...] = ()) -> list[Record]:
    """A run that is cancelled behind `before`."""
    answer = TerminalTaken(1, "aborted", "user", answering=True)
    return run(*before, CancelCalled("api"), CancelEffective(), answer, then=(HI, *then))


FINISHED = TerminalTaken(1, "finish", "stop")
DEPLOYING = (
    ChunkTaken(1, 1, "args", "{}", "c1", "deploy"),
    TerminalTaken(1, "finish", "tool_calls"),
    ToolStarted("c1", "deploy", "{}"),
)
STREAMING = (ChunkTaken(1, 1, "text", "One. "),)


# --- no-empty-message ---------------------------------------------------------------------------


def test_a_message_with_content_is_kept() -> None:
    """Nothing is empty."""
    judged = verdict("no-empty-message", *run(FINISHED, then=(HI, assistant("a"))), contract=KEPT)
    assert (1, ()) == (judged.occasions, judged.violations)


def test_an_empty_message_is_broken() -> None:
    """Once, however many requests repeat it."""
    records = [*run(FINISHED, then=(HI, EMPTY)), RequestMade(2, (HI, EMPTY, AGAIN))]
    judged = verdict("no-empty-message", *records, contract=KEPT)
    assert ["In request 1 of run 2 an empty assistant message was added."] == texts(judged)


@pytest.mark.parametrize(
    "contract",
    [Contract(cut_message="emptied"), Contract(cut_message="kept", empty_cancel="empty-message")],
)
def test_a_cancel_may_leave_an_empty_message_where_it_is_declared(contract: Contract) -> None:
    """There and nowhere else."""
    assert () == verdict("no-empty-message", *cut(EMPTY), contract=contract).violations
    finished = run(FINISHED, then=(HI, EMPTY))
    assert 1 == len(verdict("no-empty-message", *finished, contract=contract).violations)


def test_a_failure_may_leave_an_empty_message_where_it_is_declared() -> None:
    """Some providers' clients do."""
    contract = Contract(cut_message="kept", failed_final="empty-message")
    failed = run(TerminalTaken(1, "error", "boom"), then=(HI, EMPTY))
    assert () == verdict("no-empty-message", *failed, contract=contract).violations
    assert 1 == len(verdict("no-empty-message", *failed, contract=KEPT).violations)


def test_an_answer_that_comes_when_the_stream_is_given_up_is_none() -> None:
    """It was silent for too long, say; to that it answers that it is finished."""
    contract = Contract(cut_message="kept", failed_final="empty-message")
    late = run(TerminalTaken(1, "finish", "stop", answering=True), then=(HI, EMPTY))
    assert () == verdict("no-empty-message", *late, contract=contract).violations
    assert 1 == len(verdict("no-empty-message", *late, contract=KEPT).violations)


def test_a_withdrawn_answer_is_a_failure() -> None:
    """It finished, but its provider takes it back."""
    contract = Contract(cut_message="kept", failed_final="empty-message")
    withdrawn = run(TerminalTaken(1, "finish", "content_filter"), then=(HI, EMPTY))
    assert () == verdict("no-empty-message", *withdrawn, contract=contract).violations
    assert 1 == len(verdict("no-empty-message", *withdrawn, contract=KEPT).violations)


def test_a_stream_that_is_given_up_is_a_failure() -> None:
    """It never ended."""
    contract = Contract(cut_message="kept", failed_final="empty-message")
    given_up = run(*STREAMING, then=(HI, EMPTY))
    assert () == verdict("no-empty-message", *given_up, contract=contract).violations
    assert 1 == len(verdict("no-empty-message", *given_up, contract=KEPT).violations)


def test_a_stream_that_just_ends_is_an_answer_where_it_is_declared() -> None:
    """Then it is no failure, and may be one in which there is nothing."""
    close = run(TerminalTaken(1, "close"), then=(HI, EMPTY))
    failed = Contract(cut_message="kept", failed_final="empty-message")
    assert () == verdict("no-empty-message", *close, contract=failed).violations
    answer = Contract(cut_message="kept", silent_close="completed", empty_answer="kept")
    assert () == verdict("no-empty-message", *close, contract=answer).violations
    both = attrs.evolve(failed, silent_close="completed")
    assert 1 == len(verdict("no-empty-message", *close, contract=both).violations)


def test_an_answer_without_content_may_stay_where_it_is_declared() -> None:
    """One for each, and none for an answer that had content."""
    contract = Contract(cut_message="kept", empty_answer="kept")
    nothing = run(FINISHED, then=(HI, EMPTY))
    assert () == verdict("no-empty-message", *nothing, contract=contract).violations
    assert () == verdict("request-wellformed", *nothing, contract=contract).violations
    twice = run(FINISHED, then=(HI, EMPTY, EMPTY))
    assert 1 == len(verdict("no-empty-message", *twice, contract=contract).violations)
    said = run(*STREAMING, FINISHED, then=(HI, EMPTY))
    assert 1 == len(verdict("no-empty-message", *said, contract=contract).violations)


def test_calls_dropped_at_the_output_limit_leave_an_answer_without_content() -> None:
    """Of a call that was run something is left."""
    contract = Contract(cut_message="kept", empty_answer="kept")
    piece = ChunkTaken(1, 1, "args", "{}", "c1", "deploy")
    cut_off = run(piece, TerminalTaken(1, "finish", "length"), then=(HI, EMPTY))
    assert () == verdict("no-empty-message", *cut_off, contract=contract).violations
    called = run(piece, TerminalTaken(1, "finish", "tool_calls"), then=(HI, EMPTY))
    assert 1 == len(verdict("no-empty-message", *called, contract=contract).violations)


def test_a_run_that_a_later_prompt_interrupts_may_leave_what_a_cancel_may() -> None:
    """It was cut all the same."""
    emptied = Contract(cut_message="emptied", second_prompt="interrupt")
    records: list[Record | tuple[int, Record]] = [
        PromptCalled("hi"),
        RequestMade(1, (HI,)),
        (2, PromptCalled("again")),
        done(),
        (2, RequestMade(1, (HI, EMPTY, AGAIN))),
    ]
    assert () == verdict("no-empty-message", *records, contract=emptied).violations
    rejects = Contract(cut_message="emptied", second_prompt="reject")
    assert 1 == len(verdict("no-empty-message", *records, contract=rejects).violations)


def test_a_history_without_answers_is_no_occasion() -> None:
    """There is nothing that could be empty."""
    assert 0 == verdict("no-empty-message", *run(then=(HI,)), contract=KEPT).occasions


# --- abort-visible ------------------------------------------------------------------------------


def test_a_result_that_tells_of_the_stop_shows_it() -> None:
    """The model reads that its tool was interrupted."""
    told = tool_result("c1", "interrupted by the user", is_error=True)
    judged = verdict("abort-visible", *cut(DEPLOY, told, before=DEPLOYING), contract=VISIBLE)
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_turn_that_leaves_nothing_is_broken() -> None:
    """The model does it again."""
    judged = verdict("abort-visible", *cut(before=DEPLOYING), contract=VISIBLE)
    wanted = "nothing in the next history shows that the turn was cut."
    assert [f"After the cancel of run 1 {wanted}"] == texts(judged)


def test_an_open_call_is_broken() -> None:
    """It asks for its result."""
    judged = verdict("abort-visible", *cut(DEPLOY, before=DEPLOYING), contract=VISIBLE)
    wanted = "the next history holds a call without a result."
    assert [f"After the cancel of run 1 {wanted}"] == texts(judged)


def test_a_declared_marker_shows_the_stop() -> None:
    """In the agent's own words."""
    marked = Contract(abort_visible="yes", cancel_marker="user-message([halt])")
    records = cut(assistant("One. "), user("[halt]"), before=STREAMING)
    assert () == verdict("abort-visible", *records, contract=marked).violations
    assert 1 == len(verdict("abort-visible", *records, contract=VISIBLE).violations)


def test_what_the_model_itself_said_of_a_stop_shows_nothing() -> None:
    """It was talking about something else."""
    said = (ChunkTaken(1, 1, "text", "To cancel, "),)
    records = cut(assistant("To cancel, "), before=said)
    assert 1 == len(verdict("abort-visible", *records, contract=VISIBLE).violations)
    records = cut(assistant("To cancel, [interrupted]"), before=said)
    assert () == verdict("abort-visible", *records, contract=VISIBLE).violations


def test_tools_that_had_ended_and_answers_that_had_finished_were_not_cut() -> None:
    """There is nothing to show."""
    ended = (*DEPLOYING, ToolEnded("c1", "returned", "ok"))
    records = cut(DEPLOY, tool_result("c1", "ok"), before=ended)
    assert 0 == verdict("abort-visible", *records, contract=VISIBLE).occasions
    records = cut(assistant("One. "), before=(*STREAMING, FINISHED))
    assert 0 == verdict("abort-visible", *records, contract=VISIBLE).occasions


def test_a_marker_for_cut_calls_is_owed_only_for_them() -> None:
    """Text that was cut speaks for itself."""
    calls = Contract(abort_visible="yes", cancel_marker_when="calls-cut")
    assert 0 == verdict("abort-visible", *cut(before=STREAMING), contract=calls).occasions
    assert 1 == verdict("abort-visible", *cut(before=DEPLOYING), contract=calls).occasions
    piece, finish = DEPLOYING[:2]
    assert 0 == verdict("abort-visible", *cut(before=(piece,)), contract=calls).occasions
    races = run(piece, CancelCalled("api"), finish, CancelEffective(), then=(HI,))
    assert 0 == verdict("abort-visible", *races, contract=calls).occasions


def test_an_agent_that_does_not_disclose_aborts_is_not_judged() -> None:
    """It says so."""
    hides = Contract(abort_visible="no")
    assert 0 == verdict("abort-visible", *cut(before=DEPLOYING), contract=hides).occasions


def test_a_note_is_owed_for_a_callers_stop_alone() -> None:
    """It claims that somebody has asked for it; the last message may be one, too."""
    notes = Contract(abort_visible="yes", cancel_marker="note([halt])")
    assert 1 == len(verdict("abort-visible", *cut(before=STREAMING), contract=notes).violations)
    asked = (*STREAMING, ActionTaken("shutdown"))
    assert 0 == verdict("abort-visible", *cut(before=asked), contract=notes).occasions

"""The rules about what an interrupted or failed stream leaves in the history."""

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
    Reasoning,
    Record,
    RequestMade,
    Shown,
    StreamClosed,
    StreamTold,
    TerminalTaken,
    assistant,
    user,
)
from tests.unit.rules.traces import done, texts, verdict

HI = user("hi")
KEPT = Contract(cut_message="kept")
DROPS = Contract(error_content="dropped")


def cut(*after: Message, shown: str = "One. ", ends: Record | None = None) -> list[Record]:
    """Two chunks taken, `shown` of them shown, a cancel, and the next prompt with `after`."""
    return [
        PromptCalled("hi"),
        RequestMade(1, (HI,)),
        ChunkTaken(1, 1, "text", "One. "),
        ChunkTaken(1, 2, "text", "Two. "),
        *([Shown(1, shown)] if shown else []),
        *([ends] if ends else []),
        CancelCalled("api"),
        CancelEffective(),
        TerminalTaken(1, "aborted", "user", answering=True),
        done("cancelled"),
        PromptCalled("again"),
        RequestMade(1, (HI, *after, user("again"))),
    ]


@pytest.mark.parametrize("kept", ["One. ", "One. T", "One. Two. "])
def test_what_lies_between_shown_and_taken_may_be_kept(kept: str) -> None:
    """At least what the user saw, at most what the agent had."""
    judged = verdict("delivered-prefix-kept", *cut(assistant(kept)), contract=KEPT)
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_lost_prefix_is_broken() -> None:
    """The user has read a sentence of which the history knows nothing."""
    judged = verdict("delivered-prefix-kept", *cut(), contract=KEPT)
    assert ["After the cancel of run 1 the text that had been shown is lost."] == texts(judged)


def test_less_than_what_was_shown_is_broken() -> None:
    """A part of what the user saw is missing."""
    judged = verdict("delivered-prefix-kept", *cut(assistant("On")), contract=KEPT)
    assert 1 == len(judged.violations)


def test_more_than_what_was_taken_is_broken() -> None:
    """Text that the agent never had cannot be of this stream."""
    judged = verdict("delivered-prefix-kept", *cut(assistant("One. Two. 3")), contract=KEPT)
    assert 1 == len(judged.violations)


def test_a_stream_that_was_given_up_before_the_cancel_was_not_cut_by_it() -> None:
    """For silence, say: its text was a failure's when somebody cancelled what came behind."""
    judged = verdict("delivered-prefix-kept", *cut(ends=StreamClosed(1, "aclose")), contract=KEPT)
    assert (0, ()) == (judged.occasions, judged.violations)
    finished = TerminalTaken(1, "finish", "stop")
    closed = [*cut(ends=finished)[:6], StreamClosed(1, "aclose"), *cut()[5:7], *cut()[8:]]
    assert 1 == len(verdict("delivered-prefix-kept", *closed, contract=KEPT).violations)


def test_an_agent_that_shows_nothing_may_keep_nothing() -> None:
    """Only what was shown is owed."""
    assert () == verdict("delivered-prefix-kept", *cut(shown=""), contract=KEPT).violations


def test_the_declared_mark_is_not_part_of_the_text() -> None:
    """An agent may say in the text that the message was cut."""
    marked = Contract(cut_message="kept", cut_mark="text([cut] )")
    records = cut(assistant("[cut] One. "))
    assert () == verdict("delivered-prefix-kept", *records, contract=marked).violations


@pytest.mark.parametrize("declared", ["emptied", "removed"])
def test_an_agent_that_drops_the_cut_message_keeps_nothing_of_it(declared: str) -> None:
    """The opposite promise is judged the other way round."""
    drops = Contract(cut_message=declared)
    assert () == verdict("delivered-prefix-kept", *cut(), contract=drops).violations
    broken = verdict("delivered-prefix-kept", *cut(assistant("One. ")), contract=drops)
    assert 1 == len(broken.violations)


def test_reasoning_is_owed_unless_only_text_is_promised() -> None:
    """Kept means all of the message; text-only says so."""
    thought = [
        *cut(shown="")[:2],
        ChunkTaken(1, 1, "reasoning", "Hm."),
        Shown(1, "Hm.", reasoning=True),
    ]
    lost = [*thought, *cut(shown="")[4:]]
    assert 1 == len(verdict("delivered-prefix-kept", *lost, contract=KEPT).violations)
    text_only = Contract(cut_message="text-only")
    assert () == verdict("delivered-prefix-kept", *lost, contract=text_only).violations
    kept = [*thought, *cut(Message("assistant", (Reasoning("Hm."),)), shown="")[4:]]
    assert () == verdict("delivered-prefix-kept", *kept, contract=KEPT).violations


def test_messages_of_earlier_turns_are_not_the_cut_one() -> None:
    """Only what comes behind the messages of the cut request is compared."""
    first = assistant("", Call("c1", "search", "{}"))
    records = cut(first, assistant("One. "))
    records[1] = RequestMade(1, (HI, first))
    assert () == verdict("delivered-prefix-kept", *records, contract=KEPT).violations


def test_a_finished_message_is_owed_as_a_cut_one_is() -> None:
    """A cancel between the finish and the commit must not lose what the user has read."""
    finish = TerminalTaken(1, "finish", "stop")
    lost = verdict("delivered-prefix-kept", *cut(ends=finish), contract=KEPT)
    assert ["After the cancel of run 1 the text that had been shown is lost."] == texts(lost)
    kept = cut(assistant("One. Two. "), ends=finish)
    assert () == verdict("delivered-prefix-kept", *kept, contract=KEPT).violations


@pytest.mark.parametrize(
    ("end", "contract"),
    [
        (TerminalTaken(1, "finish", "stop"), Contract(cut_message="removed")),
        (TerminalTaken(1, "finish", "tool_calls"), KEPT),  # it may drop the calls' whole round
        (TerminalTaken(1, "finish", "refusal"), KEPT),
        (TerminalTaken(1, "error", "down"), KEPT),
    ],
)
def test_whether_other_ends_were_cut_is_not_judged(end: Record, contract: Contract) -> None:
    """Who was first, the end or the cancel, decides what becomes of the message."""
    assert 0 == verdict("delivered-prefix-kept", *cut(ends=end), contract=contract).occasions


def test_a_stream_that_had_been_given_up_for_another_is_not_the_cut_one() -> None:
    """Even if its own end came first: what it had shown is taken back; the cancel meets none."""
    records = cut(ends=TerminalTaken(1, "finish", "stop"))
    records[5:5] = [ActionTaken("context_restart anywhere"), StreamTold(1, "signal")]
    records[8:8] = [StreamClosed(1, "aclose")]
    assert 0 == verdict("delivered-prefix-kept", *records, contract=KEPT).occasions


@pytest.mark.parametrize("answering", [True, False])
def test_a_stream_that_had_been_told_and_had_ended_is_not_the_cut_one(answering: bool) -> None:
    """For silence or for another one; its end may have been under way. The cancel meets none."""
    told = StreamTold(1, "signal")
    end = TerminalTaken(1, "finish", "stop", answering=answering)
    for before in ([told, end], [end, told]):
        for closed in ([StreamClosed(1, "aclose")], []):
            records = [*cut()[:5], *before, *closed, *cut()[5:7], *cut()[8:]]
            assert 0 == verdict("delivered-prefix-kept", *records, contract=KEPT).occasions
    only_told = [*cut()[:5], told, *cut()[5:]]
    assert 1 == len(verdict("delivered-prefix-kept", *only_told, contract=KEPT).violations)
    its_own = [*cut()[:6], told, end, *cut()[6:7], *cut()[8:]]
    assert 1 == len(verdict("delivered-prefix-kept", *its_own, contract=KEPT).violations)


def test_without_a_next_request_nothing_is_known() -> None:
    """The next request is the only evidence."""
    assert 0 == verdict("delivered-prefix-kept", *cut()[:-2], contract=KEPT).occasions


def failed(*after: Message, first: str = "Hel", second: str = "Hello") -> list[Record]:
    """A failed attempt, its retry, and the next prompt with `after`."""
    return [
        PromptCalled("hi"),
        RequestMade(1, (HI,)),
        ChunkTaken(1, 1, "text", first),
        ChunkTaken(1, 2, "args", "{}", "c1", "search"),
        TerminalTaken(1, "error", "overloaded"),
        RequestMade(2, (HI,)),
        ChunkTaken(2, 1, "text", second),
        TerminalTaken(2, "finish", "stop"),
        done(),
        PromptCalled("again"),
        RequestMade(1, (HI, *after, user("again"))),
    ]


def test_only_the_attempt_that_succeeded_is_kept() -> None:
    """A retry that begins with the same words is not the failed text."""
    judged = verdict("error-content-dropped", *failed(assistant("Hello")), contract=DROPS)
    assert (1, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize("kept", ["HelHello", "Hel"])
def test_text_of_a_failed_attempt_is_broken(kept: str) -> None:
    """In front of the good text or as a message of its own."""
    judged = verdict(
        "error-content-dropped", *failed(assistant(kept), second="Other"), contract=DROPS
    )
    wanted = "The text of the failed request 1 of run 1 is in a later history."
    assert [wanted] == texts(judged)


def test_a_call_of_a_failed_attempt_is_broken() -> None:
    """Its result would answer something that the model took back."""
    call = assistant("", Call("c1", "search", "{}"))
    judged = verdict("error-content-dropped", *failed(call), contract=DROPS)
    assert 1 == len(judged.violations)


def test_a_silent_close_is_a_failure_only_where_it_is_declared() -> None:
    """Undeclared, its text may be a whole answer."""
    records = failed(assistant("Hel"), second="Other")
    records[4] = TerminalTaken(1, "close")
    assert 0 == verdict("error-content-dropped", *records, contract=DROPS).occasions
    fails = Contract(error_content="dropped", silent_close="failed")
    assert 1 == len(verdict("error-content-dropped", *records, contract=fails).violations)


def test_an_attempt_that_streamed_nothing_is_no_occasion() -> None:
    """There is nothing to drop."""
    records = [record for record in failed() if not isinstance(record, ChunkTaken)]
    assert 0 == verdict("error-content-dropped", *records, contract=DROPS).occasions


def test_a_cut_stream_is_no_failed_one() -> None:
    """What a cancel cut is the business of delivered-prefix-kept."""
    assert 0 == verdict("error-content-dropped", *cut(assistant("One. ")), contract=DROPS).occasions


def test_a_stream_that_a_later_prompt_cut_is_no_failed_one() -> None:
    """A prompt that takes the place of a run stops it, whatever the stream then says."""
    records: tuple[Record | tuple[int, Record], ...] = (
        *(PromptCalled("hi"), RequestMade(1, (HI,)), ChunkTaken(1, 1, "text", "Hel")),
        *(PromptCalled("rather"), (1, TerminalTaken(1, "error")), (1, done("cancelled"))),
        *(RequestMade(1, (HI, assistant("Hel"), user("rather"))), done()),
    )
    for policy, occasions in (("interrupt", 0), ("rollback", 0), ("queue", 1)):
        declared = Contract(error_content="dropped", second_prompt=policy)
        judged = verdict("error-content-dropped", *records, contract=declared)
        assert occasions == judged.occasions


def test_an_agent_that_keeps_error_content_is_not_judged() -> None:
    """It says so."""
    keeps = Contract(error_content="kept")
    assert 0 == verdict("error-content-dropped", *failed(), contract=keeps).occasions

"""How runs of the reference loop end: one test per row of its table of endings."""

from __future__ import annotations

import pytest

from simharness.scenario.model import (
    Anchor,
    AnchorKind,
    CancelAction,
    EndKind,
    EndStep,
    OpaqueStep,
    ReasoningStep,
    Relation,
    Report,
    Tool,
    ToolReaction,
    UsageStep,
)
from simharness.trace import (
    AttemptKept,
    FailureCounted,
    LogRow,
    Message,
    Notice,
    Outcome,
    ProviderRetry,
    Reasoning,
    RequestMade,
    RunSettled,
    Text,
    ToolEnded,
    ToolStarted,
    Trace,
    assistant,
    tool_result,
    user,
)
from tests.unit.agents.reference.plays import (
    ABORT,
    CLOSE,
    HANG,
    call,
    cancel,
    end,
    error,
    finish,
    inside,
    kept,
    names,
    play,
    reacts,
    reports,
    stream,
)

CUT_TEXT = ["MessageStart", "MessageEnd", "StreamEnd", "LogRow", "TurnEnd", "AgentEnd"]
CUT_NOTHING = ["AttemptKept", "MessageEnd", "StreamEnd", "LogRow", "TurnEnd", "AgentEnd"]
ONE_TOOL = ["MessageStart", "MessageEnd", "StreamEnd", "LogRow", "ToolExecutionStart"]
ONE_TOOL += ["ToolExecutionEnd", "MessageStart", "MessageEnd", "TurnEnd"]
NOT_RUN = "not run: the run was cancelled"


def cancelled(trace: Trace) -> bool:
    """Whether run 1 ended as a stop: outcome, no retry, no failure, no second request."""
    failed = [*trace.of(ProviderRetry, 1), *trace.of(FailureCounted, 1)]
    return end(trace) == (Outcome.CANCELLED, "user") and not failed


# --- a cancel while the model streams ---------------------------------------------------------


@pytest.mark.parametrize("report", Report)
@pytest.mark.parametrize("way", ["api", "task"])
def test_a_cancel_mid_text_keeps_what_was_shown(report: Report, way: str) -> None:
    """Whatever the stream reports, the shown text stays, flagged, and ends come in order."""
    trace = play(
        stream("One ", "two ", "three", reaction=reacts(report)),
        do=(cancel("after", "chunk", number=2, way=way),),
    )
    assert cancelled(trace)
    assert (user("hi"), assistant("One two ", interrupted=True)) == kept(trace)
    assert CUT_TEXT == names(trace)
    assert (user("hi"), kept(trace)[1], user("again")) == trace.of(RequestMade, 2)[0].messages


def test_a_cancel_mid_reasoning_keeps_the_reasoning() -> None:
    """Reasoning is as visible as text."""
    trace = play(
        stream(ReasoningStep("let me "), ReasoningStep("see"), "so"),
        do=(cancel("after", "chunk", number=1),),
    )
    assert Message("assistant", (Reasoning("let me "),), interrupted=True) == kept(trace)[1]


def test_a_cancel_keeps_neither_calls_nor_unknown_blocks_nor_blanks() -> None:
    """What the model had not finished, or the user had not seen, is dropped from a cut message."""
    trace = play(
        stream(
            ReasoningStep("  "), "So", OpaqueStep("??"), call("search", '{"q"', ":1}"), end=HANG
        ),
        do=(cancel("after", "chunk", number=4),),
        tools=(Tool("search"),),
    )
    assert Message("assistant", (Text("So"),), interrupted=True) == kept(trace)[1]
    assert not trace.of(ToolStarted)


@pytest.mark.parametrize(
    "said",
    [("  ", "\n"), (UsageStep(7, 0), " "), (call("search", '{"q":', "1}"),), (OpaqueStep("?"),)],
)
def test_a_cancel_before_anything_visible_leaves_an_attempt_beside_the_history(
    said: tuple[str, ...],
) -> None:
    """Blanks, usage or pieces of a call are no message; the attempt keeps its usage."""
    trace = play(stream(*said, end=HANG), do=(cancel("after", "chunk", number=1),))
    assert cancelled(trace)
    assert (user("hi"),) == kept(trace)
    assert ["MessageStart", *CUT_NOTHING] == names(trace)
    (attempt,) = trace.of(AttemptKept)
    (row,) = trace.of(LogRow, 1)
    assert attempt.usage == row.usage == ((7, 0) if isinstance(said[0], UsageStep) else None)


def test_a_cancel_before_the_first_chunk_leaves_an_attempt_without_a_message() -> None:
    """Nothing was begun, so nothing is ended."""
    trace = play(stream("late"), do=(cancel("before", "chunk"),))
    assert cancelled(trace)
    assert [name for name in CUT_NOTHING if name != "MessageEnd"] == names(trace)


@pytest.mark.parametrize("way", ["api", "task"])
@pytest.mark.parametrize(
    ("record", "number", "text"),
    [("MessageStart", 2, ""), ("MessageUpdate", 1, "One "), ("MessageUpdate", 2, "One two")],
)
def test_a_cancel_from_an_observer_of_the_stream_counts_at_once(
    way: str, record: str, number: int, text: str
) -> None:
    """Not even what arrived together with the last shown chunk is shown or kept after it."""
    trace = play(stream("One ", "two"), do=(inside(record, number, way=way),))
    assert cancelled(trace)
    assert text == "".join(message.text for message in kept(trace)[1:])


@pytest.mark.parametrize("report", [Report.HANG, Report.IGNORE])
def test_a_stream_that_does_not_react_to_a_cancel_is_given_up_after_a_second(
    report: Report,
) -> None:
    """The bound is virtual time, and the stream is closed."""
    trace = play(stream("One", end=HANG, reaction=reacts(report)), do=(cancel("after", "chunk"),))
    assert cancelled(trace)
    assert 1.0 == trace.of(RunSettled, 1)[0].time
    assert assistant("One", interrupted=True) == kept(trace)[1]


def test_a_late_reaction_is_waited_for_and_what_it_still_sends_is_ignored() -> None:
    """A provider may send on for a while; only its usage is of interest."""
    late = reacts(Report.ERROR, latency_s=0.05, keeps_sending=1)
    trace = play(
        stream("One", " two", UsageStep(3, 9), " three", reaction=late),
        do=(cancel("after", "chunk"),),
    )
    assert cancelled(trace)
    assert 0.05 == trace.of(RunSettled, 1)[0].time
    assert assistant("One", interrupted=True) == kept(trace)[1]


def test_an_abort_for_the_providers_own_reason_after_a_cancel_is_a_stop() -> None:
    """The cancel came first, whatever the provider says."""
    trace = play(
        stream("One", " two", reaction=reacts(Report.ABORTED, reason="overloaded")),
        do=(cancel("after", "chunk"),),
    )
    assert cancelled(trace)


@pytest.mark.parametrize("way", ["api", "task"])
def test_a_stream_that_cannot_be_closed_changes_nothing_but_is_noticed(way: str) -> None:
    """Slow and raising closes leave the stop a stop."""
    rude = reacts(Report.ABORTED, close_takes_s=0.5, close_raises=True)
    trace = play(stream("One", end=HANG, reaction=rude), do=(cancel("after", "chunk", way=way),))
    assert cancelled(trace)
    assert ["close-failed"] == [notice.kind for notice in trace.of(Notice, 1)]
    assert 0.5 == trace.of(RunSettled, 1)[0].time


def test_a_close_that_takes_longer_than_the_bound_is_given_up_after_a_cancel() -> None:
    """The bound counts from the cancel, the reaction of the stream included."""
    slow = reacts(Report.ABORTED, latency_s=0.6, close_takes_s=5.0)
    trace = play(stream("One", end=HANG, reaction=slow), do=(cancel("after", "chunk"),))
    assert cancelled(trace)
    assert ["closing took too long"] == [notice.text for notice in trace.of(Notice, 1)]
    assert 1.0 == trace.of(RunSettled, 1)[0].time


@pytest.mark.parametrize("way", ["api", "task"])
def test_a_cancel_while_a_finished_stream_closes_does_not_cut_the_close_short(way: str) -> None:
    """The answer is complete; only what asyncio raises decides between the two outcomes."""
    slow = reacts(Report.ABORTED, close_takes_s=0.5)
    at = CancelAction(way, anchor=Anchor(AnchorKind.TIME, Relation.AT, seconds=0.2))
    trace = play(stream("One", reaction=slow), do=(at,))
    outcome = Outcome.COMPLETED if way == "api" else Outcome.CANCELLED
    assert outcome == end(trace)[0] == trace.of(RunSettled, 1)[0].outcome
    assert (user("hi"), assistant("One")) == kept(trace)
    assert 0.5 == trace.of(RunSettled, 1)[0].time


def test_a_second_cancel_changes_nothing() -> None:
    """The first reason stays."""
    first = cancel("after", "chunk")
    second = CancelAction(reason="shutdown", anchor=first.anchor)
    trace = play(stream("One", " two", reaction=reacts(Report.HANG)), do=(first, second))
    assert cancelled(trace)


# --- a cancel elsewhere -----------------------------------------------------------------------


@pytest.mark.parametrize("way", ["api", "task"])
def test_a_cancel_before_the_first_turn_keeps_the_prompt_and_asks_nobody(way: str) -> None:
    """The user message was accepted; there is no turn."""
    trace = play(stream("One"), do=(inside("AgentStart", way=way),))
    assert cancelled(trace)
    assert (user("hi"),) == kept(trace)
    assert not trace.of(RequestMade, 1)
    assert ["AgentStart", "MessageStart", "MessageEnd", "AgentEnd"] == [
        type(record).__name__ for record in reports(trace)
    ]


@pytest.mark.parametrize("way", ["api", "task"])
@pytest.mark.parametrize("record", ["TurnStart", "MessageEnd", "PhaseChanged"])
def test_a_cancel_before_the_request_is_made_leaves_no_attempt(way: str, record: str) -> None:
    """The turn is closed, and the model is not asked."""
    trace = play(stream("One"), do=(inside(record, way=way),))
    assert cancelled(trace)
    assert ["TurnEnd", "AgentEnd"] == names(trace)
    assert not trace.of(RequestMade, 1)


@pytest.mark.parametrize("way", ["api", "task"])
def test_a_cancel_after_the_response_answers_every_call_as_not_run(way: str) -> None:
    """Each call has its pair of tool events and its result; no body runs."""
    trace = play(
        stream(call("search"), call("fetch")),
        do=(inside("MessageEnd", 2, way=way),),
        tools=(Tool("search"), Tool("fetch")),
    )
    assert cancelled(trace)
    answers = [tool_result(one, NOT_RUN, is_error=True) for one in ("c1", "c2")]
    assert answers == list(kept(trace)[2:])
    assert not trace.of(ToolStarted)


def test_a_cancel_between_sequential_tools_keeps_what_was_done() -> None:
    """The finished tool has its real result, the other is answered as not run."""
    trace = play(
        stream(call("search"), call("fetch")),
        do=(inside("ToolExecutionEnd"),),
        tools=(Tool("search", returns="3 hits"), Tool("fetch")),
        settings={"tools": "sequential"},
    )
    assert cancelled(trace)
    done, undone = tool_result("c1", "3 hits"), tool_result("c2", NOT_RUN, is_error=True)
    assert (done, undone) == kept(trace)[2:]


@pytest.mark.parametrize("way", ["api", "task"])
def test_a_cancel_while_tools_run_waits_for_every_body(way: str) -> None:
    """Real outcomes in the model's order, and the queued one never starts."""
    trace = play(
        stream(call("slow"), call("polite"), call("queued")),
        do=(cancel("during", "tool", "slow", way=way),),
        tools=(
            Tool("slow", returns="done", takes_s=0.8),
            Tool("polite", takes_s=0.9, on_cancel=ToolReaction.STOP),
            Tool("queued"),
        ),
        settings={"cap": 2},
    )
    assert cancelled(trace)
    texts = [message.text for message in kept(trace)[2:]]
    assert ["done", "cancelled", NOT_RUN] == texts
    assert 0.8 == trace.of(RunSettled, 1)[0].time


@pytest.mark.parametrize("way", ["api", "task"])
@pytest.mark.parametrize(
    ("reaction", "text", "ended"),
    [(ToolReaction.IGNORE, "cancelled while it ran", 1.0), (ToolReaction.SWALLOW, "ok", 5.0)],
)
def test_a_tool_that_does_not_stop_is_cancelled_after_a_second_and_still_waited_for(
    way: str, reaction: ToolReaction, text: str, ended: float
) -> None:
    """Whatever the body then does is its result; nothing runs on after the run."""
    trace = play(
        stream(call("slow")),
        do=(cancel("during", "tool", "slow", way=way),),
        tools=(Tool("slow", takes_s=5.0, on_cancel=reaction),),
    )
    assert cancelled(trace)
    assert text == kept(trace)[-1].text
    assert ended == trace.of(ToolEnded)[0].time == trace.of(RunSettled, 1)[0].time


def test_a_cancel_after_the_last_message_was_committed_comes_too_late() -> None:
    """The answer is complete, and so is the run."""
    for record, number in [("MessageEnd", 2), ("StreamEnd", 1), ("TurnEnd", 1)]:
        trace = play(stream("One"), do=(inside(record, number),))
        assert (Outcome.COMPLETED, "") == end(trace)


@pytest.mark.parametrize("record", ["MessageEnd", "TurnEnd", "PhaseChanged"])
def test_a_task_cancel_after_the_last_message_ends_as_its_exception_says(record: str) -> None:
    """What asyncio raises to the caller and what the run reports never differ."""
    trace = play(
        stream("One"), do=(inside(record, 2 if record == "MessageEnd" else 1, way="task"),)
    )
    assert "cancelled" == trace.of(RunSettled, 1)[0].how
    assert (Outcome.CANCELLED, "user") == end(trace)


@pytest.mark.parametrize("way", ["api", "task"])
def test_a_cancel_during_the_backoff_ends_it_at_once(way: str) -> None:
    """No further request, and nothing of the failed attempt is kept."""
    trace = play(
        stream(end=error(retryable=True)),
        stream("late"),
        do=(cancel("during", "wait", "backoff", way=way),),
    )
    assert (Outcome.CANCELLED, "user") == end(trace)
    assert (user("hi"),) == kept(trace)
    assert 1 == len(trace.of(RequestMade, 1)) == len(trace.of(ProviderRetry))
    assert 0.0 == trace.of(RunSettled, 1)[0].time


def test_a_cancel_when_idle_does_not_colour_the_next_run() -> None:
    """It is aimed at nothing."""
    trace = play(stream("One"), do=(cancel("after", "record", "AgentEnd"), CancelAction()))
    assert [Outcome.COMPLETED] * 2 == [end(trace, run)[0] for run in (1, 2)]


# --- failures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [(), ("One ",)])
def test_a_provider_error_leaves_nothing_but_an_attempt(said: tuple[str, ...]) -> None:
    """Attempt first, then the discarded message, the log and the failure."""
    trace = play(stream(*said, end=error()))
    assert (Outcome.FAILED, "error") == end(trace)
    assert (user("hi"),) == kept(trace)
    wanted = ["MessageStart", "AttemptKept", "MessageEnd", "StreamEnd", "LogRow", "FailureCounted"]
    assert [*wanted, "TurnEnd", "AgentEnd"] == names(trace)
    assert "".join(said) == trace.of(AttemptKept)[0].text
    assert "raised" == trace.of(RunSettled, 1)[0].how


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        (CLOSE, "stream ended without finish"),
        (ABORT, "provider aborted: overloaded"),
        (finish("incomplete"), "answer withdrawn: incomplete"),
        (finish("content_filter"), "answer withdrawn: content_filter"),
        (EndStep(EndKind.RAISE, "reset by peer"), "reset by peer"),
    ],
)
def test_every_other_end_without_an_answer_is_a_failure(ending: EndStep, message: str) -> None:
    """Nobody cancelled, so it is not a stop; and it is no success."""
    trace = play(stream("One ", call("search", '{"q"'), end=ending), tools=(Tool("search"),))
    assert (Outcome.FAILED, "provider-abort" if ending is ABORT else "error") == end(trace)
    assert (user("hi"),) == kept(trace)
    assert message == trace.of(LogRow, 1)[0].error
    assert not trace.of(ToolStarted)


def test_a_passing_error_is_retried_and_only_the_success_is_kept() -> None:
    """The backoff grows; the retry is announced; the streak ends with the success."""
    failing = stream(end=error(retryable=True))
    trace = play(failing, failing, stream("One"))
    assert (Outcome.COMPLETED, "") == end(trace)
    assert (user("hi"), assistant("One")) == kept(trace)
    first, second = (retry.delay_s for retry in trace.of(ProviderRetry))
    assert 0.45 <= first <= 0.55
    assert 0.9 <= second <= 1.1
    assert [1, 2] == [failure.streak for failure in trace.of(FailureCounted)]


@pytest.mark.parametrize(("advice", "delay"), [(2.5, 2.5), (99.0, 10.0)])
def test_retry_after_is_honoured_up_to_the_cap(advice: float, delay: float) -> None:
    """The provider knows best, within reason."""
    trace = play(stream(end=error(retryable=True, retry_after_s=advice)), stream("One"))
    assert [delay] == [retry.delay_s for retry in trace.of(ProviderRetry)]


def test_retries_are_limited_and_the_third_failure_alerts() -> None:
    """The last error is what the run ends with."""
    failing = stream(end=error(retryable=True))
    trace = play(failing, failing, failing, settings={"retry": {"max": 2, "delay": 0.1}})
    assert (Outcome.FAILED, "error") == end(trace)
    assert 2 == len(trace.of(ProviderRetry))
    assert ["alert"] == [notice.kind for notice in trace.of(Notice)]


def test_nothing_is_retried_after_visible_output() -> None:
    """The user would see an answer begin twice."""
    trace = play(stream("One", end=error(retryable=True)), stream("One two"))
    assert (Outcome.FAILED, "error") == end(trace)


# --- other finishes ---------------------------------------------------------------------------


def test_length_keeps_the_text_and_drops_the_calls() -> None:
    """A call at the output limit may be cut, so it never runs."""
    trace = play(stream("One ", call("search"), end=finish("length")), tools=(Tool("search"),))
    assert (Outcome.LIMIT, "length") == end(trace)
    assert (user("hi"), assistant("One ")) == kept(trace)
    assert not trace.of(ToolStarted)


def test_a_refusal_answers_its_calls_and_takes_no_further_turn() -> None:
    """The message stays, with an error result per call."""
    trace = play(stream("No. ", call("search"), end=finish("refusal")), tools=(Tool("search"),))
    assert (Outcome.COMPLETED, "") == end(trace)
    assert (
        tool_result("c1", "not run: the model refused to answer", is_error=True) == kept(trace)[-1]
    )
    assert [*ONE_TOOL, "AgentEnd"] == names(trace)
    assert 1 == len(trace.of(RequestMade, 1))


def test_the_turn_limit_leaves_a_marker_and_closes_its_turn() -> None:
    """One turn too many is opened and closed without a request."""
    trace = play(stream(call("search")), tools=(Tool("search"),), settings={"turn_limit": 1})
    assert (Outcome.LIMIT, "turn-limit") == end(trace)
    assert user("[Agent stopped: turn limit (1/1)]") == kept(trace)[-1]
    tail = ["TurnStart", "MessageStart", "MessageEnd", "TurnEnd", "AgentEnd"]
    assert [*ONE_TOOL, *tail] == names(trace)
    assert 1 == len(trace.of(RequestMade, 1))


@pytest.mark.parametrize("said", [(), (" ",)])
def test_an_answer_without_content_completes_and_leaves_no_message(said: tuple[str, ...]) -> None:
    """Providers refuse a history with an empty assistant message."""
    trace = play(stream(*said))
    assert (Outcome.COMPLETED, "") == end(trace)
    assert (user("hi"),) == kept(trace)

"""The loop does what its contract declares, where a field has several values."""

from __future__ import annotations

import pytest

from simharness.agent import AgentFactory
from simharness.agents.profiles import Profile
from simharness.agents.reference import CONTRACT, make
from simharness.agents.reference.tools import ABORTED
from simharness.contract import Contract
from simharness.scenario.model import EndKind, EndStep, OtherAction, Report, Tool, UsageStep
from simharness.trace import (
    ChunkTaken,
    FailureCounted,
    LogRow,
    Message,
    Notice,
    Outcome,
    RequestMade,
    RunSettled,
    TerminalTaken,
    Text,
    Trace,
    TurnEnd,
    assistant,
    tool_result,
    user,
)
from tests.unit.agents.reference.plays import (
    CLOSE,
    STOP,
    anchor,
    call,
    cancel,
    end,
    error,
    inside,
    kept,
    play,
    reacts,
    stream,
)


def under(contract: Contract) -> AgentFactory:
    """The reference loop with some words of its contract replaced."""
    return Profile("other", "", CONTRACT.overridden(contract), lambda _: []).factory


ABORTS = under(Contract(late_tool_result="aborted-error"))
COMPLETES = under(Contract(silent_close="completed"))
DROPS = under(Contract(unstarted_call="round-dropped", late_tool_result="dropped"))
NOTES = under(Contract(cancel_marker="note([stopped])", failed_final="note([failed])"))
TELLS_ABORTS_APART = under(Contract(foreign_abort_after_cancel="failure"))
TELLABLE = under(Contract(retry_after_visible_output="with-boundary"))


# --- late_tool_result -------------------------------------------------------------------------


@pytest.mark.parametrize("raises", [False, True])
def test_what_a_tool_says_after_the_cancel_is_an_aborted_error(raises: bool) -> None:
    """Its body is waited for all the same."""
    body = (
        Tool("search", raises="no net", takes_s=0.1) if raises else Tool("search", "3", takes_s=0.1)
    )
    trace = play(
        stream(call("search")),
        do=(cancel("during", "tool", "search"),),
        tools=(body,),
        factory=ABORTS,
    )
    assert tool_result("c1", ABORTED, is_error=True) == kept(trace)[-1]
    assert 0.1 == trace.of(RunSettled)[0].time


def test_what_a_tool_said_before_the_cancel_stays() -> None:
    """Of two calls only the one that still runs is aborted."""
    tools = (Tool("quick", "1", takes_s=0.1), Tool("slow", "2", takes_s=0.3))
    trace = play(
        stream(call("quick"), call("slow")),
        do=(cancel("after", "tool", "quick"),),
        tools=tools,
        factory=ABORTS,
    )
    assert [("1", False), (ABORTED, True)] == [(m.text, m.is_error) for m in kept(trace)[-2:]]


# --- unstarted_call, late_tool_result: dropped ------------------------------------------------


def test_a_cancelled_round_of_tools_can_be_dropped_as_a_whole() -> None:
    """Neither its call nor what its tool still says stays; an operator is told."""
    trace = play(
        stream("Looking. ", call("search")),
        do=(cancel("during", "tool", "search"),),
        tools=(Tool("search", "3", takes_s=0.1),),
        factory=DROPS,
    )
    assert (user("hi"),) == kept(trace)
    assert ["round-dropped"] == [notice.kind for notice in trace.of(Notice, 1)]
    assert (None, ()) == (trace.of(TurnEnd, 1)[0].message, trace.of(TurnEnd, 1)[0].tool_results)


def test_results_that_were_recorded_before_go_with_their_round() -> None:
    """One after the other, the first has its result when the cancel comes."""
    trace = play(
        stream(call("quick"), call("slow")),
        do=(cancel("during", "tool", "slow"),),
        tools=(Tool("quick", "1"), Tool("slow", "2", takes_s=0.3)),
        settings={"tools": "sequential"},
        factory=DROPS,
    )
    assert (user("hi"),) == kept(trace)


def test_a_round_whose_results_are_all_recorded_stays() -> None:
    """The cancel comes in front of the next request."""
    trace = play(
        stream(call("search")),
        do=(inside("TurnEnd"),),
        tools=(Tool("search", "3"),),
        factory=DROPS,
    )
    assert tool_result("c1", "3") == kept(trace)[-1]
    assert (Outcome.CANCELLED, "user") == end(trace)


# --- cancel_marker: note, failed_final: note --------------------------------------------------


def test_a_callers_stop_leaves_the_promised_note() -> None:
    """It is the last message of the run."""
    trace = play(stream("a", "b"), do=(cancel("after", "chunk"),), factory=NOTES)
    assert user("[stopped]") == kept(trace)[-1]


@pytest.mark.parametrize("verb", ["shutdown", "dispose"])
def test_a_stop_by_the_framework_leaves_no_note(verb: str) -> None:
    """Nobody has asked for it."""
    stop = OtherAction(verb, anchor=anchor("after", "chunk"))
    trace = play(stream("a", "b"), do=(stop,), factory=NOTES)
    assert Outcome.CANCELLED == end(trace)[0]
    assert [user("hi"), Message("assistant", (Text("a"),), interrupted=True)] == [*kept(trace)]


def test_a_failed_run_can_leave_a_note_that_does_not_hold_the_error() -> None:
    """Errors are no business of the model."""
    trace = play(stream("a", end=error()), factory=NOTES)
    assert (user("hi"), user("[failed]")) == kept(trace)


def test_a_run_without_a_turn_leaves_no_note() -> None:
    """There was nothing to interrupt."""
    trace = play(stream("a"), do=(inside("MessageEnd"),), factory=NOTES)
    assert (user("hi"),) == kept(play(stream("a"), do=(inside("AgentStart"),), factory=NOTES))
    assert user("[stopped]") == kept(trace)[-1]


# --- foreign_abort_after_cancel ---------------------------------------------------------------


def aborted_for(reason: str, way: str | None = None, factory: AgentFactory = make) -> Trace:
    """A cancelled run whose stream says aborted, for that reason."""
    said = stream("a", "b", reaction=reacts(Report.ABORTED, reason=reason))
    return play(said, do=(cancel("after", "chunk", way=way),), factory=factory)


def test_an_abort_for_another_reason_can_be_a_failure_though_a_caller_cancelled() -> None:
    """It is counted and logged as one, and raised."""
    trace = aborted_for("overload", factory=TELLS_ABORTS_APART)
    assert (Outcome.FAILED, "provider-abort") == end(trace)
    assert [1] == [count.streak for count in trace.of(FailureCounted, 1)]
    assert ["provider aborted: overload"] == [row.error for row in trace.of(LogRow, 1)]
    assert "raised" == trace.of(RunSettled)[0].how


def test_an_abort_that_is_the_answer_to_the_cancel_is_a_stop() -> None:
    """And any is, where the contract does not tell them apart."""
    assert (Outcome.CANCELLED, "user") == end(aborted_for("user", factory=TELLS_ABORTS_APART))
    assert (Outcome.CANCELLED, "user") == end(aborted_for("overload"))


# --- silent_close -----------------------------------------------------------------------------


def test_a_silent_close_can_be_an_answer() -> None:
    """What was streamed is the message."""
    trace = play(stream("All of it.", end=CLOSE), factory=COMPLETES)
    assert (Outcome.COMPLETED, "") == end(trace)
    assert assistant("All of it.") == kept(trace)[-1]
    assert [True] == [row.success for row in trace.of(LogRow, 1)]


def test_a_silent_close_of_nothing_leaves_no_message() -> None:
    """Providers refuse a history with empty messages."""
    trace = play(stream(end=CLOSE), factory=COMPLETES)
    assert (Outcome.COMPLETED, "") == end(trace)
    assert (user("hi"),) == kept(trace)


def test_calls_of_a_silently_closed_stream_are_run() -> None:
    """Half a call is answered with an error, like any call whose arguments do not parse."""
    tools = (Tool("search", "3 hits"),)
    whole = play(stream(call("search"), end=CLOSE), stream("ok"), tools=tools, factory=COMPLETES)
    assert tool_result("c1", "3 hits") == kept(whole)[2]
    half = play(
        stream(call("search", '{"q'), end=CLOSE), stream("ok"), tools=tools, factory=COMPLETES
    )
    assert kept(half)[2].is_error


# --- retry_after_visible_output ---------------------------------------------------------------


def test_an_attempt_that_showed_text_can_be_tried_again() -> None:
    """Only what the second one said is kept."""
    doomed = stream("Hel", end=error(retryable=True))
    trace = play(doomed, stream("Hello"), factory=TELLABLE)
    assert 2 == len(trace.of(RequestMade, 1))
    assert (user("hi"), assistant("Hello")) == kept(trace)


# --- reads_on: a setting, as it is a matter of the client and promises nothing ------------------


def said_behind_the_finish(*, reads_on: bool) -> tuple[int, tuple[Message, ...], object]:
    """How many chunks were taken of a stream that goes on, what is kept, and its usage."""
    first = stream("a", end=STOP)
    model = type(first)((*first.steps, UsageStep(1, 2), *stream("b").steps[:1]))
    trace = play(model, settings={"reads_on": reads_on})
    return len(trace.of(ChunkTaken, 1)), kept(trace)[1:], trace.of(LogRow, 1)[0].usage


def test_a_stream_can_be_read_past_its_terminal() -> None:
    """Usage counts there, and content does not."""
    assert (2, (assistant("a"),), (1, 2)) == said_behind_the_finish(reads_on=True)
    assert (1, (assistant("a"),), None) == said_behind_the_finish(reads_on=False)


def test_an_error_behind_the_finish_comes_too_late() -> None:
    """The answer was whole."""
    first = stream("a", end=STOP)
    model = type(first)((*first.steps, EndStep(EndKind.RAISE)))
    trace = play(model, settings={"reads_on": True})
    assert (Outcome.COMPLETED, "") == end(trace)
    assert ["finish"] == [taken.kind for taken in trace.of(TerminalTaken, 1)]

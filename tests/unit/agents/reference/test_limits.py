"""Limits and repetition: when a run is stopped by its own loop, and what is left then."""

from __future__ import annotations

import pytest

from simharness.agents.reference.repetition import Repeated, Repetition
from simharness.scenario.model import ReasoningStep, Tool, UsageStep, WaitStep
from simharness.trace import (
    AgentEnd,
    AttemptKept,
    Call,
    LoopDetected,
    Outcome,
    StreamEnd,
    ToolExecutionEnd,
    TurnEnd,
)
from tests.unit.agents.reference.plays import HANG, call, cancel, end, error, kept, play, stream

LOOK = (Tool("look", takes_s=2.0),)


@pytest.mark.parametrize(
    ("settings", "cause", "marker"),
    [
        ({"turn_limit": 1}, "turn-limit", "[Agent stopped: turn limit (1/1)]"),
        ({"token_limit": 70}, "token-limit", "[Agent stopped: token limit (70/70)]"),
        ({"time_limit": 1.5}, "time-limit", "[Agent stopped: time limit (2s/1.5s)]"),
    ],
)
def test_a_limit_leaves_a_marker_and_closes_its_turn(
    settings: dict[str, object], cause: str, marker: str
) -> None:
    """The turn that is too many asks nothing and ends with the marker."""
    trace = play(
        stream(call("look"), UsageStep(50, 20)), stream("never"), tools=LOOK, settings=settings
    )
    assert (Outcome.LIMIT, cause) == end(trace)
    assert marker == kept(trace)[-1].text
    assert (2, kept(trace)[-1], ()) == _turn_end(trace.of(TurnEnd, 1)[-1])


def _turn_end(record: TurnEnd) -> tuple[int, object, object]:
    return record.turn, record.message, record.tool_results


def test_limits_that_are_not_reached_change_nothing() -> None:
    """One token and a moment below them the run completes."""
    settings = {"turn_limit": 2, "token_limit": 71, "time_limit": 2.5}
    trace = play(
        stream(call("look"), UsageStep(50, 20)), stream("Done"), tools=LOOK, settings=settings
    )
    assert Outcome.COMPLETED == end(trace)[0]


def test_the_same_calls_are_counted_and_others_begin_anew() -> None:
    """Name and arguments of all calls of a response make them the same."""
    repetition = Repetition(2)
    a, b = Call("1", "a", "{}"), Call("2", "a", "[]")
    seen = [repetition.seen(calls) for calls in ([a], [b], [b], [b], [a, b], [a])]
    again = [Repeated("a", 2, again=False), Repeated("a", 3, again=True)]
    assert [None, None, *again, None, None] == seen


def test_a_model_that_repeats_itself_is_nudged_and_then_stopped() -> None:
    """Every call has its events and its result, run or not; the marker comes last."""
    same = stream(call("look"))
    trace = play(same, same, same, stream("never"), tools=LOOK, settings={"loop_limit": 2})
    assert (Outcome.LIMIT, "loop") == end(trace)
    assert [False, True] == [record.aborted for record in trace.of(LoopDetected)]
    assert [False, True, True] == [record.is_error for record in trace.of(ToolExecutionEnd)]
    roles = "user assistant tool assistant tool user assistant tool user"
    assert roles == " ".join(message.role for message in kept(trace))


def test_a_discarded_attempt_keeps_what_came_and_when() -> None:
    """Seconds count from its own request, also for the attempt of a later turn."""
    doomed = stream(ReasoningStep("hm"), WaitStep(1.5), "One", call("look", "{"), end=error())
    trace = play(stream(call("look")), doomed, tools=LOOK)
    (attempt,) = trace.of(AttemptKept)
    wanted = ((0.0, "reasoning", "hm"), (1.5, "text", "One"), (1.5, "args", "{"))
    assert wanted == attempt.stream


def test_a_cut_message_keeps_the_time_of_what_was_shown() -> None:
    """It is with the last frame of its stream; a whole message needs none."""
    trace = play(
        stream("One", WaitStep(1.0), "two", end=HANG), do=(cancel("after", "chunk", number=2),)
    )
    cut, whole = trace.of(StreamEnd)
    assert ((0.0, "text", "One"), (1.0, "text", "two")) == cut.stream
    assert () == whole.stream


def test_the_end_of_a_run_says_what_it_used() -> None:
    """Its own streams, failed ones too; a run whose streams said nothing knows nothing."""
    failed = stream(UsageStep(5, 1), end=error(retryable=True))
    trace = play(failed, stream("One", UsageStep(7, 1), UsageStep(7, 3)))
    assert [(12, 4), None] == [record.usage for record in trace.of(AgentEnd)]

"""The rule about the calls of an answer that was too long, or refused."""

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
    ReplayTaken,
    RequestMade,
    StreamClosed,
    StreamTold,
    TerminalTaken,
    ToolStarted,
    assistant,
    tool_result,
    user,
)
from tests.unit.rules.traces import done, texts, verdict

DECLARED = Contract(calls_after_length="dropped", calls_after_refusal="answered")
HI, AGAIN = user("hi"), user("again")
CALL = ChunkTaken(1, 1, "args", "{}", "c1", "rm")
KEPT = assistant("", Call("c1", "rm", "{}"))
STARTED = ToolStarted("c1", "rm", "{}")


def run(*records: Record, then: tuple[Message, ...] = ()) -> list[Record]:
    """A run in which a call arrives, and the next prompt, which sends `then`."""
    next_prompt = [PromptCalled("again"), RequestMade(1, (HI, *then, AGAIN))]
    return [PromptCalled("hi"), RequestMade(1, (HI,)), CALL, *records, done(), *next_prompt]


def problems(records: list[Record], contract: Contract = DECLARED) -> list[str]:
    """What the rule says."""
    return texts(verdict("unrun-calls", *records, contract=contract))


def finished(reason: str) -> TerminalTaken:
    """The provider finishes for `reason`."""
    return TerminalTaken(1, "finish", reason)


@pytest.mark.parametrize("reason", ["length", "refusal"])
def test_such_calls_do_not_run(reason: str) -> None:
    """Neither may do what only half of it said."""
    then = () if reason == "length" else (KEPT, tool_result("c1", "not run"))
    assert [] == problems(run(finished(reason), then=then))
    (text,) = problems(run(finished(reason), STARTED, then=then))
    assert text.startswith("rm was run for a call of ")


def test_calls_are_dropped_or_answered_as_declared() -> None:
    """Each the other way round is a violation."""
    answered = (KEPT, tool_result("c1", "not run"))
    (kept,) = problems(run(finished("length"), then=answered))
    assert "The calls of an answer that was too long are kept in request 1 of run 2." == kept
    (lost,) = problems(run(finished("refusal")))
    assert "The calls of a refusal are not answered in request 1 of run 2." == lost
    other_way = Contract(calls_after_length="answered", calls_after_refusal="dropped")
    assert [] == problems(run(finished("length"), then=answered), other_way)
    assert [] == problems(run(finished("refusal")), other_way)


def test_calls_that_nobody_cut_may_run() -> None:
    """A finish that asks for tools is another matter."""
    then = (KEPT, tool_result("c1", "done"))
    assert [] == problems(run(finished("tool_calls"), STARTED, then=then))


def test_a_tool_that_ran_before_the_end_was_known_is_not_judged() -> None:
    """An agent may begin with a call as soon as it is whole."""
    assert [] == problems(run(STARTED, finished("length")))


def test_what_a_cancel_leaves_is_for_other_rules() -> None:
    """The history of a cancelled run is not looked at."""
    cancel = (CancelCalled("api"), CancelEffective())
    assert [] == problems(run(finished("length"), *cancel, then=(KEPT,)))


REFUSED = finished("refusal")
ANSWERED = (KEPT, tool_result("c1", "not run"))
BEHIND = ChunkTaken(1, 2, "args", "{}", "c2", "rm")


def test_a_call_behind_the_end_of_a_refusal_is_owed_no_answer() -> None:
    """Who reads on ignores it; that it does not run is asked all the same."""
    assert [] == problems(run(REFUSED, BEHIND, then=ANSWERED))
    assert 1 == len(problems(run(REFUSED, BEHIND)))
    started = ToolStarted("c2", "rm", "{}")
    assert ["rm was run for a call of a refusal."] == problems(
        run(REFUSED, BEHIND, started, then=ANSWERED)
    )


def test_the_rest_of_a_call_that_was_taken_back_is_owed_no_answer() -> None:
    """The answer began anew in the middle of it; the agent knows neither its name nor its id."""
    rest = ChunkTaken(1, 2, "args", "}", "c1", "rm")
    assert [] == problems(run(ReplayTaken(1), rest, REFUSED))
    assert 1 == len(problems(run(ReplayTaken(1), BEHIND, REFUSED)))


def test_a_refusal_that_comes_when_its_stream_was_given_up_is_too_late() -> None:
    """The limit of silence was over in the same moment."""
    assert [] == problems(run(StreamTold(1, "CancelledError"), REFUSED))


def test_a_refusal_may_be_given_up_for_another_stream_while_it_is_read_on() -> None:
    """The other one says it all anew. Behind its close, a restart is about something else."""
    restart, closed = ActionTaken("context_restart"), StreamClosed(1, "aclose")
    assert [] == problems(run(REFUSED, restart, closed))
    assert 1 == len(problems(run(REFUSED, closed, restart)))

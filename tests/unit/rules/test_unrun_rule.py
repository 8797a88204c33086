"""The rule about the calls of an answer that was too long, or refused."""

import pytest

from simharness.contract import Contract
from simharness.trace import (
    Call,
    CancelCalled,
    CancelEffective,
    ChunkTaken,
    Message,
    PromptCalled,
    Record,
    RequestMade,
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

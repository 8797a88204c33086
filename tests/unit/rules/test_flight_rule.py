"""single-flight: what becomes of a prompt during a run."""

from simharness.contract import Contract
from simharness.trace import (
    AgentEnd,
    AgentStart,
    ChunkTaken,
    Message,
    Outcome,
    PromptCalled,
    Record,
    RequestMade,
    RunSettled,
    Shown,
    StreamTold,
    TerminalTaken,
    ToolStarted,
    assistant,
    user,
)
from tests.unit.rules.traces import done, texts, verdict

A, B = user("a"), user("b")
TAKEN = ChunkTaken(1, 1, "text", "x")
FINISH = TerminalTaken(1, "finish", "stop")
Stamped = Record | tuple[int, Record]


def during(*records: Stamped) -> list[Stamped]:
    """Run 1 streams when run 2 is prompted; what follows is stamped by its run."""
    return [PromptCalled("a"), RequestMade(1, (A,)), TAKEN, PromptCalled("b"), *records]


def problems(policy: str, *records: Stamped) -> list[str]:
    """What is wrong with the second prompt under `policy`."""
    contract = Contract(second_prompt=policy)
    judged = verdict("single-flight", *during(*records), contract=contract)
    assert 1 == judged.occasions
    prefix = "Run 2 was prompted during run 1, and "
    return [text.removeprefix(prefix).removesuffix(".") for text in texts(judged)]


def second(*messages: Message) -> tuple[int, Record]:
    """The first request of run 2."""
    return (2, RequestMade(1, messages or (A, assistant("x"), B)))


ENDS = [(1, FINISH), (1, done())]


def test_a_rejected_prompt_raises_and_makes_no_request() -> None:
    """Its caller hears of it by an exception or by the outcome."""
    assert [] == problems("reject", (2, done("raised")), *ENDS)
    assert [] == problems("reject", (2, done(outcome=Outcome.REJECTED)), *ENDS)


def test_a_rejected_prompt_that_is_asked_is_broken() -> None:
    """The first run goes on beside it, or had something left to read."""
    beside = problems("reject", second(), (1, Shown(1, "y")), (2, done()), *ENDS)
    assert ["both make progress at once"] == beside
    assert ["is not rejected"] == problems("reject", (1, TAKEN), *ENDS, second(), (2, done()))


def test_a_prompt_that_vanishes_is_not_rejected() -> None:
    """It returns as if it had been answered."""
    assert ["its caller does not hear that it was rejected"] == problems(
        "reject", (2, done()), *ENDS
    )


def test_a_run_that_was_about_to_end_may_let_the_next_one_in() -> None:
    """There was nothing left to do."""
    assert [] == problems("reject", *ENDS, second(), (2, done()))


def test_a_run_that_told_of_its_end_may_let_the_next_one_in() -> None:
    """Whatever that comes to, be it a limit in front of its first request.

    One that goes on behind such an end, with what was queued, is at work.
    """
    end, start = AgentEnd(Outcome.COMPLETED), AgentStart()
    turned = (2, done(outcome=Outcome.LIMIT))
    before = [PromptCalled("a"), RequestMade(1, (A,)), TAKEN, FINISH, end]
    reject = Contract(second_prompt="reject")

    def broken(*records: Stamped) -> list[str]:
        judged = verdict("single-flight", *before, PromptCalled("b"), *records, contract=reject)
        assert 1 == judged.occasions
        return texts(judged)

    assert [] == broken(turned, (1, done()))
    unheard = [
        "Run 2 was prompted during run 1, and its caller does not hear that it was rejected."
    ]
    assert unheard == broken(turned, (1, start), (1, end), (1, done()))
    assert unheard == broken(turned, (1, RequestMade(2, (A,))), (1, done()))


def test_a_queued_prompt_waits_for_its_turn() -> None:
    """Its request comes when the run before it is over."""
    assert [] == problems("queue", (1, TAKEN), *ENDS, second(), (2, done()))
    tool = (1, ToolStarted("c1", "search", "{}"))
    assert ["both make progress at once"] == problems("queue", second(), tool, *ENDS, (2, done()))


def test_an_interrupted_run_makes_no_further_request() -> None:
    """One that is made all the same and read to its end shows that nobody was interrupted."""
    more = (1, RequestMade(2, (A, assistant("x"))))
    read = (1, TerminalTaken(2, "finish", "stop"))
    assert [] == problems("interrupt", (1, StreamTold(1, "signal")), (1, done()), second())
    wanted = ["the earlier run is not interrupted"]
    assert wanted == problems("interrupt", (1, FINISH), more, read, (1, done()), second())
    told = (1, StreamTold(2, "signal"))
    assert [] == problems("interrupt", (1, FINISH), more, told, read, (1, done()), second())


def test_a_prompt_that_gave_up_waiting_interrupts_nobody() -> None:
    """What the earlier run asks afterwards is its own business."""
    more = (1, RequestMade(2, (A, assistant("x"))))
    read = (1, TerminalTaken(2, "finish", "stop"))
    gone = (2, RunSettled("cancelled", "CancelledError", Outcome.CANCELLED))
    assert [] == problems("interrupt", (1, FINISH), gone, more, read, (1, done()))
    wanted = ["the earlier run is not interrupted"]
    assert wanted == problems("interrupt", (1, FINISH), more, gone, read, (1, done()))


def test_a_rolled_back_run_leaves_nothing() -> None:
    """Its prompt is gone from the history."""
    stopped = [(1, StreamTold(1, "signal")), (1, done())]
    assert [] == problems("rollback", *stopped, second(B), (2, done()))
    wanted = ["the earlier prompt is still in the history"]
    assert wanted == problems("rollback", *stopped, second(A, B), (2, done()))


def test_a_text_that_a_filter_has_changed_is_not_looked_for() -> None:
    """Nor is it found in a later prompt that holds it."""
    rollback = Contract(second_prompt="rollback")
    other, longer = user("something else"), user("a, b")
    stopped = (StreamTold(1, "signal"), done())
    changed = (PromptCalled("a"), RequestMade(1, (other,)), PromptCalled("b"))
    ended = [*((1, record) for record in stopped), (2, RequestMade(1, (other,))), (2, done())]
    assert () == verdict("single-flight", *changed, *ended, contract=rollback).violations
    held = (PromptCalled("a"), RequestMade(1, (A,)), PromptCalled("a, b"))
    ended[2] = (2, RequestMade(1, (longer,)))
    assert () == verdict("single-flight", *held, *ended, contract=rollback).violations
    ended[2] = (2, RequestMade(1, (A, longer)))
    assert 1 == len(verdict("single-flight", *held, *ended, contract=rollback).violations)


def test_only_what_the_rolled_back_run_itself_has_said_is_gone() -> None:
    """Not what ended before its queue began to run, and nothing where it continued."""
    rollback = Contract(second_prompt="rollback")
    ended = AgentEnd(Outcome.CANCELLED)
    queued = (PromptCalled("a"), RequestMade(1, (A,)), ended, PromptCalled("b"))
    after = ((1, done()), second(A, B), (2, done()))
    assert () == verdict("single-flight", *queued, *after, contract=rollback).violations
    continued = (PromptCalled(""), RequestMade(1, (A,)), TAKEN, PromptCalled("b"))
    assert () == verdict("single-flight", *continued, *after, contract=rollback).violations


def test_prompts_one_after_the_other_are_no_occasion() -> None:
    """Nor are those of two sessions."""
    reject = Contract(second_prompt="reject")
    records = [PromptCalled("a"), done(), PromptCalled("b"), done()]
    assert 0 == verdict("single-flight", *records, contract=reject).occasions
    two: list[Stamped] = [PromptCalled("a"), PromptCalled("b", "other"), (1, done()), (2, done())]
    assert 0 == verdict("single-flight", *two, contract=reject).occasions

"""The rules about what a user says while the agent is at work."""

import pytest

from simharness.contract import Contract
from simharness.trace import (
    ActionTaken,
    AgentEnd,
    CancelCalled,
    CancelEffective,
    HistoryRead,
    LoopError,
    Message,
    Notice,
    Outcome,
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

A, B, AGAIN = user("a"), user("more"), user("again")
STEER = ActionTaken("steer during search", "more")
FOLLOW = ActionTaken("follow_up after chunk 1", "more")
NEXT = Contract(steering="next-boundary", queue_on_cancel="per-cancel")
RUNS = Contract(queue_on_cancel="run")
STOP = (CancelCalled("api"), CancelEffective())
Stamped = Record | tuple[int, Record]


def run(*records: Stamped, then: tuple[Message, ...] = ()) -> list[Stamped]:
    """A run, and the next prompt with the history `then`, which completes."""
    return [
        PromptCalled("a"),
        RequestMade(1, (A,)),
        *records,
        done(),
        PromptCalled("again"),
        RequestMade(1, (A, *then, AGAIN)),
        done(),
    ]


def problems(rule: str, records: list[Stamped], contract: Contract = NEXT) -> list[str]:
    """What the rule finds."""
    return texts(verdict(rule, *records, contract=contract))


# --- steer-conserved ----------------------------------------------------------------------------

LOST = "What the user said by steer is in no history, was not refused, and waits no more."


@pytest.mark.parametrize("after", [(), STOP])
def test_a_message_in_the_transcript_is_conserved(after: tuple[Record, ...]) -> None:
    """Also after a cancel."""
    judged = verdict("steer-conserved", *run(STEER, *after, then=(B,)), contract=NEXT)
    assert (1, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize("after", [(), STOP])
def test_a_message_that_is_nowhere_is_lost(after: tuple[Record, ...]) -> None:
    """A run has completed since, so nothing waits."""
    assert [LOST] == problems("steer-conserved", run(STEER, *after))


@pytest.mark.parametrize("queue", ["drop", "park"])
def test_a_cancel_may_drop_or_park_where_it_is_declared(queue: str) -> None:
    """The user knows."""
    declared = Contract(steering="next-boundary", queue_on_cancel=queue)
    assert [] == problems("steer-conserved", run(STEER, *STOP), declared)


@pytest.mark.parametrize(
    "told", [Notice("dropped", "more"), LoopError("steer failed", "RuntimeError: idle")]
)
def test_a_message_may_be_refused(told: Record) -> None:
    """By a notice or by an exception of the call; then it must not be heard all the same."""
    assert [] == problems("steer-conserved", run(STEER, told))
    wanted = "What the user said by steer stands in the history, although it was refused."
    assert [wanted] == problems("steer-conserved", run(STEER, told, then=(B,)))


def test_a_message_may_be_taken_back_with_its_run() -> None:
    """It stood in the history before that, and not since."""
    heard, back = RequestMade(2, (A, B)), Notice("rolled-back", "more")
    assert [] == problems("steer-conserved", run(STEER, heard, back))
    wanted = "What the user said by steer stands in the history, although it was refused."
    assert [wanted] == problems("steer-conserved", run(STEER, heard, back, then=(B,)))


def test_a_message_that_is_heard_twice_is_broken() -> None:
    """The model does things twice."""
    wanted = "What the user said by steer stands in the history more than once."
    assert [wanted] == problems("steer-conserved", run(STEER, then=(B, B)))
    assert [] == problems("steer-conserved", run(STEER, STEER, then=(B, B)))


def test_a_short_message_may_stand_in_a_result_as_well() -> None:
    """Who was told "no" says in its result that it was not run."""
    said, skipped = ActionTaken("steer during search", "no"), tool_result("c1", "not run")
    assert [] == problems("steer-conserved", run(said, then=(skipped, user("no"))))
    assert [] == problems("steer-conserved", run(said, Notice("dropped", "no"), then=(skipped,)))
    wanted = "What the user said by steer stands in the history more than once."
    assert [wanted] == problems("steer-conserved", run(said, then=(user("no"), user("no"))))


def test_a_message_that_may_still_wait_is_not_judged() -> None:
    """No run that completed was prompted since."""
    records = [*run(STEER)[:-1], done("raised", outcome=Outcome.FAILED)]
    assert 0 == verdict("steer-conserved", *records, contract=NEXT).occasions
    assert 0 == verdict("steer-conserved", *run()).occasions


# --- steer-latency ------------------------------------------------------------------------------

ONE = (ToolStarted("c1", "search", "{}"), STEER, ToolEnded("c1", "returned", "ok"))
TWO = (ToolStarted("c2", "deploy", "{}"), ToolEnded("c2", "returned", "ok"))
HEARD = RequestMade(2, (A, assistant("x"), B))
DEAF = RequestMade(2, (A, assistant("x")))


def test_steering_is_seen_at_the_next_tool_boundary() -> None:
    """The request behind the first end of a tool holds it."""
    judged = verdict("steer-latency", *run(*ONE, HEARD), contract=NEXT)
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_tool_that_starts_behind_the_boundary_is_broken() -> None:
    """Unless the agent says that steering waits for the turn."""
    wanted = "Tool deploy was started before the steering message was seen."
    assert [wanted] == problems("steer-latency", run(*ONE, *TWO, HEARD))
    assert [] == problems("steer-latency", run(*ONE, *TWO, HEARD), Contract(steering="next-turn"))


@pytest.mark.parametrize("steering", ["next-boundary", "next-turn"])
def test_a_request_behind_the_boundary_without_the_message_is_broken(steering: str) -> None:
    """The next turn is the latest."""
    wanted = "The request after a tool boundary does not hold the steering message."
    assert [wanted] == problems("steer-latency", run(*ONE, DEAF), Contract(steering=steering))


def test_of_several_messages_the_first_is_judged() -> None:
    """An agent may hear them one at a time."""
    second = ActionTaken("steer during search", "again and")
    records = run(ONE[0], STEER, second, ONE[2], HEARD)
    judged = verdict("steer-latency", *records, contract=NEXT)
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_message_that_was_heard_is_not_awaited_at_the_end_of_a_later_tool() -> None:
    """It came before any tool had run; said once more, it is awaited again."""
    records = run(STEER, HEARD, *TWO, *ONE[::2], RequestMade(3, (A, assistant("x"), B)))
    assert 0 == verdict("steer-latency", *records, contract=NEXT).occasions
    wanted = "Tool search was started before the steering message was seen."
    assert [wanted] == problems("steer-latency", run(STEER, HEARD, STEER, *TWO, ONE[0]))


def test_without_a_tool_boundary_there_is_no_occasion() -> None:
    """Nor after a cancel, nor for a follow-up."""
    for records in (run(STEER), run(*ONE, *STOP, DEAF), run(FOLLOW, ONE[2], DEAF)):
        assert 0 == verdict("steer-latency", *records, contract=NEXT).occasions


# --- queue-progress -----------------------------------------------------------------------------

STRANDED = "A follow-up stays in the queue after the end of run 1."
FINISH = TerminalTaken(1, "finish", "stop")


def test_a_follow_up_runs_before_the_next_prompt() -> None:
    """A request holds it, though nobody has said anything else."""
    judged = verdict("queue-progress", *run(FOLLOW, FINISH, HEARD), contract=RUNS)
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_follow_up_that_waits_for_the_next_prompt_is_broken() -> None:
    """It came when the queue had been looked at for the last time."""
    assert [STRANDED] == problems("queue-progress", run(FINISH, FOLLOW, then=(B,)), RUNS)


@pytest.mark.parametrize(
    ("queue", "wanted"),
    [("run", [STRANDED]), ("per-cancel", [STRANDED]), ("drop", []), ("park", [])],
)
def test_after_a_cancel_the_queue_does_what_is_declared(queue: str, wanted: list[str]) -> None:
    """It runs, is dropped or is parked."""
    records = run(FOLLOW, *STOP)
    assert wanted == problems("queue-progress", records, Contract(queue_on_cancel=queue))


@pytest.mark.parametrize("kind", ["parked", "dropped"])
def test_a_cancel_that_parks_or_drops_the_queue_says_so(kind: str) -> None:
    """Where each cancel decides, a notice tells what it decided."""
    assert [] == problems("queue-progress", run(FOLLOW, *STOP, Notice(kind, "more")))


def test_what_is_said_behind_the_end_of_a_cancelled_run_may_wait() -> None:
    """As if the agent were idle, which it says it is; the same words before that may not."""
    over = AgentEnd(Outcome.CANCELLED, "user")
    assert [] == problems("queue-progress", run(*STOP, over, FOLLOW))
    assert [STRANDED] == problems("queue-progress", run(*STOP, FOLLOW, over))


def test_after_a_failure_the_queue_may_wait() -> None:
    """The declared field is about cancels."""
    records = run(FOLLOW)
    records[3] = done("raised", outcome=Outcome.FAILED)
    assert 0 == verdict("queue-progress", *records, contract=RUNS).occasions


def waiting(*ends: Stamped) -> list[Stamped]:
    """Run 2 was prompted during run 1."""
    return [PromptCalled("a"), RequestMade(1, (A,)), PromptCalled("b"), *ends]


def test_a_queued_prompt_gets_its_turn() -> None:
    """Else it is stuck."""
    queue = Contract(second_prompt="queue", queue_on_cancel="drop")
    asked = [(1, done()), (2, RequestMade(1, (A, user("b")))), (2, done())]
    assert [] == problems("queue-progress", waiting(*asked), queue)
    stuck = "The queued prompt of run 2 is never asked of the model."
    assert [stuck] == problems("queue-progress", waiting((1, done()), (2, done())), queue)


def test_a_queued_prompt_waits_for_all_that_are_in_front_of_it() -> None:
    """The run behind which it waits now goes on for ever, which is for another rule to say."""
    queue = Contract(second_prompt="queue", queue_on_cancel="drop")
    third = waiting(PromptCalled("c"), (1, done()), (2, RequestMade(1, (A, user("b")))))
    assert [] == problems("queue-progress", third, queue)
    assert problems("queue-progress", [*third, (2, done())], queue)


def test_a_queued_prompt_that_comes_to_a_limit_had_its_turn() -> None:
    """A hook may not want the turn, or none is left: the model is not asked, and that is told."""
    queue = Contract(second_prompt="queue", queue_on_cancel="drop")
    limit = waiting((1, done()), (2, AgentEnd(Outcome.LIMIT, "before-turn")), (2, done()))
    assert [] == problems("queue-progress", limit, queue)
    completed = waiting((1, done()), (2, AgentEnd(Outcome.COMPLETED)), (2, done()))
    assert 1 == len(problems("queue-progress", completed, queue))


def test_a_cancel_may_turn_a_queued_prompt_away() -> None:
    """Its caller is told, and the agent declares no queue that runs on."""
    away = waiting((1, CancelCalled("api")), (1, done()), (2, done("raised")))
    drops = Contract(second_prompt="queue", queue_on_cancel="drop")
    assert [] == problems("queue-progress", away, drops)
    runs_on = Contract(second_prompt="queue", queue_on_cancel="run")
    assert 1 == len(problems("queue-progress", away, runs_on))


def test_a_follow_up_whose_own_turn_was_cancelled_is_not_in_the_queue_any_more() -> None:
    """The history of the run holds it, although the model was never asked."""
    kept = HistoryRead((A, B))
    assert [] == problems("queue-progress", run(FOLLOW, *STOP, (1, kept)))
    assert 1 == len(problems("queue-progress", run(FOLLOW, *STOP)))


def test_a_follow_up_that_was_dropped_waits_no_more() -> None:
    """The user was told; and of two open runs it was meant for the first."""
    records: list[Stamped] = [
        *(PromptCalled("a"), RequestMade(1, (A,)), PromptCalled("again")),
        *((1, FOLLOW), (1, Notice("dropped", "more")), (1, done())),
        *(RequestMade(1, (A, AGAIN)), done()),
    ]
    assert [] == problems("queue-progress", records, RUNS)

"""The rules about ends: settling, closing, leaving nothing behind, being ready again."""

import pytest

from simharness.contract import Contract
from simharness.trace import (
    ActionTaken,
    AgentEnd,
    CancelCalled,
    CancelEffective,
    HistoryRead,
    HookCalled,
    InputRejected,
    LeftBehind,
    LimitHit,
    LoopError,
    Outcome,
    PhaseChanged,
    PromptCalled,
    Record,
    RequestMade,
    StreamClosed,
    TerminalTaken,
    tool_result,
    user,
)
from tests.unit.rules.traces import REPORTS, done, texts, verdict

HI = user("hi")
HELLO, ASKED = PromptCalled("hi"), RequestMade(1, (HI,))
CALLED, EFFECTIVE = CancelCalled("api"), CancelEffective()
FINISHED = TerminalTaken(1, "finish", "stop")
PLAIN = (HELLO, ASKED, FINISHED, done())
DEADLOCK = (0, LimitHit("deadlock", "prompt waits"))


def said(
    rule: str, *records: Record | tuple[int, Record], contract: Contract = REPORTS
) -> list[str]:
    """The messages of one rule about `records`, for an agent that reports everything."""
    return texts(verdict(rule, *records, contract=contract))


# --- settles ------------------------------------------------------------------------------------


def test_a_run_that_settles_is_fine() -> None:
    """One run, one end."""
    judged = verdict("settles", *PLAIN)
    assert (1, ()) == (judged.occasions, judged.violations)


@pytest.mark.parametrize("limit", ["deadlock", "livelock", "virtual-time-limit", "step-limit"])
def test_a_run_that_never_settles_is_broken(limit: str) -> None:
    """The stream has ended, the run has not."""
    wanted = [f"Run 1 does not settle: {limit}."]
    assert wanted == said("settles", *PLAIN[:3], LimitHit(limit, ""))


def test_a_hang_of_the_script_is_the_scripts() -> None:
    """Nobody cancelled, and the stream is silent."""
    assert 0 == verdict("settles", HELLO, ASKED, DEADLOCK).occasions
    graceful = CancelCalled("api-after-turn")
    assert 0 == verdict("settles", HELLO, ASKED, graceful, DEADLOCK).occasions


@pytest.mark.parametrize("record", [CALLED, StreamClosed(1, "aclose")])
def test_a_hang_of_the_agent_is_not(record: Record) -> None:
    """The user cancelled, or the stream was closed already."""
    wanted = ["Run 1 does not settle: deadlock."]
    assert wanted == said("settles", HELLO, ASKED, record, DEADLOCK)


def test_a_cancel_says_nothing_to_a_stream_of_what_was_queued_behind_it() -> None:
    """It has ended its part of the run; the next cancel is for the rest."""
    queued = (HELLO, ASKED, ActionTaken("steer"), CALLED, StreamClosed(1, "aclose"))
    again = RequestMade(2, (HI, HI))
    end = AgentEnd(Outcome.CANCELLED)
    assert 0 == verdict("settles", *queued, end, again, DEADLOCK).occasions
    wanted = ["Run 1 does not settle: deadlock."]
    assert wanted == said("settles", *queued, end, again, CALLED, DEADLOCK)
    assert wanted == said("settles", *queued, again, DEADLOCK)
    assert wanted == said("settles", *queued, again, end, DEADLOCK)


def test_a_loop_that_does_not_come_to_rest_is_broken() -> None:
    """All runs have settled, something goes on for ever."""
    wanted = ["All runs have settled, but the loop does not come to rest: livelock."]
    assert wanted == said("settles", *PLAIN, LimitHit("livelock", ""))


def test_settling_has_no_occasion_without_a_run() -> None:
    """Nothing was prompted."""
    assert 0 == verdict("settles", ActionTaken("wait")).occasions


# --- no-leaked-tasks ----------------------------------------------------------------------------


def test_what_is_left_at_the_settling_is_a_note() -> None:
    """Winding up takes a moment."""
    left = LeftBehind("leaked-task", "helper at loop.py:1", False)
    judged = verdict("no-leaked-tasks", *PLAIN, left)
    assert (1, (), 1) == (judged.occasions, judged.violations, len(judged.notes))


@pytest.mark.parametrize("kind", ["leaked-task", "leaked-timer", "leaked-thread"])
def test_what_is_left_in_the_end_is_broken(kind: str) -> None:
    """Thirty virtual seconds were enough."""
    wanted = [f"Left behind after 30 s, {kind}: helper."]
    assert wanted == said("no-leaked-tasks", *PLAIN, (0, LeftBehind(kind, "helper", True)))


def test_a_generator_may_wait_for_its_collection_unless_it_is_promised() -> None:
    """Python closes it when it is collected."""
    left = LeftBehind("leaked-generator", "events", True)
    judged = verdict("no-leaked-tasks", *PLAIN, left)
    assert ((), 1) == (judged.violations, len(judged.notes))
    promised = Contract(generators="closed")
    assert 1 == len(said("no-leaked-tasks", *PLAIN, left, contract=promised))


def test_leaks_have_no_occasion_before_the_settling() -> None:
    """A run in progress may hold what it needs."""
    assert 0 == verdict("no-leaked-tasks", HELLO, ASKED).occasions


# --- upstream-closed ----------------------------------------------------------------------------


def test_a_stream_that_is_closed_is_fine() -> None:
    """It was not read to its end, but closed."""
    judged = verdict("upstream-closed", HELLO, ASKED, StreamClosed(1, "aclose"), done())
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_stream_that_stays_open_is_broken() -> None:
    """The provider goes on generating."""
    left = LeftBehind("unclosed-stream", "request 1 of run 1", True)
    wanted = ["Left open after 30 s, unclosed-stream: request 1 of run 1."]
    assert wanted == said("upstream-closed", HELLO, ASKED, done(), left)


def test_closing_has_no_occasion_if_all_streams_were_read_to_their_end() -> None:
    """There is nothing to close."""
    assert 0 == verdict("upstream-closed", HELLO, ASKED, StreamClosed(1, "end"), done()).occasions


# --- close-is-clean -----------------------------------------------------------------------------


@pytest.mark.parametrize(("way", "how"), [("close", "closed"), ("break", "broke")])
def test_leaving_an_iterator_quietly_is_fine(way: str, how: str) -> None:
    """Nothing is raised."""
    judged = verdict("close-is-clean", HELLO, ASKED, CancelCalled(way), done(how))
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_close_that_raises_is_broken() -> None:
    """The consumer gets an exception for leaving."""
    error = "RuntimeError: asynchronous generator ignored GeneratorExit"
    end = done("raised", error=error)
    wanted = ["Closing the iterator of run 1 raised RuntimeError."]
    assert wanted == said("close-is-clean", HELLO, CancelCalled("close"), end)


def test_a_close_that_fails_behind_the_consumers_back_is_broken() -> None:
    """The loop's handler hears of it when the generator is collected."""
    message = "an error occurred during closing of asynchronous generator"
    error = LoopError(message, "RuntimeError")
    wanted = [f"After the consumer left run 1: {message}."]
    records = (HELLO, CancelCalled("break"), done("broke"), error, LoopError("other", ""))
    assert wanted == said("close-is-clean", *records)


def test_a_clean_close_has_no_occasion_if_nobody_leaves() -> None:
    """The iterator was read to its end."""
    assert 0 == verdict("close-is-clean", *PLAIN).occasions


# --- phase-returns-idle -------------------------------------------------------------------------

AGAIN = PromptCalled("again")


def test_an_agent_that_is_idle_and_takes_the_next_prompt_is_fine() -> None:
    """Both of what is said and what is done."""
    phases = (PhaseChanged("streaming"), PhaseChanged("idle"))
    records = (HELLO, ASKED, *phases, done(), AGAIN, ASKED, done())
    judged = verdict("phase-returns-idle", *records, contract=REPORTS)
    assert (2, ()) == (judged.occasions, judged.violations)


def test_a_phase_that_stays_is_broken() -> None:
    """The flag is cleared on the happy path only."""
    wanted = ["After run 1 the phase stays streaming."]
    assert wanted == said("phase-returns-idle", HELLO, PhaseChanged("streaming"), done())


REFUSED = done("raised", error="BusyError: running", outcome=Outcome.FAILED)
REJECTED = done("raised", error="BusyError: running", outcome=Outcome.REJECTED)


@pytest.mark.parametrize("end", [REFUSED, REJECTED])
def test_a_prompt_that_an_idle_agent_refuses_is_broken(end: Record) -> None:
    """It believes that the first run is still there."""
    wanted = ["The idle agent refused the prompt of run 2 with BusyError."]
    assert wanted == said("phase-returns-idle", *PLAIN, AGAIN, end)


def test_a_rejection_may_be_a_filter_of_which_the_agent_does_not_tell() -> None:
    """Only an agent that reports notices would have said why."""
    assert [] == said("phase-returns-idle", *PLAIN, AGAIN, REJECTED, contract=Contract())


@pytest.mark.parametrize(
    "records",
    [
        (AGAIN, HookCalled("input_filter"), REFUSED),
        (ActionTaken("dispose"), AGAIN, REFUSED),
        (AGAIN, InputRejected("no"), REJECTED),
        (HistoryRead((HI, tool_result("c1", "3"))), AGAIN, REFUSED),
    ],
)
def test_a_refusal_with_another_reason_is_not_judged(records: tuple[Record, ...]) -> None:
    """A hook, a disposed agent, a rejection; or a bad history, which tool-pairing judges."""
    assert [] == said("phase-returns-idle", *PLAIN, *records)


def test_a_prompt_during_a_run_may_be_refused() -> None:
    """The agent is not idle."""
    records = (HELLO, ASKED, AGAIN, (2, REFUSED), (1, done()))
    assert [] == said("phase-returns-idle", *records)


def test_idleness_has_no_occasion_in_a_single_silent_run() -> None:
    """No phase, no next prompt."""
    assert 0 == verdict("phase-returns-idle", *PLAIN).occasions

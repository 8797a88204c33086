"""The rules about declared bounds. `at` builds traces in which virtual time passes."""

import attrs
import pytest

from simharness.contract import Contract
from simharness.rules import RULES, by_id, judge
from simharness.trace import (
    CancelCalled,
    ChunkArrived,
    ChunkTaken,
    LimitHit,
    PromptCalled,
    Record,
    RequestMade,
    SignTaken,
    StreamClosed,
    StreamTold,
    TerminalTaken,
    ToolEnded,
    ToolStarted,
    Trace,
    user,
)
from simharness.verdict import Judgement
from tests.unit.rules.traces import done, texts

HI = user("hi")
SECOND = Contract(cancel_bound="seconds(1)")
TWO_CHUNKS = Contract(cancel_bound="chunks(2)")
IDLE = Contract(idle_limit_s="30")


def at(*records: tuple[float, Record]) -> Trace:
    """A trace of one run, each record at its virtual time."""
    trace = Trace()
    for time, record in [(0.0, PromptCalled("hi")), (0.0, RequestMade(1, (HI,))), *records]:
        trace.add(attrs.evolve(record), time=time, run=1)
    return trace


def cancel_effective(*records: tuple[float, Record], contract: Contract = SECOND) -> Judgement:
    """What the rule says about a run that is cancelled at second 0."""
    return by_id("cancel-effective").check(at((0.0, CancelCalled("api")), *records), contract)


def stall(*records: tuple[float, Record], contract: Contract = IDLE) -> Judgement:
    """What the rule says about a run with one stream."""
    return by_id("stall-bounded").check(at(*records), contract)


# --- cancel-effective ---------------------------------------------------------------------------


def test_a_run_that_settles_within_the_bound_was_stopped() -> None:
    """The bound itself included."""
    assert Judgement(occasions=1) == cancel_effective((1.0, done("cancelled")))


def test_a_cancelled_error_that_a_stream_keeps_to_itself_begins_no_bound() -> None:
    """The agent cannot know before the stream lets it read on."""
    told = (0.0, StreamTold(1, "CancelledError"))
    assert 0 == cancel_effective(told, (8.0, done("cancelled"))).occasions
    let_through = (0.0, StreamClosed(1, "cancelled"))
    assert 1 == len(cancel_effective(told, let_through, (8.0, done("cancelled"))).violations)
    second = (2.0, StreamTold(1, "CancelledError"))
    kept_once = (told, second, let_through, (8.0, done("cancelled")))
    assert 0 == cancel_effective(*kept_once).occasions


def test_a_run_that_settles_later_is_broken() -> None:
    """The user waits."""
    judged = cancel_effective((8.0, done("cancelled")))
    assert ["Run 1 settles later than 1 s after its cancel."] == texts(judged)


def test_a_tool_body_that_ignores_the_cancel_is_not_the_agent_s() -> None:
    """A good agent waits for it."""
    trace = at(
        (0.0, ToolStarted("c1", "search", "{}")),
        (0.0, CancelCalled("api")),
        (8.0, ToolEnded("c1", "returned", "ok")),
        (8.0, done("cancelled")),
    )
    assert () == by_id("cancel-effective").check(trace, SECOND).violations


@pytest.mark.parametrize(("chunks", "violations"), [(2, 0), (3, 1)])
def test_chunks_are_counted_from_the_cancel(chunks: int, violations: int) -> None:
    """However long they take."""
    taken = [(9.0, ChunkTaken(1, 1 + n, "text", "a")) for n in range(chunks)]
    judged = cancel_effective(*taken, (99.0, done("cancelled")), contract=TWO_CHUNKS)
    assert (1, violations) == (judged.occasions, len(judged.violations))


def test_a_run_that_was_not_cancelled_or_never_settles_is_no_occasion() -> None:
    """The one needs no bound, the other is judged by settles."""
    assert 0 == by_id("cancel-effective").check(at((8.0, done())), SECOND).occasions
    assert 0 == cancel_effective((8.0, LimitHit("deadlock", ""))).occasions


# --- stall-bounded ------------------------------------------------------------------------------

HEL = ChunkArrived(1, 1, "text", "Hel")


def test_a_stream_that_is_closed_at_the_limit_was_bounded() -> None:
    """Thirty seconds of silence, then the agent gives up."""
    judged = stall((1.0, HEL), (31.0, StreamClosed(1, "aclose")), (31.0, done("raised")))
    assert Judgement(occasions=1) == judged


def test_a_stream_that_is_silent_for_longer_is_broken() -> None:
    """Between two chunks, before the first, or to the end of the run."""
    wanted = ["The stream of request 1 of run 1 was silent for longer than 30 s."]
    end = TerminalTaken(1, "finish", "stop")
    assert wanted == texts(stall((1.0, HEL), (99.0, end), (99.0, done())))
    assert wanted == texts(stall((99.0, HEL), (99.0, end), (99.0, done())))
    assert wanted == texts(stall((1.0, HEL), (99.0, done())))


def test_a_stream_that_the_loop_waits_for_for_ever_is_broken() -> None:
    """No timer of the agent would have ended it: virtual time stands still."""
    judged = stall((1.0, HEL), (1.0, LimitHit("deadlock", "")))
    assert 1 == len(judged.violations)


def test_a_slow_stream_is_not_silent() -> None:
    """Each chunk is a sign of life, and after the end nothing is expected."""
    chunks = [(20.0 * n, ChunkArrived(1, n, "text", "a")) for n in (1, 2, 3)]
    end = (70.0, TerminalTaken(1, "finish", "stop"))
    assert Judgement() == stall(*chunks, end, (999.0, done()))


def test_what_comes_without_content_is_a_sign_of_life() -> None:
    """A keepalive, say, behind which the stream hangs."""
    closed = (31.5, StreamClosed(1, "aclose"))
    assert Judgement(occasions=1) == stall((1.5, SignTaken(1)), closed, (31.5, done("raised")))
    assert 1 == len(stall((1.0, SignTaken(1)), closed, (31.5, done("raised"))).violations)


def test_an_agent_without_a_limit_is_not_judged() -> None:
    """It says so."""
    none = Contract(idle_limit_s="none")
    assert Judgement() == stall((1.0, HEL), (999.0, done()), contract=none)


# --- lateness -----------------------------------------------------------------------------------


def test_seconds_are_not_judged_where_something_was_made_late() -> None:
    """A schedule may let time pass over the agent's own timers."""
    timed = {rule.id for rule in RULES if rule.timed}
    assert {"cancel-effective", "stall-bounded"} == timed
    contract = Contract(cancel_bound="seconds(1)", idle_limit_s="30")
    trace = at((0.0, CancelCalled("api")), (99.0, done()))
    assert timed.isdisjoint(judge(trace, contract, on_time=False))
    assert timed <= set(judge(trace, contract))

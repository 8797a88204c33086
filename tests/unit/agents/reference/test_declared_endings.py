"""What endings leave where the contract declares other things than the loop by itself does."""

from __future__ import annotations

from simharness.agent import AgentFactory
from simharness.agents.profiles import Profile
from simharness.agents.reference import CONTRACT
from simharness.contract import Contract
from simharness.scenario.model import CancelAction, Report, Tool
from simharness.trace import (
    HookCalled,
    Message,
    MessageEnd,
    MessageStart,
    Outcome,
    RequestMade,
    Trace,
    assistant,
    tool_result,
    user,
)
from tests.unit.agents.reference.plays import (
    anchor,
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
    stream,
)

EMPTIED = Message("assistant", interrupted=True)
SEARCH = (Tool("search", "3 hits", takes_s=0.1),)
NOT_RUN = "not run: the run was cancelled"


def declaring(**words: str) -> AgentFactory:
    """The loop with some fields of its contract changed."""
    contract = CONTRACT.overridden(Contract(**words))  # type: ignore[arg-type]
    return Profile("changed", "changed", contract, lambda _: []).factory


def ends(trace: Trace) -> list[tuple[Message, bool]]:
    """The assistant messages of the first run as they ended, and whether they were discarded."""
    found = trace.of(MessageEnd, 1)
    return [(one.message, one.discarded) for one in found if one.message.role == "assistant"]


def test_a_cut_message_is_emptied_or_removed() -> None:
    """Where something was shown; what is left where nothing was is another field."""
    for word, left in (("emptied", (user("hi"), EMPTIED)), ("removed", (user("hi"),))):
        trace = play(
            stream("One", "Two", reaction=reacts(Report.ABORTED)),
            do=(cancel("after", "chunk"),),
            factory=declaring(cut_message=word),
        )
        assert left == kept(trace)
        assert (Outcome.CANCELLED, "user") == end(trace)


def test_a_cancel_before_any_output_leaves_an_empty_message() -> None:
    """With a start of its own, as no stream has reported one, and whether or not one was opened."""
    factory = declaring(empty_cancel="empty-message")
    for where in (cancel("after", "request"), inside("PhaseChanged")):
        trace = play(stream("One", reaction=reacts(Report.ERROR)), do=(where,), factory=factory)
        assert (user("hi"), EMPTIED) == kept(trace)
        started = [one.message for one in trace.of(MessageStart, 1)]
        assert 2 == len(started)
        assert [(EMPTIED, False)] == ends(trace)


def test_a_cancel_in_a_backoff_leaves_an_empty_message() -> None:
    """No further request is made for it."""
    trace = play(
        stream(end=error(retryable=True)),
        do=(cancel("during", "wait", "backoff"),),
        factory=declaring(empty_cancel="empty-message"),
    )
    assert (user("hi"), EMPTIED) == kept(trace)
    assert 1 == len(trace.of(RequestMade, 1))


def test_a_failure_that_is_final_leaves_an_empty_message() -> None:
    """One that is repeated leaves none."""
    factory = declaring(failed_final="empty-message")
    assert (user("hi"), assistant()) == kept(play(stream(end=error()), factory=factory))
    repeated = play(stream(end=error(retryable=True)), stream("One"), factory=factory)
    assert (user("hi"), assistant("One")) == kept(repeated)


def test_an_answer_without_content_is_kept() -> None:
    """Also one whose calls the output limit took."""
    factory = declaring(empty_answer="kept")
    for answer in (stream(), stream(call("search"), end=finish("length"))):
        assert (user("hi"), assistant()) == kept(play(answer, factory=factory, tools=SEARCH))


def test_a_repeated_attempt_is_announced() -> None:
    """Its message ends with the word which attempt it was, and is not kept."""
    trace = play(
        stream("One", end=error(retryable=True)),
        stream("Two"),
        factory=declaring(retried_attempt="announced", retry_after_visible_output="with-boundary"),
    )
    text = "attempt 1 of 4 failed: boom; it will be repeated"
    assert [(assistant(text), True), (assistant("Two"), False)] == ends(trace)


def test_a_cancel_between_two_answers_leaves_its_marker() -> None:
    """Behind the turn that was closed; a cut answer needs none."""
    factory = declaring(cancel_marker="user-message([halt])")
    calls = play(
        stream(call("search", id="c1")),
        do=(inside("MessageEnd", 2),),
        tools=SEARCH,
        factory=factory,
    )
    result = tool_result("c1", NOT_RUN, is_error=True)
    assert (result, user("[halt]")) == kept(calls)[2:]
    assert ["TurnEnd", "MessageStart", "MessageEnd", "AgentEnd"] == names(calls)[-4:]
    cut = play(stream("One", "Two"), do=(cancel("after", "chunk"),), factory=factory)
    assert user("[halt]") not in kept(cut)


def test_a_chain_that_has_begun_is_finished() -> None:
    """None begins behind the cancel."""
    trace = play(
        stream(call("search", id="c1"), call("search", id="c2")),
        do=(CancelAction(None, anchor=anchor("after", "hook", "middleware", inside=True)),),
        tools=SEARCH,
        hooks={"middleware": ["allow", "allow"]},
        settings={"tools": "sequential"},
        factory=declaring(hooks_after_cancel="rest-of-chain"),
    )
    assert [1, 2] == [hook.number for hook in trace.of(HookCalled, 1)]

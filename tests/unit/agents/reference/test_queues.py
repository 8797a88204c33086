"""What is said during a run, prompts that wait for theirs, and runs without a prompt."""

from __future__ import annotations

import asyncio

import pytest

from simharness.agents.reference.admission import Admission
from simharness.agents.reference.queues import Queues
from simharness.scenario.model import CancelAction, OtherAction, PromptAction, Tool
from simharness.trace import AgentEnd, HistoryRead, Notice, Outcome, RequestMade, Trace
from tests.unit.agents.reference.plays import HANG, anchor, call, error, play, stream


def said(verb: str, text: str, record: str = "MessageUpdate") -> OtherAction:
    """The user says something from inside the observer of a record."""
    place = anchor("after", "record", record, inside=True)
    return OtherAction(verb, {"text": text}, anchor=place, label=verb)


def history(trace: Trace) -> list[str]:
    """The texts of the history at the end."""
    return [message.text for message in trace.of(HistoryRead)[-1].messages]


def test_a_queue_gives_each_message_away_once() -> None:
    """All steering at once, follow-ups one by one."""
    queues = Queues()
    for text in ("a", "b"):
        queues.steer(text)
        queues.follow_up(text.upper())
    assert queues.steering
    assert [["a", "b"], [], ["A"], ["B"], []] == [
        queues.take_steering(),
        queues.take_steering(),
        queues.take_follow_up(),
        queues.take_follow_up(),
        queues.take_follow_up(),
    ]
    assert not queues.waiting


def test_a_dropped_queue_is_empty() -> None:
    """What was dropped is named, so that it can be reported."""
    queues = Queues()
    queues.follow_up("b")
    queues.steer("a")
    assert ["a", "b"] == queues.drop()
    assert not queues.waiting


def test_what_is_said_during_an_answer_is_heard_in_the_same_run() -> None:
    """Steering comes before a follow-up, each with a turn of its own; there is one end."""
    do = (said("follow_up", "later"), said("steer", "now"))
    trace = play(stream("a"), stream("b"), stream("c"), do=do)
    assert ["hi", "a", "now", "b", "later", "c", "again", "ok"] == history(trace)
    assert 1 == len(trace.of(AgentEnd, 1))


@pytest.mark.parametrize(
    ("fate", "texts", "ends"),
    [
        ("run", ["hi", "a", "more", "b", "again", "ok"], ["cancelled", "completed"]),
        ("drop", ["hi", "a", "again", "ok"], ["cancelled"]),
        ("park", ["hi", "a", "more", "again", "ok"], ["cancelled"]),
    ],
)
def test_a_cancel_says_what_becomes_of_the_queue(
    fate: str, texts: list[str], ends: list[str]
) -> None:
    """Each message is in the history, in the queue, or was dropped with a notice."""
    place = anchor("after", "record", "MessageUpdate", inside=True)
    do = (said("steer", "more"), CancelAction(queue=fate, anchor=place))
    trace = play(stream("a", end=HANG), stream("b"), do=do)
    assert texts == history(trace)
    assert ends == [record.outcome for record in trace.of(AgentEnd, 1)]
    assert (fate == "drop") == ("more" in [notice.text for notice in trace.of(Notice)])


def test_a_cancel_without_a_run_leaves_the_queue_alone() -> None:
    """It never colours the next run, not even by what it says of the queue."""
    place = anchor("after", "record", "AgentEnd", inside=True)
    do = (said("steer", "more", "AgentEnd"), CancelAction(queue="drop", anchor=place))
    assert ["hi", "a", "more", "again", "ok"] == history(play(stream("a"), do=do))


def test_continue_asks_again_without_a_new_message() -> None:
    """The next request is the one that failed."""
    go_on = PromptAction("", (stream("At last"),), continues=True)
    trace = play(stream("a", end=error()), do=(go_on,))
    first, second, _ = trace.of(RequestMade)
    assert first.messages == second.messages
    assert ["hi", "At last", "again", "ok"] == history(trace)


def test_continue_with_nothing_to_go_on_from_completes_at_once() -> None:
    """It asks nothing of the model and takes no turn."""
    trace = play(
        stream("never"),
        do=(PromptAction("", continues=True),),
        hooks={"input_filter": {"text": "hi", "deny": "no"}},
    )
    assert Outcome.COMPLETED == trace.of(AgentEnd, 2)[0].outcome
    assert [] == trace.of(RequestMade, 2)


def test_continue_with_nothing_but_a_follow_up_begins_with_it() -> None:
    """No request is ever made without a message."""
    trace = play(
        stream("never"),
        do=(
            said("follow_up", "more", "AgentEnd"),
            PromptAction("", (stream("a"),), continues=True),
        ),
        hooks={"input_filter": {"text": "hi", "deny": "no"}},
    )
    assert ["more", "a", "again", "ok"] == history(trace)


def test_the_line_is_served_in_order_and_survives_who_gives_up() -> None:
    """Also one who is let in and gives up in the same moment lets the next one in."""

    async def main() -> list[str]:
        admission, served = Admission(), list[str]()
        await admission.enter()

        async def visit(name: str) -> None:
            await admission.enter()
            served.append(name)
            admission.leave()

        tasks = [asyncio.create_task(visit(name)) for name in "abcd"]
        await asyncio.sleep(0)
        tasks[1].cancel()
        admission.leave()
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not admission.taken
        return served

    assert ["c", "d"] == asyncio.run(main())


def test_what_was_cancelled_before_it_was_let_in_frees_no_place() -> None:
    """The run in progress keeps its place until it leaves."""

    async def main() -> bool:
        admission = Admission()
        await admission.enter()
        waiting = [asyncio.create_task(admission.enter()) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        admission.leave()
        await asyncio.gather(*waiting, return_exceptions=True)
        return admission.taken

    assert asyncio.run(main())


def test_a_prompt_that_takes_the_place_of_a_run_leaves_nothing_of_it() -> None:
    """Neither messages nor results, and the run says that it was rolled back."""
    second = PromptAction("rather", (stream("b"),), anchor=anchor("during", "tool", "look"))
    trace = play(
        stream("a"),
        stream(call("look")),
        do=(said("steer", "more"), second),
        tools=(Tool("look", takes_s=0.5),),
        settings={"second_prompt": "rollback"},
    )
    assert ["rather", "b", "again", "ok"] == history(trace)
    assert ["hi", "more"] == [one.text for one in trace.of(Notice) if one.kind == "rolled-back"]
    assert () == trace.of(AgentEnd, 1)[0].messages

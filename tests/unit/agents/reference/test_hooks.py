"""Hooks of the reference loop: in which order they are called, and what comes of what they say."""

from __future__ import annotations

import pytest

from simharness.agent import NotApplicable
from simharness.agents.reference.hooks import Allow, Deny, Hooks, Modify, Warn
from simharness.scenario.model import Tool
from simharness.trace import (
    HistoryRead,
    HookCalled,
    Notice,
    Outcome,
    Record,
    Reported,
    RequestMade,
    ToolEnded,
    ToolStarted,
    Trace,
)
from tests.unit.agents.reference.plays import call, cancel, end, error, kept, play, stream

EVERYWHERE = {
    "input_filter": ["allow", {"wait": 1.0, "then": "allow"}],
    "before_turn": "allow",
    "turn_note": {"note": "be brief"},
    "middleware": ["allow", {"modify": {"path": "safe"}}],
    "before_tool": "allow",
    "after_tool": "allow",
    "after_turn": "allow",
    "on_error": "allow",
}
SHOWN = (HookCalled, RequestMade, ToolStarted, ToolEnded, Reported)
LEFT_OUT = {"MessageUpdate", "PhaseChanged", "StreamEnd", "LogRow"}


def order(trace: Trace, run: int = 1) -> list[str]:
    """What happened in a run, hooks with their numbers, in short words."""
    records = [record for record in trace if record.run == run and isinstance(record, SHOWN)]
    return [word for word in map(_word, records) if word not in LEFT_OUT]


def _word(record: Record) -> str:
    if isinstance(record, HookCalled):
        return f"{record.name} {record.number}"
    return type(record).__name__


def test_every_position_is_called_in_its_place() -> None:
    """The order of a run with one tool, from its start to its end."""
    trace = play(stream(call("read")), stream("Done"), tools=(Tool("read"),), hooks=EVERYWHERE)
    wanted = """
        AgentStart, input_filter 1, input_filter 2,
        TurnStart, MessageStart, MessageEnd, before_turn 1, turn_note 1, RequestMade,
        MessageStart, MessageEnd, middleware 1, middleware 2, ToolExecutionStart, before_tool 1,
        ToolStarted, ToolEnded, after_tool 1, ToolExecutionEnd, MessageStart, MessageEnd,
        after_turn 1, TurnEnd,
        TurnStart, before_turn 1, turn_note 1, RequestMade,
        MessageStart, MessageEnd, after_turn 1, TurnEnd, AgentEnd
    """
    assert [word.strip() for word in wanted.split(",")] == order(trace)


def test_a_failure_is_told_between_its_attempt_and_the_end_of_its_turn() -> None:
    """The attempt is recorded first; the hook behind the turn comes after the one for errors."""
    told = order(play(stream("a", end=error()), hooks=EVERYWHERE))
    assert "on_error 1, after_turn 1, TurnEnd, AgentEnd" == ", ".join(told[-4:])
    assert told.index("AttemptKept") < told.index("on_error 1")


def test_a_note_is_in_its_request_and_not_in_the_history() -> None:
    """It stands behind the latest user message and nowhere else."""
    trace = play(stream("a"), hooks={"turn_note": [{"note": "one"}, {"note": "two"}]})
    first, second = trace.of(RequestMade)
    assert "hi\n\none\n\ntwo" == first.messages[-1].text
    assert ["hi", "a", "again\n\none\n\ntwo"] == [message.text for message in second.messages]
    assert ["hi", "a", "again", "ok"] == [m.text for m in trace.of(HistoryRead)[-1].messages]


def test_middleware_changes_what_the_tool_gets_and_not_what_the_model_wrote() -> None:
    """The history keeps the model's own words, and later hooks see the changed ones."""
    hooks = {"middleware": [{"modify": {"path": "safe"}}, {"warn": "moved"}]}
    tools = (Tool("read", returns="text"),)
    trace = play(stream(call("read", '{"path": "/"}')), stream("Done"), tools=tools, hooks=hooks)
    assert ['{"path": "safe"}'] == [started.args for started in trace.of(ToolStarted)]
    assert '{"path": "/"}' == kept(trace)[1].calls[0].args
    assert "text\n[Warning: moved]" == kept(trace)[2].text


def test_arguments_that_are_no_object_are_answered_and_not_run() -> None:
    """Middleware cannot make a call invalid without the model hearing of it."""
    hooks = {"middleware": {"modify": [1]}}
    trace = play(stream(call("read")), stream("Done"), tools=(Tool("read"),), hooks=hooks)
    assert "invalid arguments: not a JSON object" == kept(trace)[2].text
    assert [] == trace.of(ToolStarted)


def test_a_hook_that_fails_and_one_that_is_late_keep_a_cancel_a_stop() -> None:
    """Nothing that a hook does after the cancel changes the outcome, and waits end at once."""
    hooks = {"after_turn": [{"wait": 60.0}, {"raise": "boom"}]}
    trace = play(stream("a", "b"), do=(cancel("after", "chunk"),), hooks=hooks)
    assert (Outcome.CANCELLED, "user") == end(trace)
    assert ["hook-failed"] == [notice.kind for notice in trace.of(Notice, 1)]
    assert 1.0 > max(record.time for record in trace if record.run == 1)


@pytest.mark.parametrize(
    "hooks",
    [
        {"input_filter": "perhaps"},
        {"input_filter": {"wait": "long", "then": "allow"}},
        {"before_turn": {"modify": 1}},
        {"before_turn": {"warn": "x"}},
        {"turn_note": {"deny": "no"}},
        {"after_turn": {"deny": "no"}},
        {"middleware": {"allow": None, "deny": "no"}},
        {"observer": {"wait": 1.0}},
        {"before_turn": [[]]},
        {"at_noon": "allow"},
    ],
)
def test_what_no_hook_can_do_makes_a_case_not_applicable(hooks: dict[str, object]) -> None:
    """A script is never quietly left out."""
    with pytest.raises(NotApplicable, match=next(iter(hooks))):
        play(stream("a"), hooks=hooks)


def test_decisions_are_values() -> None:
    """Two hooks that say the same have said the same."""
    assert (Deny("no"), Modify(1), Warn("x"), Allow()) == (
        Deny("no"),
        Modify(1),
        Warn("x"),
        Allow(),
    )
    assert [] == Hooks().at("middleware")

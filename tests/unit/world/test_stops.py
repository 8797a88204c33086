"""Stops in the world: runs beside the conversation, reactions, waits, faults around an agent."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from simharness.agent import CancelWay, LogWriteError, NotApplicable, Request
from simharness.choices import ScheduleChooser
from simharness.scenario.model import Case
from simharness.trace import (
    ActionDropped,
    ActionTaken,
    CancelCalled,
    ClientRenewed,
    ClientUnusable,
    LogLost,
    LogRow,
    PromptCalled,
    ReplayTaken,
    RunSettled,
    Trace,
    TurnEndAsked,
    user,
)
from simharness.world.run import batch, run
from tests.loops import Loop
from tests.unit.scenario.sheets import one_case


class Framework(Loop):
    """Answers in another run too; notes what it is asked for and does nothing about it."""

    cancel_ways = frozenset({CancelWay.API})
    begins_anew = True
    ends_turns = True
    renews_client = True
    asked: Mapping[str, object]

    def cancel(self, way: CancelWay, reason: str) -> None:
        del way, reason

    async def ephemeral(self, text: str) -> None:
        await self.prompt(text)

    def quiesce(self, drain_s: float | None = None, abandon: bool = False) -> None:
        type(self).asked = {"drain_s": drain_s, "abandon": abandon}

    def shutdown(self, drain_s: float = 0.0) -> None:
        type(self).asked = {"drain_s": drain_s}

    def dispose(self) -> None:
        type(self).asked = {}


class Logging(Framework):
    """Writes a row for each prompt and lets nothing of it out."""

    async def prompt(self, text: str) -> None:
        await super().prompt(text)
        try:
            self.world.report(LogRow(1, success=True))
        except LogWriteError:
            self.messages.clear()


def play(case: Case, agent: type[Loop] = Framework) -> Trace:
    """One trial on the default schedule."""
    with batch():
        return run(case, agent, ScheduleChooser()).trace


def played(case: Case, agent: type[Loop] = Framework) -> frozenset[str]:
    """What was played of what a case promises."""
    with batch():
        return run(case, agent, ScheduleChooser()).played & case.promised()


# --- runs and reactions ---------------------------------------------------------------------------


def test_a_run_beside_the_conversation_has_a_number_and_a_session_of_its_own() -> None:
    """Rules about one conversation do not mix it up with another."""
    trace = play(one_case(run="[prompt: a, {ephemeral: b, model: [[x]]}]"))
    prompts = [(one.run, one.text, one.session) for one in trace.of(PromptCalled)]
    assert [(1, "a", ""), (2, "b", "ephemeral 2"), (3, "again", "")] == prompts


def test_a_caller_reacts_in_the_step_in_which_its_run_settles() -> None:
    """Nothing lies between but what the harness itself notes; later runs are not meant."""
    case = one_case(run="[{ephemeral: a}, on_settle: [cancel, dispose], {prompt: b, model: [[x]]}]")
    trace = play(case)
    kinds = [type(record).__name__ for record in trace]
    settled = kinds.index("RunSettled")
    assert ["CancelCalled", "ActionTaken"] == [
        kind for kind in kinds[settled + 1 : settled + 4] if kind != "HistoryRead"
    ][:2]
    assert ["dispose"] == [one.action for one in trace.of(ActionTaken)]
    assert set() == case.promised() - played(case)


def test_what_follows_a_reaction_follows_the_prompt_before_it() -> None:
    """A reaction has its own moment and holds nobody up."""
    run_ = "[prompt: a, on_settle: dispose, cancel]"
    trace = play(one_case(model="[[{wait: 1s}, x]]", run=run_))
    called = trace.of(CancelCalled)[0]
    assert "api" == called.way
    assert called.n < trace.of(RunSettled, 1)[0].n


# --- time -----------------------------------------------------------------------------------------


def test_a_wait_lasts_and_what_follows_comes_behind_it() -> None:
    """Also where the run has settled long before."""
    trace = play(one_case(run="[prompt: a, wait: 5s, cancel, {prompt: b, model: [[x]]}]"))
    assert [] == trace.of(ActionDropped)
    assert [5.0] == [one.time for one in trace.of(CancelCalled)]
    assert [0.0, 5.0, 5.0] == [one.time for one in trace.of(PromptCalled)]


def test_what_follows_an_action_that_is_dropped_is_dropped() -> None:
    """There is nothing behind which it could come."""
    run_ = "[prompt: a, {wait: 1s, after: MessageEnd}, cancel]"
    dropped = [one.action for one in play(one_case(run=run_)).of(ActionDropped)]
    assert ["wait after MessageEnd", "cancel"] == dropped


# --- stops of the framework -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verb", "asked", "ways"),
    [
        ("shutdown", {"drain_s": 0.0}, ["shutdown"]),
        ("shutdown: {drain: 2s}", {"drain_s": 2.0}, []),
        ("dispose", {}, ["dispose"]),
        ("quiesce: {drain: 3s, abandon: true}", {"drain_s": 3.0, "abandon": True}, []),
    ],
)
def test_a_stop_at_once_is_a_cancel_of_every_open_run(
    verb: str, asked: Mapping[str, object], ways: list[str]
) -> None:
    """One that lets runs go on first is not: when it comes only the agent knows."""
    model = "[[a, {wait: 1s}, b]]"
    run_ = f"[prompt: x, {{{verb if ': ' in verb else verb + ': '}, after: chunk 1}}]"
    trace = play(one_case(model=model, run=run_, epilogue="false"))
    assert asked == Framework.asked
    assert ways == [one.way for one in trace.of(CancelCalled, 1)]


@pytest.mark.parametrize(
    ("blocks", "lack"),
    [
        ({"run": "[prompt: a, on_settle: [quiesce]]"}, "no `quiesce`"),
        ({"run": "[{ephemeral: a}]"}, "no `ephemeral`"),
        ({"run": "[prompt: a]", "model_client": "renew"}, "`renews_client = True`"),
        ({"run": "[prompt: a]", "tools": "{x: {ends_turn: true}}"}, "`ends_turns = True`"),
        ({"run": "[prompt: a]", "model": "[[a, retrying, b]]"}, "`begins_anew = True`"),
    ],
)
def test_an_agent_without_a_framework_is_not_asked(blocks: dict[str, str], lack: str) -> None:
    """What is missing is named, also where only a reaction needs it."""
    with pytest.raises(NotApplicable, match=lack):
        play(one_case(**blocks), Loop)


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fails", "lost"), [("never", 0), ("once", 1), ("always", 3)])
def test_a_log_refuses_the_first_row_or_all_of_them(fails: str, lost: int) -> None:
    """The agent gets an exception, and the row is not in the trace."""
    case = one_case(run="[prompt: a, {prompt: b, model: [[x]]}]", log=f"{{fails: {fails}}}")
    trace = play(case, Logging)
    assert (lost, 3 - lost) == (len(trace.of(LogLost)), len(trace.of(LogRow)))
    assert case.promised() == played(case, Logging)


class Leaves(Framework):
    """Reads one chunk of each answer and closes its stream; `renews` makes a new client then."""

    renews = False

    async def prompt(self, text: str) -> None:
        stream = self.world.stream(Request((user(text),)))
        async for _ in stream:
            break
        await stream.aclose()
        if self.renews:
            self.world.renew_client()


class Renews(Leaves):
    """Does not use a client twice."""

    renews = True


@pytest.mark.parametrize(("agent", "useless", "renewed"), [(Leaves, 1, 0), (Renews, 0, 2)])
def test_a_client_is_of_no_more_use_behind_a_cut_stream(
    agent: type[Leaves], useless: int, renewed: int
) -> None:
    """A request by it fails, unless the agent has renewed it; either way the fault was met."""
    case = one_case(model="[[a, b]]", run="[prompt: x]", model_client="renew")
    trace = play(case, agent)
    assert useless == len(trace.of(ClientUnusable))
    assert renewed == len(trace.of(ClientRenewed))
    assert case.promised() == played(case, agent)
    settled = [one.how for one in trace.of(RunSettled)]
    assert ["returned", "raised" if useless else "returned"] == settled


# --- words of streams and tools -------------------------------------------------------------------


def test_word_that_an_answer_begins_anew_and_the_end_of_a_turn_are_witnessed() -> None:
    """Where the agent takes them."""
    model = "[[a, retrying, b, {call: stop}], [c]]"
    trace = play(one_case(model=model, tools="{stop: {ends_turn: true}}"))
    assert [1] == [one.request for one in trace.of(ReplayTaken)]
    assert ["c1"] == [one.call_id for one in trace.of(TurnEndAsked)]

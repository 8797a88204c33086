"""Drawn cases are valid, replayable, of every kind, and shrink to something a person can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from simharness.agents.reference.settings import Settings
from simharness.scenario.load import load_text
from simharness.scenario.model import (
    AnchorKind,
    CallStep,
    CancelAction,
    Case,
    EndKind,
    EndStep,
    Mark,
    MarkStep,
    OtherAction,
    PromptAction,
    Relation,
    Report,
    Stream,
    TextStep,
    ToolReaction,
)
from simharness.scenario.vocabulary import HOOKS
from simharness.strategies import cases, schedules, streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

    from simharness.choices import Schedule

QUIETLY = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def drawn(most: int, strategy: SearchStrategy[Case]) -> list[Case]:
    """Some cases, the same in each session."""
    found: list[Case] = []

    @settings(max_examples=most, phases=[Phase.generate], suppress_health_check=QUIETLY)
    @given(strategy)
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found


@pytest.fixture(scope="module")
def some() -> list[Case]:
    """Enough cases for every kind of thing to be among them."""
    return drawn(1_200, cases())


def anchors(found: list[Case]) -> set[tuple[AnchorKind, Relation, bool]]:
    """Where the cancels of some cases lie."""
    cancels = (a for case in found for a in case.actions if isinstance(a, CancelAction))
    placed = (cancel.anchor for cancel in cancels if cancel.anchor is not None)
    return {(anchor.kind, anchor.relation, anchor.inside) for anchor in placed}


def all_streams(found: list[Case]) -> list[Stream]:
    """Every stream of some cases."""
    return [stream for case in found for prompt in case.prompts for stream in prompt.model]


def test_a_drawn_case_is_loaded_again_from_its_source(some: list[Case]) -> None:
    """What is printed for a failing example is the example."""
    again = [load_text(case.source).cases[0] for case in some]
    assert some == again
    assert [case.source for case in some] == [case.source for case in again]


def test_streams_end_and_react_in_every_way(some: list[Case]) -> None:
    """No end and no reaction is left out."""
    found = all_streams(some)
    steps = [step for stream in found for step in stream.steps]
    assert set(EndKind) == {step.kind for step in steps if isinstance(step, EndStep)}
    assert set(Mark) == {step.mark for step in steps if isinstance(step, MarkStep)}
    assert set(Report) == {stream.reaction.report for stream in found if stream.reaction.written}
    reactions = [stream.reaction for stream in found]
    assert any(reaction.late for reaction in reactions)
    assert any(reaction.close_raises for reaction in reactions)
    assert any(reaction.close_takes_s for reaction in reactions)


def test_calls_are_cut_broken_unknown_and_interleaved(some: list[Case]) -> None:
    """And some are whole."""
    steps = [step for stream in all_streams(some) for step in stream.steps]
    calls = [step for step in steps if isinstance(step, CallStep)]
    texts = {"".join(call.pieces) for call in calls}
    assert {"{}", '{"q":', "", "[1]"} <= texts
    assert any(len(call.pieces) > 1 for call in calls)
    assert any(call.index is not None for call in calls)
    assert {"search", "unknown"} <= {call.name for call in calls}


def test_tools_are_of_every_kind(some: list[Case]) -> None:
    """Slow and instant, failing, deaf and obedient."""
    tools = [tool for case in some for tool in case.tools]
    assert set(ToolReaction) == {tool.on_cancel for tool in tools}
    assert {None, 0.0, 30.0} <= {tool.takes_s for tool in tools}
    assert any(tool.raises for tool in tools)
    assert any(tool.effects for tool in tools)


def test_cancels_lie_at_every_kind_of_place(some: list[Case]) -> None:
    """After, before, during and inside; by call, by task and by Ctrl-C; up to three of them."""
    inside = {kind for kind, _, within in anchors(some) if within}
    called_out = {AnchorKind.RECORD, AnchorKind.REQUEST, AnchorKind.TOOL, AnchorKind.HOOK}
    assert called_out == inside
    assert set(AnchorKind) == {kind for kind, _, _ in anchors(some)}
    assert set(Relation) == {relation for _, relation, _ in anchors(some)}
    cancels = [[a for a in case.actions if isinstance(a, CancelAction)] for case in some]
    assert {0, 1, 2, 3} == {len(of_case) for of_case in cancels}
    assert {None, "api", "task", "interrupt"} == {
        cancel.way for of_case in cancels for cancel in of_case
    }
    assert any(cancel.anywhere for of_case in cancels for cancel in of_case)


def test_hooks_stand_everywhere_and_every_setting_is_set(some: list[Case]) -> None:
    """Alone and in chains; messages are queued, and cancels say what becomes of them."""
    assert set(HOOKS) == {position for case in some for position in case.hooks}
    names = {field.name for field in attrs.fields(Settings)}
    assert names == {name for case in some for name in case.settings}
    others = {a.verb for case in some for a in case.actions if isinstance(a, OtherAction)}
    stops = {"context_restart", "shutdown", "dispose"}
    assert {"steer", "follow_up", "wait"} | stops == others
    cancels = [a for case in some for a in case.actions if isinstance(a, CancelAction)]
    assert {None, "run", "drop", "park"} == {cancel.queue for cancel in cancels}


def test_plain_cases_ask_for_nothing_that_an_agent_may_not_have() -> None:
    """No settings, no hooks, no queues, and only the given ways of cancelling."""
    found = drawn(100, cases(plain=True, ways=["task"]))
    assert [] == [case for case in found if case.settings or case.hooks]
    actions = [action for case in found for action in case.actions]
    assert {"wait"} == {a.verb for a in actions if isinstance(a, OtherAction)}
    cancels = [action for action in actions if isinstance(action, CancelAction)]
    assert {None, "task"} == {cancel.way for cancel in cancels}
    assert {None} == {cancel.queue for cancel in cancels}


def test_prompts_come_after_each_other_and_during_a_run(some: list[Case]) -> None:
    """With and without a closing prompt."""
    prompts = [a for case in some for a in case.actions if isinstance(a, PromptAction)]
    assert any(prompt.meanwhile for prompt in prompts)
    assert any(prompt.continues for prompt in prompts)
    assert any(prompt.anchor is not None for prompt in prompts)
    assert {True, False} == {case.prompts[-1].epilogue for case in some}


ONE_CANCEL = """\
scenario: drawn
tools:
  search: "ok"
run:
- {prompt: "Prompt 1."}
- {cancel: null}
"""

DURING_A_TOOL = """\
scenario: drawn
model:
- ["b", {call: "search"}]
tools:
  search: "ok"
run:
- {prompt: "Prompt 1."}
- {cancel: null, during: search 1}
"""


def cancelled(case: Case) -> bool:
    """Whether somebody cancels."""
    return any(isinstance(action, CancelAction) for action in case.actions)


def cancelled_during_a_tool(case: Case) -> bool:
    """Whether somebody cancels while a tool runs."""
    return (AnchorKind.TOOL, Relation.DURING, False) in anchors([case])


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        pytest.param(cancelled, ONE_CANCEL, id="cancelled"),
        pytest.param(cancelled_during_a_tool, DURING_A_TOOL, id="during-a-tool"),
    ],
)
def test_cases_shrink_to_what_matters(wanted: Callable[[Case], bool], text: str) -> None:
    """Nothing is left that the property does not need."""
    quietly = settings(max_examples=2_000, suppress_health_check=QUIETLY, database=None)
    assert text == find(cases(), wanted, settings=quietly).source


def test_schedules_shrink_to_the_default_order() -> None:
    """And to one early deviation where one is needed."""
    assert () == find(schedules(), lambda _: True)
    assert ((0, 1),) == find(schedules(), bool)


@given(schedules(points=10, options=3, deviations=4))
def test_schedules_are_sparse_and_sorted(schedule: Schedule) -> None:
    """Each point once, within the bounds."""
    points = [point for point, _ in schedule]
    assert sorted(set(points)) == points
    assert len(schedule) <= 4
    assert all(point < 10 and 1 <= option <= 3 for point, option in schedule)


@settings(max_examples=50)
@given(streams())
def test_streams_always_end(stream: Stream) -> None:
    """The last step is an end, as in every stream that is loaded."""
    assert isinstance(stream.steps[-1], EndStep)


def test_streams_shrink_to_one_that_finishes() -> None:
    """A text, and the end that nobody wrote."""
    simplest = find(streams(), lambda _: True)
    assert Stream((TextStep("a"), EndStep(EndKind.FINISH, "stop"))) == simplest

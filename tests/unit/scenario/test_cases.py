"""The top of a file: tools, expectations, settings, and what a case promises."""

from __future__ import annotations

import attrs
import pytest

from simharness.agents.reference.settings import RetrySettings, Settings
from simharness.choices import WordedDeviation
from simharness.contract import Contract
from simharness.scenario.load import load_text
from simharness.scenario.model import (
    Expect,
    Explore,
    MessagePattern,
    RecordPattern,
    Tool,
    ToolReaction,
)
from simharness.scenario.settings import SETTINGS
from tests.unit.scenario.sheets import one_case, sheet

TOOLS: dict[str, Tool] = {
    "{a: 3 hits}": Tool("a", returns="3 hits"),
    "{a: }": Tool("a"),
    "{a: {takes: none}}": Tool("a", takes_s=None),
    "{a: {takes: 200ms, effects: 4, on_cancel: stop}}": Tool(
        "a", takes_s=0.2, effects=4, on_cancel=ToolReaction.STOP
    ),
    "{a: {raises: boom}}": Tool("a", raises="boom", key="tools.a: raises"),
    "{a: {schema: {type: object, required: [q]}}}": Tool(
        "a", schema={"type": "object", "required": ["q"]}
    ),
}


@pytest.mark.parametrize("text", TOOLS)
def test_a_tool_means_what_it_says(text: str) -> None:
    """Every key of a tool; only a fault is a promise."""
    assert (TOOLS[text],) == one_case(tools=text).tools


def test_the_promises_of_a_case_are_what_is_written() -> None:
    """Written ends, reactions, faults and actions must happen in some trial; defaults need not."""
    case = one_case(
        model="[{stream: [a, {call: b}], on_cancel: close}, [c, hang]]",
        tools="{b: {raises: x}, c: y}",
        run="[prompt: hi, cancel: {after: chunk 1}]",
    )
    assert {
        "model[0].on_cancel: close",
        "model[1].stream: hang",
        "tools.b: raises",
        "run[0] prompt",
        "run[1] cancel",
    } == case.promised()


def test_every_expectation_is_read() -> None:
    """All keys of `expect`, with the places where they stand."""
    expect = one_case(
        tools="{a: x}",
        expect="{outcome: [failed, completed], cause: ['', error], requests: 2, bodies: {a: 1},"
        " usage: [3, 4], notices: alert, rejects: [no],"
        " history: [user, {assistant: hi, interrupted: true, calls: [a]}, {tool: , is_error: true},"
        " {assistant: , text: x, reasoning: y}, '...'],"
        " timeline: [AgentStart, ..., {AgentEnd: {outcome: failed}}],"
        " one_of: [{requests: 1}, {requests: 2}]}",
    ).expect
    assert (
        Expect(
            outcome=("failed", "completed"),
            cause=("", "error"),
            requests=2,
            bodies={"a": 1},
            usage=(3, 4),
            notices=("alert",),
            rejects=("no",),
            history=(
                MessagePattern("user"),
                MessagePattern("assistant", text="hi", interrupted=True, calls=("a",)),
                MessagePattern("tool", is_error=True),
                MessagePattern("assistant", text="x", reasoning="y"),
                MessagePattern("..."),
            ),
            timeline=(
                RecordPattern("AgentStart"),
                RecordPattern("..."),
                RecordPattern("AgentEnd", {"outcome": "failed"}),
            ),
            one_of=(Expect(requests=1), Expect(requests=2)),
        )
        == expect
    )
    assert {"outcome", "history", "one_of"} <= set(expect.places)
    assert 5 == expect.places["outcome"].line


def test_a_message_in_a_timeline_is_a_pattern() -> None:
    """A field that holds a message is written as in a history."""
    expect = one_case(expect="{timeline: [{MessageEnd: {message: {assistant: hi}}}]}").expect
    pattern = RecordPattern("MessageEnd", {"message": MessagePattern("assistant", text="hi")})
    assert (pattern,) == expect.timeline


def test_a_timeline_under_a_profile_is_in_its_own_words() -> None:
    """Any text is a name where the projection of a profile is compared."""
    case = one_case(profile="connectome", expect="{timeline: ['inference:aborted{user}', ...]}")
    assert (RecordPattern("inference:aborted{user}"), RecordPattern("...")) == case.expect.timeline


def test_expectations_can_be_for_any_agent() -> None:
    """`expect_for: any` holds other agents than the reference to them."""
    assert one_case(expect="{requests: 1}", expect_for="any").expect.any_agent
    assert not one_case(expect="{requests: 1}", expect_for="reference").expect.any_agent


def test_settings_and_hooks_are_plain_data_with_seconds() -> None:
    """Unquoted durations become seconds; everything else stays what it is."""
    case = one_case(
        agent="{turn_limit: 1, tools: sequential, retry: {max: 3, delay: 50ms}, note: '1s'}",
        hooks='{middleware: [{deny: "no"}, {wait: 1s, then: allow}]}',
    )
    assert {
        "turn_limit": 1,
        "tools": "sequential",
        "retry": {"max": 3, "delay": 0.05},
        "note": "1s",
    } == case.settings
    assert {"middleware": [{"deny": "no"}, {"wait": 1.0, "then": "allow"}]} == case.hooks


def test_a_case_says_how_it_is_searched_and_judged() -> None:
    """The remaining keys of a file."""
    case = one_case(
        about="What it shows.",
        violates="settles",
        waive="{tool-pairing: known since May}",
        needs="[settles, one-terminal]",
        explore="{bound: 2, budget: 500, strategy: sweep}",
        schedule="[{take: chunk 2, before: search, place: 2}, {take: cancel anywhere}]",
        mode="relaxed",
        contract="{cut_mark: text(cut), cancel_grace: 0, idle_limit_s: 30, abort_visible: yes,"
        " reports: [turn, agent]}",
        patience="2m",
        tags="[cancel, tools]",
    )
    assert ("What it shows.", "settles") == (case.about, case.violates)
    assert {"tool-pairing": "known since May"} == case.waive
    assert ("settles", "one-terminal") == case.needs
    assert Explore(2, 500, "sweep") == case.explore
    schedule = (
        WordedDeviation("chunk 2", before="search", place=2),
        WordedDeviation("cancel anywhere"),
    )
    assert (schedule, "relaxed") == (case.schedule, case.mode)
    assert 120.0 == case.patience_s
    assert ("cancel", "tools") == case.tags
    assert (
        Contract(
            cut_mark="text(cut)",
            cancel_grace="0",
            idle_limit_s="30",
            abort_visible="yes",
            reports=frozenset({"turn", "agent"}),
        )
        == case.contract
    )


def test_a_calls_tool_need_not_be_defined() -> None:
    """A call of an unknown tool is a stimulus, and its bodies can be counted."""
    case = one_case(model="[[{call: nosuch}]]", expect="{bodies: {nosuch: 0}}")
    assert {"nosuch": 0} == case.expect.bodies


def test_words_of_old_yaml_are_text() -> None:
    """`yes`, `on` and dates are no booleans and no dates."""
    text = sheet(model="[[yes, on, 2020-01-01, 1.10]]")
    (case,) = load_text(text).cases
    texts = [getattr(step, "text", "") for step in case.prompts[0].model[0].steps]
    assert ["yes", "on", "2020-01-01", "1.10", ""] == texts


def test_aliases_are_copies() -> None:
    """An alias repeats a value; each use of an `each` under an alias is a choice of its own."""
    text = (
        "scenario: a\n"
        "model: [&a {stream: [hi], on_cancel: {each: [close, error]}}, *a]\n"
        "run: [prompt: hi]\n"
    )
    assert 4 == len(load_text(text).cases)


def test_an_agent_may_have_settings_of_its_own() -> None:
    """A name that looks like no known one is for the agent to judge."""
    case = one_case(agent="{tool_limit: 3, model_callback: copy, retry: {jitter: 1}}")
    assert {"tool_limit": 3, "model_callback": "copy", "retry": {"jitter": 1}} == case.settings


def test_the_known_settings_are_those_of_the_reference() -> None:
    """Each of its settings can be misspelt, and nothing else is known."""
    fields = {field.name for field in attrs.fields(Settings)}
    assert fields == set(SETTINGS)
    assert {field.name for field in attrs.fields(RetrySettings)} == set(SETTINGS["retry"])

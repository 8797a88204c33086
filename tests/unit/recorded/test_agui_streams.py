"""Our verdict on what public AG-UI consumers complete and refuse."""

import pytest

from tests.unit.recorded.agui_streams import COMPLETED, END, FAILED, START, Event, call, on, run
from tests.unit.recorded.recordings import broken, checked, texts


def test_there_are_enough_of_them() -> None:
    """At least forty, of both kinds."""
    assert 40 <= len(COMPLETED) + len(FAILED)
    assert 20 <= min(len(COMPLETED), len(FAILED))


@pytest.mark.parametrize("name", COMPLETED)
def test_a_completed_stream_breaks_nothing(name: str) -> None:
    """Neither a rule of AG-UI nor a universal one."""
    done = checked("agui", *COMPLETED[name])
    assert [] == texts(done)
    assert set() == broken(done)


@pytest.mark.parametrize("name", FAILED)
def test_a_refused_stream_breaks_a_rule_of_agui(name: str) -> None:
    """And that in the place where the consumer stops."""
    assert {rule for rule in broken(checked("agui", *FAILED[name])) if rule.startswith("agui-")}


@pytest.mark.parametrize("name", [*COMPLETED, *FAILED])
def test_server_sent_events_are_judged_alike(name: str) -> None:
    """The frame does not change the verdict, nor do comments and ids."""
    import json

    events = (COMPLETED | FAILED)[name]
    frames = "".join(f": hm\nid: 1\nevent: message\ndata: {json.dumps(one)}\n\n" for one in events)
    lines = checked("agui", *events)
    assert broken(lines) == broken(checked("agui", frames))


def test_the_places_are_those_of_the_events() -> None:
    """File, line and column."""
    done = checked("agui", *FAILED["a content without a start"])
    (found,) = done.findings
    assert "trace:2:1" == str(done.place(found.spot))
    assert "agui-text-message" == found.rule


RESULT = on("TOOL_CALL_RESULT", messageId="t", toolCallId="k", content="2 kg")
MORE_BROKEN: dict[str, tuple[str, list[Event]]] = {
    "agui-tool-result": ("result", run(call(), RESULT, RESULT | {"messageId": "u"})),
    "agui-step": ("step", run(*[on("STEP_STARTED", stepName="x")] * 2)),
    "agui-reasoning": ("span", run(on("REASONING_END", messageId="r"))),
    "agui-attribution": ("null", run(on("RAW", event=1, subagentRunId=None))),
    "agui-subagent": (
        "parent",
        run(
            on("SUBAGENT_STARTED", subagentRunId="s", name="x", parentSubagentRunId="nobody"),
            on("SUBAGENT_FINISHED", subagentRunId="s"),
        ),
    ),
    "agui-outcome": (
        "pending",
        [START, *call(), END | {"outcome": {"type": "success", "pendingToolCallIds": []}}],
    ),
    "agui-event-shape": ("type", [START, {"no": "type"}, END]),
    "agui-after-terminal": ("twice", [START, END, END]),
    "agui-usage": ("negative", [START, END | {"usage": [{"inputTokens": -1}]}]),
}


@pytest.mark.parametrize("rule", MORE_BROKEN)
def test_other_ways_to_break_a_rule(rule: str) -> None:
    """Each alone."""
    assert {rule} <= broken(checked("agui", *MORE_BROKEN[rule][1]))


MORE_KEPT: dict[str, list[Event]] = {
    "a result of a call that a snapshot brought": run(
        on("MESSAGES_SNAPSHOT", messages=[{"role": "assistant", "toolCalls": [{"id": "k"}]}]),
        RESULT,
    ),
    "a result of a call that the input brought": [
        START | {"input": {"messages": [{"toolCalls": [{"id": "k"}]}]}}, RESULT, END,
    ],
    "a result of a call of the run before": [START, *call(), END, START, RESULT, END],
    "steps of two owners with one name": run(
        on("STEP_STARTED", stepName="x"),
        on("STEP_STARTED", stepName="x", subagentRunId="s"),
        on("STEP_FINISHED", stepName="x", subagentRunId="s"),
        on("STEP_FINISHED", stepName="x"),
    ),
    "an error with a message open": [START, on("TEXT_MESSAGE_START", messageId="a"),
                                      on("RUN_ERROR", message="x")],
    "pending calls that are pending": [
        START, *call("j"), *call("k"), RESULT,
        END | {"outcome": {"type": "success", "pendingToolCallIds": ["j"]}},
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", MORE_KEPT)
def test_what_breaks_nothing(name: str) -> None:
    """Where a checker could be too strict."""
    assert [] == texts(checked("agui", *MORE_KEPT[name]))


MARK = '{"simharness": "cancel"}'
OPEN = on("TEXT_MESSAGE_START", messageId="a")
SHUT = on("TEXT_MESSAGE_END", messageId="a")


def test_a_marked_cancel_that_ends_as_a_success() -> None:
    """Both the rule of AG-UI and the universal one see it."""
    done = checked("agui", START, OPEN, MARK, SHUT, END)
    assert {"agui-cancelled-outcome", "terminal-kind"} == broken(done)


def test_an_end_that_may_have_crossed_the_cancel() -> None:
    """Where the recorder sat at the client, an end that work does not precede is noted only."""
    done = checked("agui", START, OPEN, MARK, SHUT, END, at_client=True)
    assert set() == broken(done)
    assert 1 == len(done.tally.notes)
    more = on("TEXT_MESSAGE_CONTENT", messageId="a", delta="x")
    done = checked("agui", START, OPEN, MARK, more, SHUT, END, at_client=True)
    assert {"agui-cancelled-outcome"} == broken(done)


def test_an_error_after_a_cancel_needs_something_open() -> None:
    """Who cannot close in order says RUN_ERROR; who can, does not."""
    failed = on("RUN_ERROR", message="aborted")
    assert set() == broken(checked("agui", START, OPEN, MARK, failed))
    done = checked("agui", START, OPEN, SHUT, MARK, failed)
    assert {"agui-cancelled-outcome", "terminal-kind"} == broken(done)


def test_without_a_mark_nothing_is_known_of_a_cancel() -> None:
    """The rule has no occasion."""
    done = checked("agui", START, OPEN, SHUT, END)
    assert 0 == done.tally.occasions["agui-cancelled-outcome"]


def test_a_reader_that_left_is_no_fault_of_the_agent() -> None:
    """The mark `left` excuses what is open."""
    assert set() == broken(checked("agui", START, OPEN, '{"simharness": "left"}'))


def test_usage_and_interrupts_have_to_be_objects() -> None:
    """With counts, and ids."""
    assert {"agui-usage"} == broken(checked("agui", START, END | {"usage": [7]}))
    odd = END | {"outcome": {"type": "interrupt", "interrupts": [7]}}
    assert {"agui-outcome"} == broken(checked("agui", START, odd))


def test_a_cancel_where_no_run_is_open_is_noted() -> None:
    """It is meant for nothing."""
    done = checked("agui", START, END, MARK)
    assert set() == broken(done)
    assert "where no run is open" in done.tally.notes[0][0]


def test_notes_are_counted_when_there_are_many() -> None:
    """The first ones are kept."""
    done = checked("agui", START, *[on("HOLOGRAM")] * 50, END)
    assert (20, 30) == (len(done.tally.notes), done.tally.notes_left_out)

"""A captured stream as a scenario: the same chunks, in a file that loads and runs."""

import io

import pytest
from hypothesis import given, settings, strategies as st

from simharness.agent import (
    CallDelta,
    Chunk,
    Failed,
    Finish,
    ProviderError,
    ReasoningDelta,
    StreamStart,
    TextDelta,
)
from simharness.agents import find
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.recorded.capture import STEPS_MAX
from simharness.recorded.reading import TraceError
from simharness.recorded.sheet import scenario_from, taken
from simharness.scenario.load import load_text
from simharness.scenario.model import (
    ArgsStep,
    CallStep,
    Case,
    EndStep,
    PromptAction,
    ReasoningStep,
    Step,
    Stream,
    TextStep,
    UsageStep,
)
from simharness.trace import ChunkTaken, TerminalTaken
from tests.unit.recorded.wires import ANSWERS, BY_NAME, encoded


def case_of(body: bytes, form: str | None = None) -> Case:
    """The scenario that a capture becomes."""
    (case,) = load_text(scenario_from(taken(io.BytesIO(body), "c", form), "captured")).cases
    return case


def answers(case: Case, prompt: int = 0) -> tuple[Stream, ...]:
    """What the model answers a prompt."""
    action = case.actions[prompt]
    assert isinstance(action, PromptAction)
    return action.model or ()


def said(step: Step) -> tuple[str, ...]:
    """A step in short."""
    match step:
        case TextStep(text):
            return ("text", text)
        case ReasoningStep(text):
            return ("reasoning", text)
        case CallStep(name, pieces):
            return ("call", name, *pieces)
        case ArgsStep(text):
            return ("args", text)
        case EndStep(kind, reason):
            return (str(kind), reason)
    return ()


def steps_of(case: Case) -> list[list[tuple[str, ...]]]:
    """The answers of the first prompt in short; usage and pings aside."""
    return [[short for step in stream.steps if (short := said(step))] for stream in answers(case)]


WANTED: dict[str, list[tuple[str, ...]]] = {
    "text": [("text", "Hel"), ("text", "lo — \u2028"), ("finish", "stop")],
    "thought": [("reasoning", "hm"), ("text", "so"), ("finish", "stop")],
    "call": [
        ("text", "Let me"), ("call", "search", '{"q":', "1}"), ("finish", "tool_calls"),
    ],
    "two calls": [
        ("call", "search", "{}"), ("call", "read", "{}"), ("finish", "tool_calls"),
    ],
    "cut": [("text", "Once"), ("finish", "length")],
}  # fmt: skip


@pytest.mark.parametrize("dialect", BY_NAME)
@pytest.mark.parametrize("answer", ANSWERS)
def test_what_was_sent_is_what_will_be_sent(dialect: str, answer: str) -> None:
    """Chunk by chunk, and the format is told by the first event."""
    assert [WANTED[answer]] == steps_of(case_of(encoded(dialect, ANSWERS[answer])))


@pytest.mark.parametrize("dialect", BY_NAME)
def test_it_runs_as_it_was_captured(dialect: str) -> None:
    """The agent takes the chunks of both answers and calls the tool in between."""
    body = encoded(dialect, ANSWERS["call"]) + encoded(dialect, ANSWERS["text"])
    case = case_of(body)
    verdict = Bench(case, find("reference")).trial(ScheduleChooser())
    assert verdict.trace is not None
    assert () == verdict.violations
    taken_chunks = [chunk.text for chunk in verdict.trace.of(ChunkTaken, run=1)]
    assert ["Let me", '{"q":', "1}", "Hel", "lo — \u2028"] == taken_chunks
    ends = [terminal.detail for terminal in verdict.trace.of(TerminalTaken, run=1)]
    assert ["tool_calls", "stop"] == ends


@pytest.mark.parametrize("dialect", BY_NAME)
def test_a_body_that_broke_off_is_a_stream_that_closes(dialect: str) -> None:
    """That is the fault one captures such a stream for."""
    body = encoded(dialect, ANSWERS["text"][:2], finished=False)
    assert [[("text", "Hel"), ("close", "")]] == steps_of(case_of(body))


@pytest.mark.parametrize("dialect", BY_NAME)
def test_an_error_is_an_error_step(dialect: str) -> None:
    """With its words."""
    failed = Failed(ProviderError("too many", kind="rate_limit"))
    body = encoded(dialect, (StreamStart(), TextDelta("x"), failed), finished=False)
    case = case_of(body)
    (stream,) = answers(case)
    end = stream.steps[-1]
    assert isinstance(end, EndStep)
    assert end.error is not None
    assert ("too many", "rate_limit") == (end.error.message, end.error.kind)


def test_an_answer_without_calls_ends_its_prompt() -> None:
    """What follows belongs to another one."""
    body = encoded("openai-chat", ANSWERS["text"]) + encoded("openai-chat", ANSWERS["cut"])
    case = case_of(body)
    assert [1, 1] == [len(answers(case, prompt)) for prompt in (0, 1)]


def test_pieces_of_calls_that_alternate_keep_their_order() -> None:
    """By their numbers."""
    chunks = (
        StreamStart(),
        CallDelta(0, "a", "f", "{"),
        CallDelta(1, "b", "g", "["),
        CallDelta(0, args="}"),
        Finish("tool_calls"),
    )
    (steps,) = steps_of(case_of(encoded("openai-chat", chunks)))
    assert [("call", "f", "{"), ("call", "g", "["), ("args", "}")] == steps[:3]


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1),
    st.sampled_from(sorted(BY_NAME)),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_text_comes_through(texts: list[str], dialect: str) -> None:
    """Words of the language, quotes, control characters: all of it is text."""
    chunks: list[Chunk] = [StreamStart(), *map(TextDelta, texts), Finish("stop")]
    (steps,) = steps_of(case_of(encoded(dialect, chunks)))
    assert [("text", text) for text in texts] == steps[:-1]


def test_names_that_yaml_would_read_otherwise() -> None:
    """A tool may be called anything."""
    for name in ("on", "1.5", "a: b", "{x", "~", "é"):
        chunks = (StreamStart(), CallDelta(0, "c", name, "{}"), Finish("tool_calls"))
        assert [name] == [tool.name for tool in case_of(encoded("openai-chat", chunks)).tools]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"type": "RUN_STARTED"}', "c:1:1: error: this is no stream of a provider"),
        (b'{"choices": []}\n', "c:1:1: error: nothing of an answer is in this capture"),
        (b"", "c:1:1: error: nothing of an answer is in this capture"),
        (b'{"choices": [}', "c:1:14: error: this is not JSON"),
    ],
)
def test_what_is_no_capture_is_refused_with_its_place(body: bytes, why: str) -> None:
    """As a trace is."""
    with pytest.raises(TraceError) as caught:
        taken(io.BytesIO(body), "c")
    assert str(caught.value).startswith(why)


def test_a_capture_that_nobody_would_read_is_refused() -> None:
    """With the place at which it became too long."""
    chunks: list[Chunk] = [StreamStart(), *[TextDelta("x")] * (STEPS_MAX + 1), Finish("stop")]
    with pytest.raises(TraceError, match="a scenario of more than"):
        taken(io.BytesIO(encoded("openai-chat", chunks)), "c")


@pytest.mark.parametrize("dialect", BY_NAME)
def test_usage_stands_once_in_front_of_the_end(dialect: str) -> None:
    """Wherever the provider tells it; a count that is none is left out."""
    case = case_of(encoded(dialect, ANSWERS["call"]))
    (stream,) = answers(case)
    assert UsageStep(7, 3) == stream.steps[-2]
    odd = encoded(dialect, ANSWERS["call"]).replace(b": 7", b": 100000000000000000000")
    assert UsageStep(7, 3) not in answers(case_of(odd))[0].steps


def test_reasoning_of_compatible_servers_is_read_too() -> None:
    """Whichever of the two names they give it."""
    body = b'{"choices": [{"index": 0, "delta": {"reasoning": "hm"}}]}'
    assert ("reasoning", "hm") == steps_of(case_of(body))[0][0]
    assert ReasoningDelta("hm").text == "hm"

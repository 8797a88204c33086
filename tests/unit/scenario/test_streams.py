"""What the steps and answers under `model:` mean."""

from __future__ import annotations

import pytest

from simharness.scenario.model import (
    ArgsStep,
    CallStep,
    EndKind,
    EndStep,
    ErrorSpec,
    Mark,
    MarkStep,
    OpaqueStep,
    Reaction,
    ReasoningStep,
    Report,
    Step,
    Stream,
    TextStep,
    UsageStep,
    WaitStep,
)
from simharness.scenario.streams import chunk_count
from tests.unit.scenario.sheets import one_case


def streams(model: str) -> tuple[Stream, ...]:
    """The answers of the first prompt."""
    return one_case(model=model).prompts[0].model


def steps(stream: str) -> tuple[Step, ...]:
    """The steps of the first answer."""
    return streams(f"[{stream}]")[0].steps


def end(kind: EndKind, reason: str = "", error: ErrorSpec | None = None) -> EndStep:
    """A written end of the first answer."""
    words = f"finish {reason}" if kind is EndKind.FINISH else str(kind)
    return EndStep(kind, reason, error, written=True, key=f"model[0].stream: {words}")


STEPS: dict[str, Step] = {
    "hello": TextStep("hello"),
    '"close"': TextStep("close"),
    "42": TextStep("42"),
    "true": TextStep("true"),
    "two words": TextStep("two words"),
    "{text: close}": TextStep("close"),
    "{text: ''}": TextStep(""),
    "{reasoning: hm}": ReasoningStep("hm"),
    "{opaque: blob}": OpaqueStep("blob"),
    "{call: search}": CallStep("search", ("{}",)),
    "{call: {name: search, args: {q: [1, true, ü]}}}": CallStep("search", ('{"q":[1,true,"ü"]}',)),
    "{call: {name: s, args: '{\"q\":'}}": CallStep("s", ('{"q":',)),
    "{call: {name: s, args: ''}}": CallStep("s", ("",)),
    "{call: {name: s, id: '', index: 2}}": CallStep("s", ("{}",), id="", index=2),
    "{call: {name: s, pieces: [a, b]}}": CallStep("s", ("a", "b")),
    "{call: {name: s, args: abcde, pieces: 2}}": CallStep("s", ("abc", "de")),
    "{call: {name: s, args: abcde, cut: [1, 4]}}": CallStep("s", ("a", "bcd", "e")),
    "{call: {name: s, args: {n: 1s}}}": CallStep("s", ('{"n":"1s"}',)),
    "{call: {name: s, args: {n: 1e999}}}": CallStep("s", ('{"n":"1e999"}',)),
    "{args: '}'}": ArgsStep("}"),
    "{args: {text: '}', index: 1}}": ArgsStep("}", 1),
    "{usage: {input: 3, output: 4}}": UsageStep(3, 4),
    "{usage: [3, 4]}": UsageStep(3, 4),
    "{wait: 50ms}": WaitStep(0.05),
    "{wait: 2m}": WaitStep(120.0),
    "{wait: 1.5}": WaitStep(1.5),
    "keepalive": MarkStep(Mark.KEEPALIVE),
    "{malformed: }": MarkStep(Mark.MALFORMED),
    "text_start": MarkStep(Mark.TEXT_START),
    "call_end": MarkStep(Mark.CALL_END),
    "{text_end: 1}": MarkStep(Mark.TEXT_END, 1),
    "{call_end: 0}": MarkStep(Mark.CALL_END, 0),
    "{text: {text: a, index: 2}}": TextStep("a", 2),
    "{reasoning: {text: hm, index: 0}}": ReasoningStep("hm", 0),
    "{opaque: {text: blob}}": OpaqueStep("blob"),
}


@pytest.mark.parametrize("text", STEPS)
def test_a_step_means_what_it_says(text: str) -> None:
    """Reserved words are steps where they are not quoted; everything else is text."""
    assert STEPS[text] == steps(f"[{text}]")[0]


ENDS: dict[str, EndStep] = {
    "finish": end(EndKind.FINISH, "stop"),
    "{finish: length}": end(EndKind.FINISH, "length"),
    "close": end(EndKind.CLOSE),
    "hang": end(EndKind.HANG),
    "abort": end(EndKind.ABORT, "provider"),
    "{abort: timeout}": end(EndKind.ABORT, "timeout"),
    "error": end(EndKind.ERROR, error=ErrorSpec()),
    "{error: boom}": end(EndKind.ERROR, error=ErrorSpec("boom")),
    "raise": end(EndKind.RAISE, error=ErrorSpec()),
    "{raise: {message: slow, as: TimeoutError}}": end(
        EndKind.RAISE, error=ErrorSpec("slow", raised_as="TimeoutError")
    ),
    "{raise: {kind: rate_limit, retryable: true, retry_after: 2s}}": end(
        EndKind.RAISE, error=ErrorSpec(kind="rate_limit", retryable=True, retry_after_s=2.0)
    ),
}


@pytest.mark.parametrize("text", ENDS)
def test_a_written_end_is_a_promise(text: str) -> None:
    """A named end is the last step and has a key that people can read."""
    assert ENDS[text] == steps(f"[a, {text}]")[-1]


def test_the_default_end_is_no_promise() -> None:
    """A stream that names no end finishes: with tool_calls if it has a call, else with stop."""
    assert EndStep(EndKind.FINISH, "stop") == steps("[a]")[-1]
    assert EndStep(EndKind.FINISH, "tool_calls") == steps("[{call: search}, a]")[-1]
    assert "tool_calls" == getattr(steps("[{call: search}, finish]")[-1], "reason", "")


def test_chunks_after_a_terminal_end_in_a_plain_close() -> None:
    """After a finish and more chunks the stream just closes; nobody wrote a second finish."""
    kinds = [step.kind for step in steps("[finish, late]") if isinstance(step, EndStep)]
    assert [EndKind.FINISH, EndKind.CLOSE] == kinds
    assert EndStep(EndKind.CLOSE) == steps("[finish, late]")[-1]


def test_only_the_first_of_two_terminals_is_a_promise() -> None:
    """An agent that stops reading at the first terminal never meets the second."""
    keys = [step.key for step in steps("[finish, {error: x}]") if isinstance(step, EndStep)]
    assert ["model[0].stream: finish stop", ""] == keys


def test_pieces_count_as_chunks_and_marks_do_not() -> None:
    """Text, reasoning, opaque blocks and each piece of arguments are chunks, nothing else."""
    (stream,) = streams(
        "[[start, a, {reasoning: b}, {opaque: c}, {call: {name: s, pieces: [x, y]}}, {args: z},"
        " {usage: [1, 2]}, {wait: 1s}, keepalive, finish]]"
    )
    assert 6 == chunk_count(stream)


def test_answers_have_short_forms() -> None:
    """A text or a list stands for its stream."""
    short = streams("[hello, [hello], {stream: hello}, {stream: [hello]}]")
    assert [(TextStep("hello"), EndStep(EndKind.FINISH, "stop"))] * 4 == [s.steps for s in short]


def test_attempts_are_the_next_requests() -> None:
    """The attempts of an answer are answers of their own, with keys that name them."""
    first, second, third = streams("[{attempts: [[raise], {stream: [close]}]}, [done]]")
    assert "model[0].attempts[0].stream: raise" == getattr(first.steps[-1], "key", "")
    assert "model[0].attempts[1].stream: close" == getattr(second.steps[-1], "key", "")
    assert TextStep("done") == third.steps[0]


def test_a_stream_can_lack_its_start_and_have_a_rhythm() -> None:
    """`start`, `burst` and `every` stand beside the stream."""
    (stream,) = streams("[{stream: [a, b], start: false, burst: 2, every: 10ms}]")
    assert (False, 2, 0.01) == (stream.starts, stream.burst, stream.every_s)


def test_a_reaction_can_be_one_word() -> None:
    """A bare word says what the stream reports when it is told of a cancel."""
    (stream,) = streams("[{stream: a, on_cancel: close}]")
    key = "model[0].on_cancel: close"
    assert Reaction(Report.CLOSE, written=True, key=key) == stream.reaction


def test_a_reaction_has_a_full_form() -> None:
    """Everything a told stream can do at once."""
    (stream,) = streams(
        "[{stream: a, on_cancel: {report: error, reason: x, latency: 1s, ends_after: 50ms,"
        " keeps_sending: 2, late: [b, {usage: [1, 2]}], close: {takes: 2s, raises: true}}}]"
    )
    assert (
        Reaction(
            Report.ERROR,
            reason="x",
            latency_s=1.0,
            ends_after_s=0.05,
            keeps_sending=2,
            late=(TextStep("b"), UsageStep(1, 2)),
            close_takes_s=2.0,
            close_raises=True,
            written=True,
            key="model[0].on_cancel: error",
        )
        == stream.reaction
    )


def test_a_stream_without_reaction_promises_none() -> None:
    """The default reaction is not written, so nothing is missing if it never plays."""
    assert Reaction() == streams("[hello]")[0].reaction

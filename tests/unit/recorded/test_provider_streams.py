"""Provider streams: what our own encoders write is sound, and what is cut is seen."""

import io

import pytest

from simharness.agent import Chunk, Failed, Finish, ProviderError, StreamStart, TextDelta
from simharness.recorded.checking import Checked, check
from simharness.recorded.formats import FORMATS
from tests.unit.recorded.recordings import Event, broken, checked, texts
from tests.unit.recorded.wires import ANSWERS, BY_NAME, encoded


def judged(dialect: str, body: bytes) -> Checked:
    """What comes of a body."""
    return check(io.BytesIO(body), "body", FORMATS[dialect])


@pytest.mark.parametrize("dialect", BY_NAME)
@pytest.mark.parametrize("answer", ANSWERS)
def test_what_our_encoders_write_is_sound(dialect: str, answer: str) -> None:
    """The official clients read it, too: see the tests of the wire."""
    body = encoded(dialect, ANSWERS[answer])
    assert [] == texts(judged(dialect, body))
    assert [] == texts(judged(dialect, body * 3))


@pytest.mark.parametrize("dialect", BY_NAME)
def test_a_body_that_just_ends_is_seen(dialect: str) -> None:
    """Nothing on the wire marks it, so the checker has to miss the end."""
    body = encoded(dialect, ANSWERS["text"][:-1], finished=False)
    endings = {"openai-chat-done-last", "openai-chat-one-finish", "openai-responses-ends"}
    assert broken(judged(dialect, body)) & (endings | {"anthropic-ends"})


@pytest.mark.parametrize("dialect", BY_NAME)
def test_an_error_inside_a_stream_is_an_end(dialect: str) -> None:
    """After it neither a reason nor a mark is owed."""
    failed = Failed(ProviderError("overloaded", kind="overloaded"))
    body = encoded(dialect, (StreamStart(), TextDelta("x"), failed), finished=False)
    assert [] == texts(judged(dialect, body))


@pytest.mark.parametrize("dialect", BY_NAME)
def test_a_reader_that_left_is_no_fault_of_the_provider(dialect: str) -> None:
    """The mark stands in a comment."""
    body = encoded(dialect, ANSWERS["text"][:-1], finished=False)
    assert [] == texts(judged(dialect, body + b": simharness left\n"))


@pytest.mark.parametrize("dialect", BY_NAME)
def test_a_call_that_length_cut_may_be_half(dialect: str) -> None:
    """Its arguments need not be JSON, and the reason need not say tool calls."""
    chunks: list[Chunk] = [*ANSWERS["call"][:3], Finish("length")]
    assert [] == texts(judged(dialect, encoded(dialect, chunks)))


def test_chunks_of_compatible_servers() -> None:
    """Usage with every chunk, no id, an empty call id in later pieces: all of it is met."""
    piece = {"index": 0, "id": "", "function": {"arguments": "{}"}}
    first = {"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}
    deltas = [{"role": "assistant"}, {"tool_calls": [first]}, {"tool_calls": [piece]}]
    lines = [
        {"choices": [{"index": 0, "delta": delta}], "usage": {"prompt_tokens": 1}}
        for delta in deltas
    ]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    assert [] == texts(checked("openai-chat", *lines, end, "[DONE]"))


def test_a_message_may_hold_blocks_nobody_knows() -> None:
    """Unknown events, deltas and blocks are passed over, as the API asks."""
    lines: list[Event] = [
        {"type": "message_start", "message": {}},
        {"type": "aurora", "x": 1},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "glow"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "glow_delta"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    done = checked("anthropic", *lines)
    assert [] == texts(done)
    assert 2 == len(done.tally.notes)


def test_the_type_may_stand_in_the_field_of_the_event() -> None:
    """Some recorders strip it from the data."""
    body = encoded("anthropic", ANSWERS["text"])
    bare = body.replace(b'"type": "message_start", ', b"", 1)
    assert bare != body
    assert [] == texts(judged("anthropic", bare))

"""From steps to deliveries: whose a piece of arguments is, wherever it stands."""

from __future__ import annotations

from itertools import count

import pytest

from simharness.agent import BlockEnd, BlockStart, Chunk, ReasoningDelta, TextDelta
from simharness.provider.compile import compile_stream
from simharness.scenario.load import load_text


def pieces(steps: str) -> list[tuple[int, str, str, str]]:
    """Index, id, name and text of each piece of arguments in a stream of these steps."""
    text = f"scenario: pieces\nmodel: [[{steps}]]\nrun: [prompt: Go]\n"
    stream = load_text(text).cases[0].prompts[0].model[0]
    ids = (f"c{number}" for number in count(1))
    deliveries = compile_stream(stream, lambda: next(ids))
    items = [item for delivery in deliveries for item in delivery.items if item.kind == "args"]
    return [(item.index, item.call_id, item.name, item.text) for item in items]


def test_pieces_belong_to_the_call_at_their_index() -> None:
    """Two calls may be told one id; their places tell them apart."""
    steps = "{call: {name: a, id: x, pieces: [p]}}, {call: {name: b, id: x, pieces: [q]}}"
    assert [(0, "x", "a", "p"), (1, "x", "b", "q")] == pieces(steps)
    two = "{call: {name: a, pieces: [p]}}, {call: {name: b, pieces: [q]}}"
    assert (0, "c1", "a", "r") == pieces(f"{two}, {{args: {{text: r, index: 0}}}}")[-1]


def test_a_piece_that_comes_before_its_call_belongs_to_it() -> None:
    """By its index."""
    assert [(0, "c1", "a", "p"), (0, "c1", "a", "q")] == pieces(
        "{args: p}, {call: {name: a, pieces: [q]}}"
    )


@pytest.mark.parametrize(
    ("steps", "signs"),
    [
        ("hang", 0),
        ("{wait: 1s}, hang", 1),
        ("a, keepalive, hang", 0),
        ("a, {wait: 1s}, keepalive, hang", 1),
        ("{wait: 1s}, keepalive, a, hang", 0),
    ],
)
def test_what_comes_late_and_holds_nothing_is_a_sign_of_life(steps: str, signs: int) -> None:
    """Where a chunk or an end follows at once, that is the sign."""
    text = f"scenario: signs\nmodel: [[{steps}]]\nrun: [prompt: Go]\n"
    stream = load_text(text).cases[0].prompts[0].model[0]
    deliveries = compile_stream(stream, lambda: "")
    assert signs == sum(item.sign for delivery in deliveries for item in delivery.items)


def chunks(steps: str) -> list[Chunk | None]:
    """All that a stream of these steps sends, but for its start and its finish."""
    text = f"scenario: chunks\nmodel: [[{steps}]]\nrun: [prompt: Go]\n"
    stream = load_text(text).cases[0].prompts[0].model[0]
    deliveries = compile_stream(stream, lambda: "c1")
    return [item.chunk for delivery in deliveries for item in delivery.items][1:-1]


def test_a_step_without_a_number_continues_the_open_block() -> None:
    """An end closes it, a start opens the next one."""
    assert [
        TextDelta("a", 0),
        BlockEnd("text", 0),
        TextDelta("b", 1),
        BlockStart("text", 2),
        TextDelta("c", 2),
    ] == chunks("a, text_end, b, text_start, c")


def test_a_step_with_a_number_is_about_that_block_and_leaves_the_open_one_alone() -> None:
    """Numbers may come again, or before the block that they are of."""
    assert [
        BlockEnd("text", 1),
        TextDelta("a", 0),
        BlockStart("text", 0),
        ReasoningDelta("hm", 3),
        TextDelta("b", 0),
        BlockEnd("call", 2),
    ] == chunks(
        "{text_end: 1}, a, {text_start: 0}, {reasoning: {text: hm, index: 3}}, b, {call_end: 2}"
    )


@pytest.mark.parametrize("between", ["call_end", "finish", "{error: gone}"])
def test_a_piece_does_not_belong_to_a_call_behind_an_end(between: str) -> None:
    """The call or the message that it was for was over before."""
    steps = f"{{args: p}}, {between}, {{call: {{name: a, pieces: [q]}}}}"
    assert [(0, "", "", "p"), (0, "c1", "a", "q")] == pieces(steps)


def test_pieces_that_make_one_call_together_belong_to_it() -> None:
    """A provider may say late how it is called, or another name; an id that comes again is it."""
    nameless = "{call: {name: a, id: '', index: 0, pieces: [p]}}"
    named = "{call: {name: b, id: x, index: 0, pieces: [q]}}"
    assert [(0, "x", "b", "p"), (0, "x", "b", "q")] == pieces(f"{nameless}, {named}")
    assert [(0, "x", "a", "q"), (0, "x", "a", "p")] == pieces(f"{named}, {nameless}")
    assert [(0, "x", "b", "q"), (0, "x", "b", "q")] == pieces(f"{named}, {named}")


def test_another_id_at_the_same_index_is_another_call() -> None:
    """Some providers give every call index 0."""
    first, second = (f"{{call: {{name: a, id: {id_}, index: 0, pieces: [p]}}}}" for id_ in "xy")
    told = [(0, "x", "a", "p"), (0, "y", "a", "p"), (0, "y", "a", "r")]
    assert told == pieces(f"{first}, {second}, {{args: {{text: r, index: 0}}}}")
    assert told[:2] == pieces(f"{first}, {{call_end: 0}}, {second}")


def test_what_comes_for_a_call_that_was_ended_is_of_none() -> None:
    """It may say its id again; the end of another call is not that of this one."""
    call = "{call: {name: a, id: x, index: 0, pieces: [p]}}"
    more = "{args: {text: r, index: 0}}"
    assert [(0, "x", "a", "p"), (-1, "", "", "r")] == pieces(f"{call}, {{call_end: 0}}, {more}")
    assert [(0, "x", "a", "p"), (-1, "x", "a", "p")] == pieces(f"{call}, {{call_end: 0}}, {call}")
    assert [(0, "x", "a", "p"), (0, "x", "a", "r")] == pieces(f"{call}, {{call_end: 1}}, {more}")


def test_an_answer_that_begins_anew_makes_calls_of_its_own() -> None:
    """What came before it at the same index is void."""
    call = "{call: {name: a, id: x, index: 0, pieces: [p]}}"
    other = "{call: {name: b, id: '', index: 0, pieces: [q]}}"
    assert [(0, "x", "a", "p"), (0, "", "b", "q")] == pieces(f"{call}, retrying, {other}")

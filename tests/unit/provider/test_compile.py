"""From steps to deliveries: whose a piece of arguments is, wherever it stands."""

from __future__ import annotations

from itertools import count

import pytest

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


@pytest.mark.parametrize("between", ["call_end", "finish", "{error: gone}"])
def test_a_piece_does_not_belong_to_a_call_behind_an_end(between: str) -> None:
    """The call or the message that it was for was over before."""
    steps = f"{{args: p}}, {between}, {{call: {{name: a, pieces: [q]}}}}"
    assert [(0, "", "", "p"), (0, "c1", "a", "q")] == pieces(steps)

"""Whatever a child says, the trial is judged or the line is refused with its place."""

from __future__ import annotations

import random

import pytest

from simharness.agent import CallDelta, Failed, ProviderError, TextDelta
from simharness.bridges import down, up
from simharness.bridges.lines import BadLine, down_line, read_down, read_up, up_line
from simharness.trace import Call, Outcome, TurnEnd, assistant, tool_result, user
from simharness.world.run import batch
from tests.bridges.corrupting import case, many, trial

CORRUPTIONS = 400
"""`python -m tests.bridges.corrupting 10000` is the same in earnest."""

ENDS = {
    "holds",
    "violated",
    "not-applicable",
    "deadlock",
    "child-exit",
    "child-flood",
    "child-garbage",
    "child-silence",
}


def test_a_sound_child_is_judged_and_holds() -> None:
    """Without a corruption nothing is refused: what is refused below is refused for it."""
    with batch():
        assert "holds" == trial(case(), 0, random.Random())[1]


def test_random_corruptions_are_judged_or_refused_with_their_place() -> None:
    """No crash of ours, and no refusal without a line."""
    ends = many(CORRUPTIONS)
    assert CORRUPTIONS == ends.total()
    assert ENDS >= set(ends)
    assert ends["child-garbage"] > CORRUPTIONS / 2
    assert ends["holds"]


def test_what_both_ends_say_is_read_as_it_was() -> None:
    """A value goes out and comes back."""
    call = Call("c1", "search", '{"q": 1}')
    said: list[up.Up] = [
        up.Request(1, 1, (user("Hi"), assistant("Wait", call), tool_result("c1", "no")), ("a",)),
        up.Report(1, TurnEnd(1, assistant("x", interrupted=True), (tool_result("c1", "r"),))),
        up.Settled(2, "raised", "ValueError: no", Outcome.FAILED),
        up.Left((up.Leftover("leaked-task", "loop at a.py:3"),)),
        up.History(None),
        up.Idle(1.5),
    ]
    assert said == [read_up(up_line(one)) for one in said]
    told: list[down.Down] = [
        down.Open((down.ToolOffered("search", {"type": "object"}),)),
        down.Deliver(1, TextDelta("Hi")),
        down.Deliver(1, CallDelta(0, "c1", "search", "{")),
        down.Cancel(1, "api", "user"),
    ]
    assert [(one, 2.5) for one in told] == [read_down(down_line(one, at=2.5)) for one in told]


def test_errors_of_a_provider_keep_what_they_say() -> None:
    """Exceptions have no equality; their words have."""
    error = ProviderError("busy", kind="overloaded", retryable=True, retry_after_s=2.0)
    for told in (down.Break(1, error), down.Deliver(1, Failed(error))):
        back, _ = read_down(down_line(told, at=0.0))
        found = back.chunk.error if isinstance(back, down.Deliver) else back.error  # type: ignore[union-attr]
        assert ("busy", vars(error)) == (str(found), vars(found))


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (b'{"type":"reqest"}', "type: found 'reqest', expected one of introduction"),
        (b"{", "character 2: not JSON"),
        (b"\xff\xfe{", "byte 1: not UTF-8"),
        (b"[]", "found list, expected an object"),
        (b"[" * 100_000, "not JSON that can be read (RecursionError)"),
        (b'{"type":"idle","wake":' + b"1" * 5_000 + b"}", "not JSON that can be read"),
        (b'{"type":"idle","wake":NaN}', "wake: found nan, expected a number"),
        (b'{"type":"idle","weak":1}', "weak: found 'weak', expected one of wake"),
        (
            b'{"type":"request","run":1,"stream":1,"messages":[{"role":"usr"}]}',
            "messages[0].role: found 'usr', expected one of system, user, assistant, tool; did you",
        ),
        (
            b'{"type":"report","run":1,"record":{"type":"turn-start","turn":"1"}}',
            "record.turn: found '1', expected a whole number",
        ),
        (b'{"type":"settled","run":true,"how":"returned"}', "run: found True, expected a whole"),
    ],
)
def test_a_refusal_says_where_what_and_what_was_expected(line: bytes, place: str) -> None:
    """The reader of the message fixes a child by it."""
    with pytest.raises(BadLine) as refused:
        read_up(line)
    assert place in str(refused.value)

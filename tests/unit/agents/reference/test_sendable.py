"""What enters the history can be sent back: unique call ids, arguments that parse."""

from __future__ import annotations

import json

import pytest

from simharness.agents.reference.sendable import with_parsable_args, with_unique_ids
from simharness.trace import Call, assistant


def ids(*wanted: str, used: tuple[str, ...] = ()) -> list[str]:
    """The ids that calls get which ask for `wanted` when `used` are taken."""
    message = assistant("", *(Call(one, "t", "{}") for one in wanted))
    history = [assistant("", *(Call(one, "t", "{}") for one in used))]
    return [call.id for call in with_unique_ids(message, history).calls]


@pytest.mark.parametrize(
    ("wanted", "used", "given"),
    [
        (("a", "b"), (), ["a", "b"]),
        (("a", "a"), (), ["a", "a-0"]),
        (("a",), ("a", "a-0"), ["a-1"]),
        (("", ""), ("call-0",), ["call-1", "call-2"]),
    ],
)
def test_calls_get_ids_of_their_own(
    wanted: tuple[str, ...], used: tuple[str, ...], given: list[str]
) -> None:
    """An id that is free stays; empty ids and ids that were used before are replaced."""
    assert given == ids(*wanted, used=used)


def test_broken_arguments_are_wrapped_and_whole_ones_left_alone() -> None:
    """The model can still read what it wrote; blank text means that there are no arguments."""
    message = assistant("Hi", *(Call(one, "t", one) for one in ('{"a": 1}', "[1]", '{"a"', " ")))
    args = [call.args for call in with_parsable_args(message).calls]
    assert ['{"a": 1}', "[1]", json.dumps({"INVALID_JSON": '{"a"'}), "{}"] == args
    assert "Hi" == with_parsable_args(message).text

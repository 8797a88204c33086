"""Mistakes of providers beyond the examples of the rules, each alone."""

import pytest

from simharness.recorded.argtext import ARGS_MAX, ArgText
from simharness.recorded.formats import FORMAT_RULES
from tests.unit.recorded.recordings import Event, broken, checked, texts

ROLE, TEXT, STOP, USAGE, DONE = FORMAT_RULES["openai-chat-one-finish"].good.splitlines()
MESSAGE = FORMAT_RULES["anthropic-ends"].good.splitlines()
RESPONSE = FORMAT_RULES["openai-responses-ends"].good.splitlines()


def chunk(**choice: object) -> Event:
    """A chunk of a chat completion."""
    return {"id": "x", "choices": [{"index": 0, "delta": {}} | choice]}


def calls(*pieces: object) -> Event:
    """A chunk with pieces of calls."""
    return chunk(delta={"tool_calls": list(pieces)})


CALL = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}

CHAT: dict[str, tuple[str, list[Event | str]]] = {
    "another role later": (
        "openai-chat-role-first", [ROLE, chunk(delta={"role": "user"}), STOP, DONE]),
    "text behind the reason": ("openai-chat-one-finish", [ROLE, STOP, TEXT, DONE]),
    "two reasons": ("openai-chat-one-finish", [ROLE, STOP, STOP, DONE]),
    "choices that are no list": ("openai-chat-chunk-shape", [ROLE, {"choices": 7}, STOP, DONE]),
    "no choice at all": ("openai-chat-one-finish", [USAGE, DONE]),
    "usage twice": ("openai-chat-usage-last", [ROLE, STOP, USAGE, USAGE, DONE]),
    "a call that is no object": (
        "openai-chat-chunk-shape", [ROLE, calls(7), STOP, DONE]),
    "a choice that is no object": ("openai-chat-chunk-shape", [ROLE, {"choices": [7]}, STOP, DONE]),
    "another id of a call later": (
        "openai-chat-tool-call-pieces",
        [ROLE, calls(CALL), calls(CALL | {"id": "d", "function": {}}),
         chunk(finish_reason="tool_calls"), DONE]),
    "arguments that are no text": (
        "openai-chat-args-json",
        [ROLE, calls(CALL), calls({"index": 0, "function": {"arguments": 7}}),
         chunk(finish_reason="tool_calls"), DONE]),
    "a call, and stop": ("openai-chat-finish-matches", [ROLE, calls(CALL), STOP, DONE]),
    "done twice": ("openai-chat-done-last", [ROLE, STOP, DONE, DONE]),
}  # fmt: skip

ANTHROPIC: dict[str, tuple[str, list[Event | str]]] = {
    "a ping is fine, a stop is not": (
        "anthropic-ends", [*MESSAGE, '{"type": "ping"}', '{"type": "message_stop"}']),
    "an error behind the stop": ("anthropic-ends", [*MESSAGE, '{"type": "error", "error": {}}']),
    "a start inside": ("anthropic-start-first", [MESSAGE[0], *MESSAGE]),
    "a block that is left out": (
        "anthropic-blocks",
        [MESSAGE[0], *(line.replace('"index": 0', '"index": 1') for line in MESSAGE[1:])]),
    "a block that stops twice": ("anthropic-blocks", [*MESSAGE[:4], MESSAGE[3], *MESSAGE[4:]]),
    "a block behind the reason": (
        "anthropic-delta-after-blocks",
        [*MESSAGE[:-1], MESSAGE[1].replace('"index": 0', '"index": 1'), MESSAGE[-1]]),
    "a stop that nothing announced": ("anthropic-ends", [MESSAGE[0], MESSAGE[-1]]),
    "no type": ("anthropic-event-shape", [MESSAGE[0], {"x": 1}, *MESSAGE[1:]]),
    "a reason without its call": (
        "anthropic-stop-reason", [line.replace("end_turn", "tool_use") for line in MESSAGE]),
}  # fmt: skip

RESPONSES: dict[str, tuple[str, list[Event | str]]] = {
    "created twice": ("openai-responses-created-first", [RESPONSE[0], *RESPONSE]),
    "an event behind the end": ("openai-responses-ends", [*RESPONSE, RESPONSE[1]]),
    "an item added twice": ("openai-responses-items", [*RESPONSE[:2], *RESPONSE[1:]]),
    "an item done twice": ("openai-responses-items", [*RESPONSE[:-1], RESPONSE[-2], RESPONSE[-1]]),
    "another item named": (
        "openai-responses-item-identity",
        [line.replace('"item_id": "i"', '"item_id": "j"') for line in RESPONSE]),
    "no type": ("openai-responses-event-shape", [RESPONSE[0], {"x": 1}, *RESPONSE[1:]]),
    "a delta that is no text": (
        "openai-responses-event-shape", [line.replace('"Hi"', "7") for line in RESPONSE]),
}  # fmt: skip

EVERY = [
    pytest.param(form, *found, id=f"{form}: {name}")
    for form, table in (
        ("openai-chat", CHAT),
        ("anthropic", ANTHROPIC),
        ("openai-responses", RESPONSES),
    )
    for name, found in table.items()
]


@pytest.mark.parametrize(("form", "rule", "lines"), EVERY)
def test_a_mistake_breaks_its_rule(form: str, rule: str, lines: list[Event | str]) -> None:
    """The named one, whatever follows from it."""
    assert rule in broken(checked(form, *lines))


KEPT: list[tuple[str, list[Event | str]]] = [
    ("openai-chat", [chunk(delta={"role": "assistant"}), '{"error": {"message": "down"}}']),
    ("openai-chat", [ROLE, TEXT, chunk(finish_reason="eos"), DONE]),
    ("anthropic", ['{"type": "error", "error": {"type": "overloaded_error"}}']),
    ("anthropic", ['{"type": "error", "error": {}}', *MESSAGE]),
    ("openai-responses", ['{"type": "error", "message": "no"}']),
    ("openai-responses", [*RESPONSE, "[DONE]"]),
    ("openai-responses", [RESPONSE[0], '{"type": "response.web_search_call.searching"}',
                          '{"type": "keepalive"}', *RESPONSE[1:]]),
    ("openai-responses", [RESPONSE[0], '{"type": "response.incomplete", "response": {}}']),
]  # fmt: skip


@pytest.mark.parametrize(("form", "lines"), KEPT)
def test_what_is_no_mistake(form: str, lines: list[Event | str]) -> None:
    """Errors as ends, reasons of compatible servers, events of server-side tools."""
    assert [] == texts(checked(form, *lines))


def test_arguments_that_parse() -> None:
    """Empty text stands for none; what is too long to keep, or to deep to read, is no crash."""
    args = ArgText()
    assert args.parses(empty=True)
    assert not args.parses(empty=False)
    args.add("[" * 5000)
    assert not args.parses(empty=True)
    args.add("x" * ARGS_MAX)
    assert args.parses(empty=False)
    assert "" == args.text
    args.add(None)
    assert not args.parses(empty=True)

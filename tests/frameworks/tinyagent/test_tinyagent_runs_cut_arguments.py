"""tiny-agent-os 1.2.29: a stream that just ends inside a call's arguments still runs the tool.

The connection closes after `{"q": "/home/us`, with neither `done` nor `error`. The tool runs with
`{}`, which is what `parse_streaming_json` makes of that text, and its result enters a history that
has no call for it. (Its own alchemy provider calls such a stream a `stop`: the history is then in
order, and the tool runs with `{}` all the same.) Run this file to see both.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("tinyagent")

from tinyagent import AssistantMessage, parse_streaming_json
from tinyagent.proxy_event_handlers import process_proxy_event

from tests.frameworks.tinyagent.tinyagent_provider import (
    ANSWER,
    Provider,
    agent_of,
    call,
    event,
    text,
)

pytestmark = pytest.mark.framework


async def close_inside_arguments() -> tuple[list[object], list[str]]:
    """End a stream inside the arguments; return what the tool was given, and the history."""
    given: list[object] = []
    cut = call(parse_streaming_json('{"q": "/home/us') or {})
    provider = Provider([event("start", text("")), event("tool_call_delta", cut)], ANSWER)

    async def search(args: object) -> str:
        given.append(args)
        return "3 hits"

    agent = agent_of(provider, search)
    await agent.prompt("hi")
    return given, [message.role for message in agent.state.messages]


async def finish_with_arguments_that_do_not_parse() -> list[object]:
    """Finish an answer as its own proxy provider makes it of such arguments."""
    given: list[object] = []
    message = AssistantMessage(content=[])
    sent: list[dict[str, Any]] = [
        {"type": "toolcall_start", "contentIndex": 0, "id": "c1", "toolName": "search"},
        {"type": "toolcall_delta", "contentIndex": 0, "delta": '{"q": '},
        {"type": "toolcall_end", "contentIndex": 0},
        {"type": "done", "reason": "tool_calls"},
    ]
    for item in sent:
        process_proxy_event(item, message)

    async def search(args: object) -> str:
        given.append(args)
        return "3 hits"

    agent = agent_of(Provider([event("start", text("")), event("done", message)], ANSWER), search)
    await agent.prompt("hi")
    return given


def test_a_tool_runs_without_arguments_that_do_not_parse_though_the_answer_is_done() -> None:
    """The provider finished the call with `{"q": `; the tool is run with {}."""
    assert [{}] == asyncio.run(finish_with_arguments_that_do_not_parse())


def test_a_tool_runs_with_the_arguments_of_a_stream_that_just_ended() -> None:
    """The tool is run, with {}; its result stands in the history without its call."""
    given, history = asyncio.run(close_inside_arguments())
    assert [{}] == given
    assert ["user", "tool_result", "assistant"] == history


if __name__ == "__main__":
    print(*asyncio.run(close_inside_arguments()), sep="\n")

"""pydantic-ai 2.68.0: a cancel upon a tool's result event loses the result and blocks the history.

The tool has run and its result event was delivered. `RunCancelled` promises that results of tool
calls that finished are preserved and that its messages can be given to a new run with a new prompt.
The messages end on the tool call instead, and the new run is refused. A cancel upon the call event,
before the tool has finished, works. Run this file to see both.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import (
    Agent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    RunCancelled,
    UserError,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pydantic_ai import ModelMessage


pytestmark = pytest.mark.framework


async def model(
    messages: list[ModelMessage], info: AgentInfo
) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
    """Ask for one tool call, then answer."""
    if len(messages) == 1:
        yield {0: DeltaToolCall("search", "{}", tool_call_id="c1")}
    else:
        yield "done"


def make_agent() -> Agent[None, str]:
    """An agent with one tool that takes no time."""
    agent = Agent(FunctionModel(stream_function=model))

    @agent.tool_plain
    async def search() -> str:
        """Search."""
        return "3 hits"

    return agent


async def cancel_upon(kind: type[object]) -> tuple[list[str], str]:
    """Cancel when an event of `kind` comes; return the history's parts and how a new run ended."""
    agent = make_agent()
    history: list[ModelMessage] = []
    try:
        async with agent.run_stream_events("hi") as events:
            async for event in events:
                if isinstance(event, kind):
                    events.cancel()
    except RunCancelled as cancelled:
        history = cancelled.all_messages()
    parts: list[str] = [part.part_kind for message in history for part in message.parts]
    try:
        async with agent.run_stream_events("again", message_history=history) as events:
            async for _ in events:
                pass
    except UserError as refused:
        return parts, str(refused).partition(".")[0]
    return parts, "completed"


def test_a_cancel_upon_a_result_event_loses_the_result_and_refuses_the_next_prompt() -> None:
    """The finished result is not in the history, which a new prompt cannot follow."""
    parts, next_run = asyncio.run(cancel_upon(FunctionToolResultEvent))
    assert ["user-prompt", "tool-call"] == parts
    assert next_run.endswith("when the message history contains unprocessed tool calls")


def test_a_cancel_upon_a_call_event_leaves_a_history_that_goes_on() -> None:
    """One event earlier the same cancel is handled as documented."""
    assert "completed" == asyncio.run(cancel_upon(FunctionToolCallEvent))[1]


if __name__ == "__main__":
    for event_kind in (FunctionToolCallEvent, FunctionToolResultEvent):
        print(event_kind.__name__, *asyncio.run(cancel_upon(event_kind)), sep="\n    ")

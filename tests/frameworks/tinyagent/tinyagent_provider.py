"""A scripted tinyagent provider for the confirmations beside it: stock asyncio, nothing of ours.

A script is a list of steps: a provider event, an exception to raise, a number of seconds to sleep,
or an `asyncio.Event` to wait for. The stream ends where its script ends.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tinyagent import (
    Agent,
    AgentOptions,
    AgentTool,
    AgentToolResult,
    AssistantMessage,
    AssistantMessageEvent,
    Context,
    Message,
    Model,
    SimpleStreamOptions,
    TextContent,
    ToolCallContent,
)
from tinyagent.agent_types import AgentState

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

Step = AssistantMessageEvent | Exception | float | asyncio.Event


def text(value: str, **fields: Any) -> AssistantMessage:
    """An assistant message of one text block."""
    return AssistantMessage(content=[TextContent(text=value)], **fields)


def call(args: dict[str, Any], **fields: Any) -> AssistantMessage:
    """An assistant message of one call of the tool `search`."""
    block = ToolCallContent(id="c1", name="search", arguments=args)
    return AssistantMessage(content=[block], **fields)


def event(kind: Any, message: AssistantMessage) -> AssistantMessageEvent:
    """A provider event with the message as far as it came."""
    return AssistantMessageEvent(type=kind, partial=message)


class Response:
    """One answer of the provider; `result()` is the message of the last event."""

    def __init__(self, script: list[Step]) -> None:
        self.script = list(script)
        self.message = AssistantMessage(content=[])

    async def result(self) -> AssistantMessage:
        """The final message, or what came of it."""
        return self.message

    def __aiter__(self) -> Response:
        return self

    async def __anext__(self) -> AssistantMessageEvent:
        while self.script:
            step = self.script.pop(0)
            if isinstance(step, Exception):
                raise step
            if isinstance(step, float):
                await asyncio.sleep(step)
            elif isinstance(step, asyncio.Event):
                await step.wait()
            else:
                assert step.partial is not None
                self.message = step.partial
                return step
        raise StopAsyncIteration


class Provider:
    """Answers request k with script k and keeps the messages of every request."""

    def __init__(self, *scripts: list[Step]) -> None:
        self.scripts = list(scripts)
        self.requests: list[list[Message]] = []

    async def __call__(
        self, model: Model, context: Context, options: SimpleStreamOptions
    ) -> Response:
        """Be the agent's `stream_fn`."""
        self.requests.append(list(context.messages))
        return Response(self.scripts.pop(0))


def agent_of(provider: Provider, search: Callable[[Any], Awaitable[str]] | None = None) -> Agent:
    """An agent with one tool, `search`."""

    async def execute(call_id: str, args: Any, signal: Any, on_update: Any) -> AgentToolResult:
        assert search is not None
        return AgentToolResult(content=[TextContent(text=await search(args))])

    state = AgentState(
        model=Model(provider="scripted", id="scripted"),
        tools=[AgentTool(name="search", execute=execute)],
    )
    return Agent(AgentOptions(initial_state=state, stream_fn=provider))


FINISHED = text("done", stop_reason="stop")
ANSWER: list[Step] = [event("start", AssistantMessage(content=[])), event("done", FINISHED)]

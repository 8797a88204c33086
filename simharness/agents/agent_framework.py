"""Adapter of Microsoft's agent-framework over the wire: its response stream, its session.

The framework runs unpatched, on a client of the OpenAI SDK. It has no cancel of its own but leaving
the stream's context or cancelling the task. The harness consumes the stream within that context.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from contextvars import ContextVar
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import agent_framework as af
from agent_framework.openai import OpenAIChatCompletionClient

from simharness import trace
from simharness.agent import CancelWay, Style
from simharness.agents.base import Watched
from simharness.agents.wired import openai_client
from simharness.contract import Contract

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from simharness.agent import ToolSpec, World

__all__ = ["make"]

_CONTRACT = Contract(
    # Agent.run: stream=False awaits the response of the same run
    streaming="both",
    # updates are content, not pairs
    reports=frozenset(),
)


class AgentFramework:
    """One `agent_framework.Agent` and its session."""

    name = "agent-framework"
    version = version("agent-framework-core")
    contract = _CONTRACT
    seam = "wire:openai-chat"
    style = Style.ASYNC
    cancel_ways: frozenset[CancelWay] = frozenset()

    def __init__(self, world: World) -> None:
        self._world = world
        self._session = af.AgentSession(session_id="1")
        self._agent = self._build("")

    def _build(self, system: str) -> af.Agent[Any]:
        return af.Agent(
            OpenAIChatCompletionClient("scripted", async_client=openai_client(self._world)),
            system or None,
            id="scripted",
            name="scripted",
            tools=[_tool(spec) for spec in self._world.tools()],
        )

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the instructions; no more is its own in these words."""
        self._agent = self._build(str(settings.get("system", "")))
        return set(settings) - {"system"}

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """Give the context of one run's updates, or, without `stream`, something to await."""
        return self._updates(text) if stream else self._run_plain(text)

    @asynccontextmanager
    async def _updates(self, text: str) -> AsyncIterator[Any]:
        async with self._agent.run(text, stream=True, session=self._session) as updates:
            yield Watched(_Closable(updates), self._look)

    async def _run_plain(self, text: str) -> None:
        response = await self._agent.run(text, session=self._session)
        self._world.shown(response.text)

    def history(self) -> list[trace.Message]:
        """The messages that the session's own history provider keeps."""
        kept = self._session.state.get(af.InMemoryHistoryProvider.DEFAULT_SOURCE_ID, {})
        return [one for message in kept.get("messages", ()) for one in _messages(message)]

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """A return is a result."""
        if error is None:
            return trace.Outcome.COMPLETED
        cancelled = isinstance(error, asyncio.CancelledError)
        return trace.Outcome.CANCELLED if cancelled else trace.Outcome.FAILED

    def _look(self, update: af.AgentResponseUpdate) -> None:
        """Say what `update` shows."""
        for content in update.contents:
            if content.type in {"text", "text_reasoning"} and content.text:
                self._world.shown(content.text, reasoning=content.type == "text_reasoning")


class _Closable:
    """A response stream by the name that iterators have for its `close`."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __anext__(self) -> Any:
        return await anext(self._stream)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.close()


def make(world: World) -> AgentFramework:
    """Build a fresh agent for one trial."""
    return AgentFramework(world)


_CALL_ID: ContextVar[str] = ContextVar("_CALL_ID", default="")


class _Tool(af.FunctionTool):  # type: ignore[misc]
    """A tool that knows the id of its call, which functions are not told without middleware."""

    async def invoke(self, *, tool_call_id: str | None = None, **more: Any) -> Any:
        """Note the id, then do what any tool does."""
        _CALL_ID.set(tool_call_id or "")
        return await super().invoke(tool_call_id=tool_call_id, **more)


def _tool(spec: ToolSpec) -> af.FunctionTool:
    async def call(**args: object) -> str:
        # what it raises the framework tells the model as the result
        return await spec.call(args, call_id=_CALL_ID.get())

    schema = {"type": "object", "properties": {}, **spec.schema}
    return _Tool(
        name=spec.name,
        description=spec.name,
        func=call,
        input_model=schema,
        approval_mode="never_require",
    )


def _messages(message: af.Message) -> list[trace.Message]:
    """A message as a model is sent it: each function result is one of its own."""
    results = [one for one in message.contents if one.type == "function_result"]
    if results:
        return [
            trace.tool_result(one.call_id, str(one.result or ""), is_error=bool(one.exception))
            for one in results
        ]
    if message.role == "assistant":
        blocks = [block for one in message.contents if (block := _block(one))]
        # its client sends no message without contents
        return [trace.Message("assistant", tuple(blocks))] if blocks else []
    return [trace.user(message.text)]


def _block(content: Any) -> trace.Block | None:
    if content.type == "function_call":
        args = content.arguments
        text = args if isinstance(args, str) else json.dumps(args or {}, ensure_ascii=False)
        return trace.Call(content.call_id, content.name, text)
    if content.type == "text_reasoning":
        return trace.Reasoning(content.text or "")
    return trace.Text(content.text) if content.type == "text" else None

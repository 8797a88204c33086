"""Adapter of autogen-agentchat over the wire: its `AssistantAgent`, its `CancellationToken`.

The framework runs unpatched, on its OpenAI client over the world's connection. The harness consumes
`run_stream`; the agent's model context is what the next run goes on from.
"""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import autogen_core.models as acm
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import ModelClientStreamingChunkEvent
from autogen_core import CancellationToken
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.tools import BaseTool
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel

from simharness import trace
from simharness.agent import CancelWay, Style
from simharness.agents.base import Watched
from simharness.agents.wired import BASE_URL, http_client
from simharness.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness.agent import ToolSpec, World

__all__ = ["make"]

_CONTRACT = Contract(
    # AssistantAgent, model_client_stream: the same run with chunks of the model's answer or without
    streaming="both",
    # its events are whole messages, and no pairs are promised
    reports=frozenset(),
)
_MODEL = acm.ModelInfo(
    vision=False,
    function_calling=True,
    json_output=True,
    family=acm.ModelFamily.UNKNOWN,
    structured_output=False,
)


class AutoGen:
    """One `AssistantAgent` per way to ask the model, on one model context."""

    name = "autogen"
    version = version("autogen-agentchat")
    contract = _CONTRACT
    seam = "wire:openai-chat"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.TOKEN})

    def __init__(self, world: World) -> None:
        self._world = world
        self._context = UnboundedChatCompletionContext()
        self._token = CancellationToken()
        self._system: str | None = None
        self._thinking = False
        self._client = OpenAIChatCompletionClient(
            model="scripted",
            model_info=_MODEL,
            api_key="scripted",
            base_url=BASE_URL,
            max_retries=0,
            http_client=http_client(world),
        )

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the system message; no more is its own in these words."""
        self._system = str(settings.get("system", "")) or None
        return set(settings) - {"system"}

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """Give the messages of one run, or, without `stream`, something to await."""
        self._token = CancellationToken()
        self._thinking = False
        agent = AssistantAgent(
            "scripted",
            self._client,
            tools=[_Tool(spec) for spec in self._world.tools()],
            model_context=self._context,
            system_message=self._system,
            model_client_stream=stream,
            max_tool_iterations=100,
        )
        if not stream:
            return self._run_plain(agent, text)
        items: Any = agent.run_stream(task=text, cancellation_token=self._token)
        return Watched(items, self._look)

    async def _run_plain(self, agent: AssistantAgent, text: str) -> None:
        result = await agent.run(task=text, cancellation_token=self._token)
        self._world.shown(str(result.messages[-1].content))

    def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - it takes no reason
        """Cancel the run in progress by the token it was given."""
        self._token.cancel()

    def history(self) -> list[trace.Message]:
        """The messages of the model context, which gives them only to a coroutine."""
        return [one for message in self._context._messages for one in _messages(message)]

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """A cancelled token cancels what is awaited; a return is a result."""
        if error is None:
            return trace.Outcome.COMPLETED
        cancelled = isinstance(error, asyncio.CancelledError)
        return trace.Outcome.CANCELLED if cancelled else trace.Outcome.FAILED

    def _look(self, item: object) -> None:
        """Say what `item` shows: text comes in chunks, reasoning between two tags."""
        if not isinstance(item, ModelClientStreamingChunkEvent):
            return
        text = item.content.removeprefix("<think>")
        self._thinking = (self._thinking or text != item.content) and text != "</think>"
        if text and text != "</think>":
            self._world.shown(text, reasoning=self._thinking)


def make(world: World) -> AutoGen:
    """Build a fresh agent for one trial."""
    return AutoGen(world)


class _Args(BaseModel):
    """Arguments are described by a JSON schema, and not looked at."""


class _Tool(BaseTool[_Args, Any]):  # type: ignore[misc]
    """A tool of the scenario."""

    def __init__(self, spec: ToolSpec) -> None:
        super().__init__(_Args, str, spec.name, spec.name)
        self._spec = spec

    @property
    def schema(self) -> Any:
        """What the model is told."""
        parameters = {"type": "object", "properties": {}, **self._spec.schema}
        return {"name": self.name, "description": self.name, "parameters": parameters}

    async def run(self, args: Any, cancellation_token: Any) -> Any:
        """Never called: `run_json` is what an agent calls, with the id of the call."""
        raise NotImplementedError

    async def run_json(
        self, args: Any, cancellation_token: CancellationToken, call_id: str | None = None
    ) -> str:
        """Run the body; what it raises the framework tells the model as the result."""
        flag = SimpleNamespace(is_set=cancellation_token.is_cancelled)
        return await self._spec.call(args, call_id=call_id or "", cancelled=flag)


def _messages(message: acm.LLMMessage) -> list[trace.Message]:
    """A message as a model is sent it: each result is one of its own."""
    if isinstance(message, acm.FunctionExecutionResultMessage):
        return [
            trace.tool_result(one.call_id, one.content, is_error=bool(one.is_error))
            for one in message.content
        ]
    if isinstance(message, acm.AssistantMessage):
        if isinstance(message.content, str):
            return [trace.assistant(message.content)]
        calls = [trace.Call(call.id, call.name, call.arguments) for call in message.content]
        return [trace.assistant(message.thought or "", *calls)]
    text = (trace.Text(str(message.content)),)
    return [trace.Message("system" if message.type == "SystemMessage" else "user", text)]

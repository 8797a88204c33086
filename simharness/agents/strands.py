"""Adapter of strands-agents over the wire: its event stream and its two cancels.

The framework runs unpatched, on a client of the OpenAI SDK. The harness consumes `stream_async`;
`agent.messages` is what the next run goes on from. Its third way, a `cancel_signal` that a task of
its own polls on a timer, is left out: with it no run would ever be at rest.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import strands
from strands.models.openai import OpenAIModel
from strands.tools.tools import PythonAgentTool

from simharness import trace
from simharness.agent import CancelWay, Style, ToolFailure
from simharness.agents.base import Watched
from simharness.agents.wired import client_words, openai_client
from simharness.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness.agent import ToolSpec, World

__all__ = ["make"]

_CONTRACT = Contract(
    # Agent.cancel: after a cancel the result says so, and the agent stays reusable
    # Agent.invoke_async: the same run as stream_async, without its events
    streaming="both",
    # it hands out its model's events and promises no pairs
    reports=frozenset(),
)

# An early release has no cancel of its own, and its model takes no client.
_CANCELS = hasattr(strands.Agent, "cancel")
_TAKES_CLIENT = "client" in inspect.signature(OpenAIModel).parameters


class _OwnClients(OpenAIModel):  # type: ignore[misc]
    """The model of an early release: each request makes a client, and closes its connection."""

    def __init__(self, world: World) -> None:
        self._world = world
        super().__init__(model_id="scripted")

    @property
    def client_args(self) -> dict[str, Any]:
        """Words for the next client, with a connection of its own."""
        return client_words(self._world)

    @client_args.setter
    def client_args(self, value: object) -> None:
        """They are always the same."""


class Strands:
    """One `strands.Agent`."""

    name = "strands"
    version = version("strands-agents")
    contract = _CONTRACT
    seam = "wire:openai-chat"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.API, CancelWay.API_AFTER_TURN} if _CANCELS else ())

    def __init__(self, world: World) -> None:
        self._world = world
        self._stopped = ""
        self._agent = strands.Agent(
            model=_model(world),
            tools=[_tool(spec) for spec in world.tools()],
            callback_handler=None,
        )
        self._limits: dict[str, int] = {}

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the system prompt and the limit of turns; no more is its own in these words."""
        if "system" in settings:
            self._agent.system_prompt = str(settings["system"])
        if isinstance(limit := settings.get("turn_limit"), int):
            self._limits["turns"] = limit
        return set(settings) - {"system", "turn_limit"}

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """Give the events of one run, or, without `stream`, something to await."""
        self._stopped = ""
        words = {"limits": self._limits} if self._limits else {}
        if not stream:
            return self._run_plain(text, words)
        return Watched(self._agent.stream_async(text, **words), self._look)

    async def _run_plain(self, text: str, words: dict[str, Any]) -> None:
        result = await self._agent.invoke_async(text, **words)
        self._stopped = str(result.stop_reason)
        self._world.shown(_text(result.message.get("content", ())))

    def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - it takes no reason
        """Cancel the run in progress: at once, or behind its tools."""
        self._agent.cancel(after_current_tools=way is CancelWay.API_AFTER_TURN)

    def history(self) -> list[trace.Message]:
        """The messages of the agent."""
        return [one for message in self._agent.messages for one in _messages(message)]

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """What the stop reason of its result says."""
        if error is None:
            if self._stopped == "cancelled":
                return trace.Outcome.CANCELLED
            limited = self._stopped.startswith("limit_")
            return trace.Outcome.LIMIT if limited else trace.Outcome.COMPLETED
        cancelled = isinstance(error, asyncio.CancelledError)
        return trace.Outcome.CANCELLED if cancelled else trace.Outcome.FAILED

    def _look(self, event: Any) -> None:
        """Say what `event` shows, and note why a run ended."""
        if "data" in event:
            self._world.shown(str(event["data"]))
        elif event.get("reasoning") and "reasoningText" in event:
            self._world.shown(str(event["reasoningText"]), reasoning=True)
        elif "result" in event:
            self._stopped = str(event["result"].stop_reason)


def make(world: World) -> Strands:
    """Build a fresh agent for one trial."""
    return Strands(world)


def _model(world: World) -> Any:
    if _TAKES_CLIENT:
        return OpenAIModel(client=openai_client(world), model_id="scripted")
    return _OwnClients(world)


def _tool(spec: ToolSpec) -> PythonAgentTool:
    async def call(use: Any, **_: Any) -> Any:
        call_id = use["toolUseId"]
        try:
            text, status = await spec.call(use["input"], call_id=call_id), "success"
        except ToolFailure as failure:
            text, status = str(failure), "error"  # its way to say that a tool failed
        return {"toolUseId": call_id, "status": status, "content": [{"text": text}]}

    schema = {"json": {"type": "object", "properties": {}, **spec.schema}}
    described: Any = {"name": spec.name, "description": spec.name, "inputSchema": schema}
    return PythonAgentTool(spec.name, described, call)


def _text(content: Any) -> str:
    return "".join(part["text"] for part in content if "text" in part)


def _messages(message: Any) -> list[trace.Message]:
    """A message as a model is sent it: each tool result is one of its own."""
    parts = message["content"]
    if message["role"] == "assistant":
        calls = [part["toolUse"] for part in parts if "toolUse" in part]
        made = [
            trace.Call(use["toolUseId"], use["name"], json.dumps(use["input"], ensure_ascii=False))
            for use in calls
        ]
        return [trace.assistant(_text(parts), *made)]
    results = [part["toolResult"] for part in parts if "toolResult" in part]
    found = [
        trace.tool_result(
            one["toolUseId"], _text(one["content"]), is_error=one["status"] == "error"
        )
        for one in results
    ]
    text = _text(parts)
    return [*found, trace.user(text)] if text else found

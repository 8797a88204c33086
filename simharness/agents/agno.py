"""Adapter of agno over the wire: its event stream, its cancel by run id.

The framework runs unpatched, on a client of the OpenAI SDK, with an in-memory database that keeps
the session. The harness consumes `arun`.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.openai import OpenAIChat
from agno.run.agent import RunCancelledEvent, RunContentEvent, RunErrorEvent
from agno.run.base import RunStatus
from agno.run.cancel import set_cancellation_manager
from agno.run.cancellation_management.in_memory_cancellation_manager import (
    InMemoryRunCancellationManager,
)
from agno.tools.function import Function
from agno.utils.log import logger

from simharness import trace
from simharness.agent import CancelWay, Style
from simharness.agents.base import Watched
from simharness.agents.wired import openai_client
from simharness.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agno.models.message import Message

    from simharness.agent import ToolSpec, World

__all__ = ["make"]

_CONTRACT = Contract(
    # Agent.arun: stream=False is the same run without its events
    streaming="both",
    # its events tell of content and of tools that have begun; no pairs are promised
    reports=frozenset(),
)

_SESSION = "1"

for _handler in logger.handlers:  # it logs to the standard output, where reports go
    if isinstance(_handler, logging.StreamHandler):
        _handler.setStream(sys.stderr)


class Agno:
    """One `agno.agent.Agent` and its session."""

    name = "agno"
    version = version("agno")
    contract = _CONTRACT
    seam = "wire:openai-chat"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.API})

    def __init__(self, world: World) -> None:
        self._world = world
        self._runs = 0
        self._status = RunStatus.completed
        # the default one is the process's own and remembers the runs of other trials
        set_cancellation_manager(InMemoryRunCancellationManager())
        self._agent = Agent(
            id="scripted",
            model=OpenAIChat(id="scripted", async_client=openai_client(world)),
            db=InMemoryDb(),
            session_id=_SESSION,
            tools=[_tool(spec) for spec in world.tools()],
            add_history_to_context=True,
            num_history_runs=100,
            telemetry=False,
        )

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the system message; no more is its own in these words."""
        self._agent.system_message = str(settings.get("system", "")) or None
        return set(settings) - {"system"}

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """Give the events of one run, or, without `stream`, something to await."""
        self._runs += 1
        self._status = RunStatus.completed
        words: dict[str, Any] = {"run_id": f"run-{self._runs}", "session_id": _SESSION}
        if not stream:
            return self._run_plain(text, words)
        events: Any = self._agent.arun(text, stream=True, stream_events=True, **words)
        return Watched(events, self._look)

    async def _run_plain(self, text: str, words: dict[str, Any]) -> None:
        result = await self._agent.arun(text, stream=False, **words)
        self._status = result.status
        self._world.shown(str(result.content or ""))

    def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - it takes no reason
        """Cancel the run in progress by its id."""
        self._agent.cancel_run(f"run-{self._runs}")

    def history(self) -> list[trace.Message]:
        """The messages of the session, which is there once a run has been stored."""
        session: Any = self._agent.get_session(_SESSION)
        return [_message(one) for one in session.get_messages()] if session else []

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """What its last event or its result says."""
        if isinstance(error, asyncio.CancelledError) or self._status is RunStatus.cancelled:
            return trace.Outcome.CANCELLED
        failed = error or self._status is RunStatus.error
        return trace.Outcome.FAILED if failed else trace.Outcome.COMPLETED

    def _look(self, event: object) -> None:
        """Say what `event` shows, and note why a run ended."""
        if isinstance(event, RunContentEvent):
            if event.content:
                self._world.shown(str(event.content))
            if event.reasoning_content:
                self._world.shown(event.reasoning_content, reasoning=True)
        elif isinstance(event, RunCancelledEvent):
            self._status = RunStatus.cancelled
        elif isinstance(event, RunErrorEvent):
            self._status = RunStatus.error


def make(world: World) -> Agno:
    """Build a fresh agent for one trial."""
    return Agno(world)


def _tool(spec: ToolSpec) -> Function:
    async def call(fc: Any, **args: object) -> str:
        # what it raises the framework tells the model as the result
        return await spec.call(args, call_id=fc.call_id or "")

    return Function(
        name=spec.name,
        description=spec.name,
        parameters={"type": "object", "properties": {}, **spec.schema},
        entrypoint=call,
        skip_entrypoint_processing=True,
    )


def _message(message: Message) -> trace.Message:
    text = str(message.content or "")
    if message.role == "tool":
        failed = bool(message.tool_call_error)
        return trace.tool_result(message.tool_call_id or "", text, is_error=failed)
    if message.role == "assistant":
        functions = [(call["id"], call["function"]) for call in message.tool_calls or ()]
        calls = [trace.Call(key, one["name"], one["arguments"]) for key, one in functions]
        return trace.assistant(text, *calls)
    return trace.Message("system" if message.role == "system" else "user", (trace.Text(text),))

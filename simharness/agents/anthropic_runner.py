"""Adapter of the tool runner of Anthropic's SDK: `client.beta.messages.tool_runner`.

The SDK runs unpatched, on its asynchronous client over the world's connection. The harness reads
what its users do: the runner's streams, one per request, and the events of each. The next run is
given the messages that the runner has come to, and the new prompt.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from anthropic import AsyncAnthropic
from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool

from simharness import trace
from simharness.agent import CancelWay, Style
from simharness.agents.base import Watched
from simharness.agents.wired import http_client
from simharness.contract import Contract
from simharness.provider.wire.messages import MESSAGES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from simharness.agent import ToolSpec, World

__all__ = ["make"]

_CONTRACT = Contract(
    # it yields the events of its streams and promises no pairs. It also runs without streams
    # (`stream`), which is not compared: a whole message has no word for arguments that do not parse
    reports=frozenset(),
)


class ToolRunner:
    """The runners of one conversation."""

    name = "anthropic"
    version = version("anthropic")
    contract = _CONTRACT
    seam = "wire:anthropic"
    style = Style.ASYNC
    # BaseAsyncToolRunner.close: a loop at work stops at its next step
    cancel_ways = frozenset({CancelWay.API_AFTER_TURN})

    def __init__(self, world: World) -> None:
        self._world = world
        self._messages: list[Any] = []
        self._runner: Any = None
        self._system: dict[str, Any] = {}
        self._calls: dict[str, deque[str]] = defaultdict(deque)  # ids of the turn, by name
        self._client = AsyncAnthropic(
            api_key="scripted", max_retries=0, http_client=http_client(world)
        )

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the system prompt; no more is its own in these words."""
        self._system = {"system": str(settings["system"])} if settings.get("system") else {}
        return set(settings) - {"system"}

    @asynccontextmanager
    async def prompt(self, text: str) -> AsyncIterator[Watched[Any]]:
        """Give the events of one run, and close the runner behind them."""
        runner: Any = self._client.beta.messages.tool_runner(
            max_tokens=1000,
            messages=[*self._so_far(), {"role": "user", "content": text}],
            model="scripted",
            tools=[_Tool(spec, self._calls) for spec in self._world.tools()],
            stream=True,
            thread=False,  # each request has the whole history
            **self._system,
        )
        self._runner = runner
        try:
            yield Watched(_Events(runner), self._look)
        finally:
            await runner.close()  # "Use it when you won't resume the runner"

    def _so_far(self) -> list[Any]:
        """The messages that the last runner has come to, by its only public way to them."""
        if self._runner is not None:
            self._runner.set_messages_params(self._keep)
        return self._messages

    def _keep(self, params: Any) -> Any:
        self._messages = list(params["messages"])
        return params

    async def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - it takes no reason
        """Close the runner in progress."""
        if self._runner is not None:
            await self._runner.close()

    def history(self) -> list[trace.Message]:
        """The messages that the last runner has come to, as they would be sent."""
        sent = json.dumps(self._so_far(), default=lambda part: part.to_dict())
        return list(MESSAGES.read({"messages": json.loads(sent)}).messages)

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """A runner says nothing when it is over, closed or not."""
        if error is None:
            return None
        cancelled = isinstance(error, asyncio.CancelledError)
        return trace.Outcome.CANCELLED if cancelled else trace.Outcome.FAILED

    def _look(self, event: Any) -> None:
        """Say what `event` shows, and note the calls of the turn."""
        if event.type == "message_start":
            self._calls.clear()
        elif event.type == "content_block_stop" and event.content_block.type == "tool_use":
            self._calls[event.content_block.name].append(event.content_block.id)
        elif event.type == "text":
            self._world.shown(event.text)
        elif event.type == "thinking":
            self._world.shown(event.thinking, reasoning=True)


class _Events:
    """The events of all streams of a runner: a loop in a loop, as its users write it."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner
        self._streams = aiter(runner)
        self._events: Any = None

    async def __anext__(self) -> Any:
        while True:
            if self._events is None:
                self._events = aiter(await anext(self._streams))
            try:
                return await anext(self._events)
            except StopAsyncIteration:
                self._events = None

    async def aclose(self) -> None:
        """Close the runner, which is how its loop is left for good."""
        await self._runner.close()


def make(world: World) -> ToolRunner:
    """Build a fresh agent for one trial."""
    return ToolRunner(world)


class _Tool(BetaAsyncBuiltinFunctionTool):
    """A tool of the scenario. It is not told the id of its call; calls of a turn run in order."""

    def __init__(self, spec: ToolSpec, calls: Mapping[str, deque[str]]) -> None:
        self._spec = spec
        self._calls = calls

    def to_dict(self) -> Any:
        """What the model is told."""
        schema = {"type": "object", "properties": {}, **self._spec.schema}
        return {"name": self._spec.name, "description": self._spec.name, "input_schema": schema}

    async def call(self, input: object) -> str:  # noqa: A002 - its name
        """Run the body; what it raises the runner tells the model as the result."""
        return await self._spec.call(input, call_id=self._calls[self._spec.name].popleft())

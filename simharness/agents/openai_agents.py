"""Adapter of openai-agents over the wire: its streamed runner, its two cancels.

The framework runs unpatched on a client of the OpenAI SDK. The harness consumes `stream_events()`,
and goes on after a cancel, as the documentation of `cancel` asks for. The next run is given what
`to_input_list()` of the last one says, and the new prompt.
"""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import agents

from simharness import trace
from simharness.agent import CancelWay, Style, ToolFailure
from simharness.agents.base import Watched
from simharness.agents.wired import openai_client
from simharness.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness.agent import ToolSpec, World

__all__ = ["make"]

agents.set_tracing_disabled(disabled=True)  # it would export traces over the network

_CONTRACT = Contract(
    # docs/streaming and RunResultStreaming.cancel: one result object streams, Runner.run does not
    streaming="both",
    # a failing function tool is answered by default_tool_error_function, and the run goes on
    reports=frozenset(),
)

_SHOWN = {
    "response.output_text.delta": False,
    "response.reasoning_text.delta": True,
    "response.reasoning_summary_text.delta": True,
}
"""The raw events that carry text, and whether it is reasoning."""


class OpenAIAgents:
    """One `agents.Agent` and the results of its runs."""

    name = "openai-agents"
    version = version("openai-agents")
    contract = _CONTRACT
    seam = "wire:openai-chat"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.API, CancelWay.API_AFTER_TURN})

    def __init__(self, world: World) -> None:
        self._world = world
        client = openai_client(world)
        self._agent: agents.Agent[None] = agents.Agent(
            name="simharness",
            model=agents.OpenAIChatCompletionsModel("scripted", client),
            tools=[_tool(spec) for spec in world.tools()],
        )
        self._max_turns = 100
        self._last: agents.RunResultBase | None = None
        self._said: list[Any] = []
        self._called: dict[str, str] = {}  # the names of tools by the ids of their calls
        self._words: dict[str, Any] = {}  # what a run is given beside its input

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set instructions and the limit of turns; no more is its own."""
        self._agent.instructions = str(settings.get("system", "")) or None
        limit = settings.get("turn_limit")
        self._max_turns = limit if isinstance(limit, int) else self._max_turns
        return set(settings) - {"system", "turn_limit"}

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """Give the events of one run, or, without `stream`, something to await."""
        said = self._input(text)
        if not stream:
            return self._run_plain(said)
        result = agents.Runner.run_streamed(
            self._agent, said, max_turns=self._max_turns, **self._words
        )
        self._last = result
        return Watched(result.stream_events(), self._look)

    def _input(self, text: str) -> Any:
        return [*self._history(), {"role": "user", "content": text}]

    async def _run_plain(self, said: Any) -> None:
        self._last, self._said = None, said
        try:
            self._last = await agents.Runner.run(
                self._agent, said, max_turns=self._max_turns, **self._words
            )
        except agents.AgentsException as error:
            if error.run_data is not None:  # what its own errors know of the run; others: nothing
                self._said = [*said, *(item.to_input_item() for item in error.run_data.new_items)]
            raise
        self._world.shown(str(self._last.final_output))

    def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - it takes no reason
        """Cancel the run in progress, at once or after its turn."""
        if isinstance(self._last, agents.RunResultStreaming):
            self._last.cancel("after_turn" if way is CancelWay.API_AFTER_TURN else "immediate")

    def _history(self) -> list[Any]:
        return self._said if self._last is None else self._last.to_input_list()

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """A return is a result, except after a cancel: then it says nothing about the end."""
        if error is None:
            return None
        if isinstance(error, asyncio.CancelledError):
            return trace.Outcome.CANCELLED
        limited = isinstance(error, agents.MaxTurnsExceeded)
        return trace.Outcome.LIMIT if limited else trace.Outcome.FAILED

    def _look(self, event: object) -> None:
        """Say what `event` shows."""
        if isinstance(event, agents.RawResponsesStreamEvent):
            reasoning = _SHOWN.get(event.data.type)
            text = getattr(event.data, "delta", "")
            if reasoning is not None and text:
                self._world.shown(text, reasoning=reasoning)
        elif isinstance(event, agents.RunItemStreamEvent):
            self._report(event.item)

    def _report(self, item: Any) -> None:
        """Report what an item says about a tool."""
        raw = item.raw_item
        if isinstance(item, agents.ToolCallItem):
            self._called[raw.call_id] = raw.name
            self._world.report(trace.ToolExecutionStart(raw.call_id, raw.name, raw.arguments))
        elif isinstance(item, agents.ToolCallOutputItem):
            call_id = str(raw["call_id"])
            end = trace.ToolExecutionEnd(call_id, self._called.get(call_id, ""), str(item.output))
            self._world.report(end)


def make(world: World) -> OpenAIAgents:
    """Build a fresh agent for one trial."""
    return OpenAIAgents(world)


def _tool(spec: ToolSpec) -> agents.FunctionTool:
    async def invoke(context: Any, args: str) -> str:
        try:
            return await spec.call(json.loads(args or "{}"), call_id=context.tool_call_id)
        except (ToolFailure, ValueError) as failure:
            # what its decorator makes of arguments that do not parse, and of a function that raises
            return str(agents.default_tool_error_function(context, failure))

    return agents.FunctionTool(
        name=spec.name,
        description=spec.name,
        params_json_schema={"type": "object", **spec.schema},
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )

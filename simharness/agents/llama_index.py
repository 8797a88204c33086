"""Adapter of llama-index: its `FunctionAgent`, its run handle and event stream.

The framework runs unpatched, on its OpenAI-like model over the world's connection. The harness
consumes `handler.stream_events()` and then awaits the handler, as its documentation does; the
memory is handed from run to run.
"""

from __future__ import annotations

import asyncio
import json
from contextvars import ContextVar
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from llama_index.core.agent.workflow import AgentStream, FunctionAgent, ToolCall, ToolCallResult
from llama_index.core.base.llms.types import ThinkingBlock, ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.core.workflow import Context, step
from llama_index.llms.openai_like import OpenAILike
from workflows.errors import WorkflowCancelledByUser
from workflows.plugins.basic import BasicRuntime

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
    # BasicRuntime.run_workflow: a run goes on when its handler is dropped, so who leaves its events
    # is an onlooker; one whose task is cancelled has to call cancel_run (create-llama's templates)
    disconnect="carries-on",
    # FunctionAgent.streaming: the same run without the stream of the model
    streaming="both",
    # its events are inputs and outputs of steps, not pairs
    reports=frozenset(),
)


class LlamaIndex:
    """One `FunctionAgent` and its memory."""

    name = "llama-index"
    version = version("llama-index-core")
    contract = _CONTRACT
    seam = "wire:openai-chat"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.API})

    def __init__(self, world: World) -> None:
        self._world = world
        self._memory = ChatMemoryBuffer.from_defaults(token_limit=1_000_000)
        # the default one is the process's own and remembers the runs of other trials
        self._runtime = BasicRuntime()
        self._handler: Any = None
        self._system: str | None = None
        self._llm = OpenAILike(
            model="scripted",
            api_base=BASE_URL,
            api_key="scripted",
            context_window=1_000_000,
            is_chat_model=True,
            is_function_calling_model=True,
            max_retries=0,
            async_http_client=http_client(world, "httpx"),
        )

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the system prompt; no more is its own in these words."""
        self._system = str(settings.get("system", "")) or None
        return set(settings) - {"system"}

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """Give the events of one run and then its result, or, without `stream`, that alone."""
        with self._runtime.registering():
            agent = _Agent(
                name="scripted",
                llm=self._llm,
                system_prompt=self._system,
                tools=[_tool(spec) for spec in self._world.tools()],
                streaming=stream,
            )
        self._handler = agent.run(user_msg=text, memory=self._memory)
        return Watched(_Events(self._handler), self._look) if stream else self._run_plain()

    async def _run_plain(self) -> None:
        result = await self._handler
        self._world.shown(str(result.response.content or ""))

    async def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - it takes no reason
        """Cancel the run in progress by its handler."""
        if self._handler is not None:
            await self._handler.cancel_run()

    def history(self) -> list[trace.Message]:
        """The messages of its memory."""
        return [_message(one) for one in self._memory.get_all()]

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """WorkflowCancelledByUser is its own word for a cancel; a return is a result."""
        if error is None:
            return trace.Outcome.COMPLETED
        cancelled = isinstance(error, WorkflowCancelledByUser | asyncio.CancelledError)
        return trace.Outcome.CANCELLED if cancelled else trace.Outcome.FAILED

    def _look(self, event: object) -> None:
        """Say what `event` shows."""
        if isinstance(event, AgentStream):
            if event.thinking_delta:
                self._world.shown(event.thinking_delta, reasoning=True)
            if event.delta:
                self._world.shown(event.delta)


class _Events:
    """The events of a run as its users read them, then its result, which raises what failed."""

    def __init__(self, handler: Any) -> None:
        self._handler = handler
        self._events = handler.stream_events()

    async def __anext__(self) -> object:
        try:
            return await anext(self._events)
        except StopAsyncIteration:
            await self._handler
            raise
        except asyncio.CancelledError:
            await self._handler.cancel_run()  # as its makers' templates do, see _CONTRACT
            raise

    async def aclose(self) -> None:
        """Stop looking on."""
        await self._events.aclose()


def make(world: World) -> LlamaIndex:
    """Build a fresh agent for one trial."""
    return LlamaIndex(world)


_CALL_ID: ContextVar[str] = ContextVar("_CALL_ID", default="")


class _Agent(FunctionAgent):  # type: ignore[misc]
    """An agent whose tools know the ids of their calls, which functions are not told."""

    @step  # type: ignore[untyped-decorator]
    async def call_tool(self, ctx: Context, ev: ToolCall) -> ToolCallResult:
        """Note the id, then do what any agent does."""
        _CALL_ID.set(ev.tool_id)
        return await super().call_tool(ctx, ev)


class _Metadata(ToolMetadata):  # type: ignore[misc]
    """What is said of a tool whose parameters are a JSON schema already."""

    schema: Any = None

    def get_parameters_dict(self) -> Any:
        """The schema."""
        return self.schema


def _tool(spec: ToolSpec) -> FunctionTool:
    async def call(**args: object) -> str:
        # what it raises the framework tells the model as the result
        return await spec.call(args, call_id=_CALL_ID.get())

    metadata = _Metadata(spec.name, spec.name, fn_schema=None)
    metadata.schema = {"type": "object", "properties": {}, **spec.schema}
    return FunctionTool(async_fn=call, metadata=metadata)


def _message(message: ChatMessage) -> trace.Message:
    text = message.content or ""
    role = message.role.value
    if role == "tool":
        return trace.tool_result(str(message.additional_kwargs.get("tool_call_id", "")), text)
    if role == "assistant":
        blocks = tuple(block for one in message.blocks if (block := _block(one)))
        return trace.Message("assistant", blocks)
    return trace.Message("system" if role == "system" else "user", (trace.Text(text),))


def _block(block: Any) -> trace.Block | None:
    if isinstance(block, ToolCallBlock):
        args = block.tool_kwargs
        text = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)
        return trace.Call(block.tool_call_id or "", block.tool_name, text)
    if isinstance(block, ThinkingBlock):
        return trace.Reasoning(block.content or "")
    return trace.Text(block.text) if getattr(block, "text", "") else None

"""Adapter of langchain's `create_agent` on langgraph, over the wire of the OpenAI client.

The framework runs unpatched: a chat model with the world's connection, an in-memory checkpointer,
a thread per agent. The harness consumes `astream`; there is no cancel but leaving it or cancelling
the task. What the thread's state holds is what the framework displays.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from contextvars import ContextVar
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, MessagesState, StateGraph

from simharness import trace
from simharness.agent import CancelWay, Style
from simharness.agents.base import Watched
from simharness.agents.wired import BASE_URL, http_client
from simharness.contract import Contract

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from simharness.agent import ToolSpec, World

__all__ = ["make"]

_CONTRACT = Contract(
    # langchain "Streaming" and "Runtime": `ainvoke` is the same run without its stream
    streaming="both",
    # it reports message chunks and node updates, and promises no pairs
    reports=frozenset(),
)
_THREAD = {"configurable": {"thread_id": "1"}}


class LangGraph:
    """One agent graph and its thread."""

    name = "langgraph"
    version = version("langgraph")
    contract = _CONTRACT
    seam = "wire:openai-chat"
    style = Style.ASYNC
    cancel_ways: frozenset[CancelWay] = frozenset()

    def __init__(self, world: World) -> None:
        self._world = world
        self._saver = InMemorySaver()
        self._config: dict[str, Any] = dict(_THREAD)
        self._graph = self._build("")

    def _build(self, system: str) -> Any:
        return self._agent(system, self._saver)

    def _agent(self, system: str, saver: InMemorySaver | None) -> Any:
        client = http_client(self._world)
        model = ChatOpenAI(
            model="scripted",
            api_key="scripted",
            base_url=BASE_URL,
            http_async_client=client,
            max_retries=0,
            streaming=True,
        )
        return create_agent(
            model,
            [_tool(spec) for spec in self._world.tools()],
            system_prompt=system or None,
            checkpointer=saver,
        )

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the system prompt; no more is its own in these words."""
        self._graph = self._build(str(settings.get("system", "")))
        return set(settings) - {"system"}

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """Give the stream of one run, or, without `stream`, something to await."""
        said = {"messages": [{"role": "user", "content": text}]}
        if not stream:
            return self._run_plain(said)
        modes = ["messages", "updates"]
        return Watched(self._graph.astream(said, self._config, stream_mode=modes), self._look)

    async def _run_plain(self, said: Any) -> None:
        state = await self._graph.ainvoke(said, self._config)
        self._world.shown(str(state["messages"][-1].text))

    def history(self) -> list[trace.Message]:
        """The messages of the thread's state."""
        values = self._graph.get_state(self._config).values
        return [_message(message) for message in values.get("messages", ())]

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """A return is a result; the recursion limit is its limit of steps."""
        if error is None:
            return trace.Outcome.COMPLETED
        if isinstance(error, asyncio.CancelledError):
            return trace.Outcome.CANCELLED
        limited = isinstance(error, GraphRecursionError)
        return trace.Outcome.LIMIT if limited else trace.Outcome.FAILED

    def _look(self, item: Any) -> None:
        """Say what an item of the stream shows: text comes in message chunks."""
        mode, value = item
        if mode == "messages" and isinstance(value[0], AIMessageChunk) and value[0].text:
            self._world.shown(str(value[0].text))


class Nested(LangGraph):
    """The agent as the only node of another graph, read by an event stream that can be aborted."""

    contract = Contract(reports=frozenset())  # nothing is promised of aborts
    cancel_ways = frozenset({CancelWay.API})
    _stream: Any = None

    def _build(self, system: str) -> Any:
        inner = self._agent(system, None)

        async def node(state: Any) -> Any:
            return await inner.ainvoke(state)

        graph = StateGraph(MessagesState)
        graph.add_node("agent", node)
        graph.add_edge(START, "agent")
        graph.add_edge("agent", END)
        return graph.compile(checkpointer=self._saver)

    def prompt(self, text: str, *, stream: bool = True) -> Any:  # noqa: ARG002 - it only streams
        """Give the events of one run, as a context manager: they are opened by awaiting them."""
        return self._run({"messages": [{"role": "user", "content": text}]})

    @asynccontextmanager
    async def _run(self, said: Any) -> AsyncGenerator[Watched[Any]]:
        self._stream = await self._graph.astream_events(said, self._config, version="v3")
        yield Watched(aiter(self._stream), self._look)

    def cancel(self, way: CancelWay, reason: str) -> Any:  # noqa: ARG002 - it takes no reason
        """Abort the event stream."""
        return self._stream.abort() if self._stream is not None else None

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """An aborted stream just ends, so a return says nothing about the run."""
        return None if error is None else super().outcome_of(error)

    def _look(self, item: Any) -> None:
        """Say what an event shows: text comes in blocks of messages."""
        match item:
            case {"method": "messages", "params": {"data": [{"delta": {"text": str(text)}}, *_]}}:
                self._world.shown(text)


def make(world: World) -> LangGraph:
    """Build a fresh agent for one trial."""
    return LangGraph(world)


def make_nested(world: World) -> Nested:
    """Build a fresh agent within another graph."""
    return Nested(world)


class _Tool(StructuredTool):  # type: ignore[misc]
    """A tool that knows the id of its call, which the framework keeps from tools with a schema."""

    async def ainvoke(self, input: Any, config: Any = None, **more: Any) -> Any:  # noqa: A002
        """Note the id, then do what any tool does."""
        _CALL_ID.set(input.get("id") or "" if isinstance(input, dict) else "")
        return await super().ainvoke(input, config, **more)


_CALL_ID: ContextVar[str] = ContextVar("_CALL_ID", default="")


def _tool(spec: ToolSpec) -> StructuredTool:
    async def call(**args: object) -> str:
        return await spec.call(args, call_id=_CALL_ID.get())

    return _Tool.from_function(
        coroutine=call,
        name=spec.name,
        description=spec.name,
        args_schema={"title": spec.name, "type": "object", "properties": {}, **spec.schema},
    )


def _message(message: BaseMessage) -> trace.Message:
    text = str(message.text)
    if isinstance(message, ToolMessage):
        failed = message.status == "error"
        return trace.tool_result(message.tool_call_id, text, is_error=failed)
    if isinstance(message, AIMessage):
        calls = [
            trace.Call(call["id"] or "", call["name"], json.dumps(call["args"], ensure_ascii=False))
            for call in message.tool_calls
        ]
        return trace.assistant(text, *calls)
    said = (trace.Text(text),)
    is_system = message.type == "system"
    return trace.Message("system", said) if is_system else trace.Message("user", said)

"""Adapter of tiny-agent-os (`tinyagent`): its StreamFn seam, its abort(), its event stream.

The framework runs unpatched. This module plays the part of a tinyagent provider (chunks become
`AssistantMessageEvent`s with a growing `partial`) and of its consumer (events become reports).
It repairs nothing: what the framework leaves open stays open in the trace.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import tinyagent as ta
from tinyagent.agent_types import ZERO_USAGE, AgentState, ThinkingContent

from simharness import trace
from simharness.agent import (
    Aborted,
    CallDelta,
    CancelWay,
    Failed,
    Finish,
    ReasoningDelta,
    Request,
    StreamStart,
    Style,
    TextDelta,
    UsageReport,
)
from simharness.agents.base import Watched, heading
from simharness.contract import Contract

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from simharness.agent import Chunk, ModelStream, ToolSpec, World

__all__ = ["make"]

_VERSION = version("tiny-agent-os")

# Only what its documentation promises (docs/ of the 1.2.29 release):
_CONTRACT = Contract(
    # README, Events: run, turn, message and tool execution life cycles
    reports=frozenset({"agent", "turn", "message", "tool"}),
    # api/agent.md: prompt() raises if the agent is already streaming
    second_prompt="reject",
    # api/agent.md: steer() is injected at the next turn boundary, after a tool batch
    steering="next-turn",
    # api/agent_tool_execution.md: every start event comes before any tool begins
    tool_starts="up-front",
    # ARCHITECTURE.md, execution flow: start events, then the before_tool_call controls
    tool_start_event="before-middleware",
    # ARCHITECTURE.md: a turn is one model call and the tools it asked for
    turn_scope="model-call",
    # README: all model interactions stream
    streaming="streaming-only",
)

# Finish reasons as its own provider maps them (observed): what it does not know is a stop.
_STOP_REASONS = {"tool_calls": "tool_calls", "length": "length"}


class _Response:
    """One `StreamResponse`: chunks of the world as provider events."""

    def __init__(self, chunks: ModelStream, model: ta.Model) -> None:
        self._chunks = chunks
        self._started = False
        self._places: dict[tuple[type[Chunk], int], int] = {}  # block -> place in the content
        self._partial = ta.AssistantMessage(
            provider=model.provider, model=model.id, usage=_usage(0, 0), content=[]
        )

    async def result(self) -> ta.AssistantMessage:
        """The message as far as it came; the final one after `done` or `error`."""
        return self._partial

    def __aiter__(self) -> AsyncIterator[ta.AssistantMessageEvent]:
        return self

    async def __anext__(self) -> ta.AssistantMessageEvent:
        while True:
            event = self._event(await anext(self._chunks))
            if event is not None:
                return event

    def _event(self, chunk: Chunk) -> ta.AssistantMessageEvent | None:
        """The provider event of `chunk`; None for what no tinyagent provider passes on."""
        match chunk:
            case StreamStart() if not self._started:  # the protocol knows one start
                self._started = True
                return ta.AssistantMessageEvent(type="start", partial=self._partial)
            case TextDelta(text=text):
                self._put(chunk, ta.TextContent(text=self._old(chunk, "text") + text))
                return self._update("text_delta", text)
            case ReasoningDelta(text=text):
                self._put(chunk, ThinkingContent(thinking=self._old(chunk, "thinking") + text))
                return self._update("thinking_delta", text)
            case CallDelta():
                return self._call(chunk)
            case UsageReport():
                self._change(usage=_usage(chunk.input, chunk.output))
            case Finish(reason="content_filter"):
                return self._error("error", "content_filter")
            case Finish(reason=reason):
                self._change(stop_reason=_STOP_REASONS.get(reason, "stop"))
                return ta.AssistantMessageEvent(type="done", message=self._partial)
            case Aborted(reason=reason):
                return self._error("aborted", reason)
            case Failed(error=error):
                return self._error("error", str(error))
        return None

    def _call(self, chunk: CallDelta) -> ta.AssistantMessageEvent:
        first = (CallDelta, chunk.index) not in self._places
        raw = self._old(chunk, "partial_json") + chunk.args
        call = ta.ToolCallContent(
            id=self._old(chunk, "id") or chunk.id,
            name=self._old(chunk, "name") or chunk.name,
            arguments=ta.parse_streaming_json(raw) or {},
            partial_json=raw,
        )
        self._put(chunk, call)
        return self._update("tool_call_start" if first else "tool_call_delta", chunk.args)

    def _old(self, chunk: Any, field: str) -> str:
        """A text field of the block that `chunk` continues; empty for a new block."""
        place = self._places.get((type(chunk), chunk.index))
        return "" if place is None else getattr(self._partial.content[place], field) or ""

    def _put(self, chunk: Any, block: object) -> None:
        content: list[Any] = list(self._partial.content)
        key = (type(chunk), chunk.index)
        if key in self._places:
            content[self._places[key]] = block
        else:
            self._places[key] = len(content)
            content.append(block)
        self._change(content=content)

    def _change(self, **fields: object) -> None:
        """Replace the partial: each event keeps the message as it was at its time."""
        self._partial = self._partial.model_copy(update=fields)

    def _update(self, kind: Any, delta: str) -> ta.AssistantMessageEvent:
        return ta.AssistantMessageEvent(type=kind, delta=delta, partial=self._partial)

    def _error(self, reason: str, text: str) -> ta.AssistantMessageEvent:
        self._change(stop_reason=reason, error_message=text)
        return ta.AssistantMessageEvent(type="error", reason=reason, error=self._partial)


class TinyAgent:
    """One `tinyagent.Agent` with the world as its provider and its tools."""

    name = "tinyagent"
    version = _VERSION
    contract = _CONTRACT
    seam = "stream"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.API})

    def __init__(self, world: World) -> None:
        self._world = world
        self._turn = 0
        state = AgentState(
            model=ta.Model(provider="simharness", id="scripted"),
            tools=[_tool(spec) for spec in world.tools()],
        )
        self._agent = ta.Agent(ta.AgentOptions(initial_state=state, stream_fn=self._open))

    def prompt(self, text: str) -> AsyncIterator[object]:
        """Iterate over the events of one prompt."""
        events: Any = self._agent.stream(text)
        return Watched(events, self._look)

    def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - abort() takes neither
        """Abort the run in progress."""
        self._agent.abort()

    def steer(self, text: str) -> None:
        """Queue a message for the next turn of the run in progress."""
        self._agent.steer(_user(text))

    def follow_up(self, text: str) -> None:
        """Queue a message for after the run in progress."""
        self._agent.follow_up(_user(text))

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the system prompt; tools run in parallel and no other way."""
        self._agent.set_system_prompt(str(settings.get("system", "")))
        refused = set(settings) - {"system", "tools"}
        return refused | ({"tools"} if settings.get("tools", "parallel") != "parallel" else set())

    def history(self) -> list[trace.Message]:
        """What `state.messages` displays."""
        return [_message(message) for message in self._agent.state.messages]

    async def _open(
        self, model: ta.Model, context: ta.Context, options: ta.SimpleStreamOptions
    ) -> _Response:
        history = filter(_sendable, map(_message, context.messages))
        tools = tuple(tool.name for tool in context.tools or ())
        request = Request(messages=(*heading(context.system_prompt), *history), tools=tools)
        return _Response(self._world.stream(request, signal=options.signal), model)

    def _look(self, event: ta.AgentEvent) -> None:
        """Report `event`, and say what of it was shown."""
        if isinstance(event, ta.AgentStartEvent):
            self._turn = 0
        elif isinstance(event, ta.TurnStartEvent):
            self._turn += 1
        report = _report(event, self._turn)
        if isinstance(report, trace.MessageUpdate) and report.text:
            self._world.shown(report.text, reasoning=report.reasoning)
        self._world.report(report)


def make(world: World) -> TinyAgent:
    """Build a fresh agent for one trial."""
    return TinyAgent(world)


def _user(text: str) -> ta.UserMessage:
    return ta.UserMessage(content=[ta.TextContent(text=text)])


def _tool(spec: ToolSpec) -> ta.AgentTool:
    async def execute(
        call_id: str, args: object, signal: Any, on_update: object
    ) -> ta.AgentToolResult:
        del on_update  # scripted tools tell no progress
        text = await spec.call(args, call_id=call_id, cancelled=signal)
        return ta.AgentToolResult(content=[ta.TextContent(text=text)])

    parameters: Any = dict(spec.schema)
    return ta.AgentTool(name=spec.name, parameters=parameters, execute=execute)


def _report(event: ta.AgentEvent, turn: int) -> trace.Reported:
    """The record of one event, field by field; nothing is added that the event does not say."""
    match event:
        case ta.AgentStartEvent():
            return trace.AgentStart()
        case ta.AgentEndEvent():
            # Its last message's stop reason is the provider's word, not the run's outcome: an
            # abort may end on `aborted` or on `error` (api/agent_loop.md).
            return trace.AgentEnd(messages=tuple(_message(message) for message in event.messages))
        case ta.TurnStartEvent():
            return trace.TurnStart(turn)
        case ta.TurnEndEvent():
            results = tuple(_message(result) for result in event.tool_results)
            return trace.TurnEnd(turn, _message(event.message), results)
        case ta.MessageStartEvent():
            return trace.MessageStart(_message(event.message))
        case ta.MessageUpdateEvent(assistant_message_event=part):
            kind = part.type if part else ""
            visible = part.delta or "" if part and kind in {"text_delta", "thinking_delta"} else ""
            return trace.MessageUpdate(visible, reasoning=kind == "thinking_delta")
        case ta.MessageEndEvent():
            return trace.MessageEnd(_message(event.message))
        case ta.ToolExecutionStartEvent():
            return trace.ToolExecutionStart(
                event.tool_call_id, event.tool_name, json.dumps(event.args)
            )
        case ta.ToolExecutionUpdateEvent(partial_result=partial):
            return trace.ToolExecutionUpdate(
                event.tool_call_id, _text(partial.content if partial else ())
            )
        case ta.ToolExecutionEndEvent(result=result):
            text = _text(result.content if result else ())
            return trace.ToolExecutionEnd(event.tool_call_id, event.tool_name, text, event.is_error)


def _sendable(message: trace.Message) -> bool:
    """Whether its own provider sends a message: it leaves out answers without text and calls."""
    return message.role != "assistant" or bool(message.text or message.calls)


def _message(message: ta.AgentMessage | None) -> trace.Message:
    """One message as a provider would send it on; `interrupted` is its stop reason `aborted`."""
    if isinstance(message, ta.AssistantMessage):
        blocks = tuple(_block(block) for block in message.content if block is not None)
        return trace.Message("assistant", blocks, interrupted=message.stop_reason == "aborted")
    if isinstance(message, ta.ToolResultMessage):
        return trace.Message(
            "tool",
            (trace.Text(_text(message.content)),),
            call_id=message.tool_call_id or "",
            is_error=message.is_error,
        )
    assert isinstance(message, ta.UserMessage), f"tinyagent message of unknown kind: {message!r}"
    return trace.Message("user", (trace.Text(_text(message.content)),))


def _block(block: ta.TextContent | ThinkingContent | ta.ToolCallContent) -> trace.Block:
    if isinstance(block, ta.TextContent):
        return trace.Text(block.text or "")
    if isinstance(block, ThinkingContent):
        return trace.Reasoning(block.thinking or "")
    return trace.Call(block.id or "", block.name or "", json.dumps(block.arguments))


def _text(content: Sequence[object]) -> str:
    return "".join(block.text or "" for block in content if isinstance(block, ta.TextContent))


def _usage(tokens_in: int, tokens_out: int) -> dict[str, Any]:
    total = tokens_in + tokens_out
    return {**ZERO_USAGE, "input": tokens_in, "output": tokens_out, "total_tokens": total}

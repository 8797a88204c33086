"""Adapter of pydantic-ai: its FunctionModel seam, its event handle, its three ways to cancel.

The framework runs unpatched. The stream function of its `FunctionModel` is where a model request of
the world is made; `run_stream_events` is what the harness consumes; the message history that a run
hands back, cancelled or not, is what the next run is given, as its documentation says to do.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing, asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pydantic_ai as pa
from pydantic_ai import messages as pam
from pydantic_ai.models.function import (
    AgentInfo,
    DeltaThinkingPart,
    DeltaToolCall,
    FunctionModel,
)

from simharness import trace
from simharness.agent import (
    Aborted,
    CallDelta,
    CancelWay,
    Failed,
    Finish,
    Malformed,
    ReasoningDelta,
    Request,
    StreamStart,
    Style,
    TextDelta,
    ToolFailure,
)
from simharness.agents.base import Watched, heading
from simharness.contract import Contract

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from pydantic_ai.models import StreamedResponse

    from simharness.agent import Chunk, ToolSpec, World

__all__ = ["make"]

pa.BANNER_ENABLED = False  # its first-run notice on stderr

_VERSION = version("pydantic-ai-slim")

# Release 1 has no cancel of its own, and a tool fails there by what it raises.
_TOKENS = hasattr(pa, "CancellationToken")
_RUN_CANCELLED: Any = getattr(pa, "RunCancelled", asyncio.CancelledError)
_ERRORS: Sequence[str] = getattr(pam, "ERROR_OUTCOMES", ("failed",))
_TOOL_FAILED: Any = getattr(pa, "ToolFailed", None)

# Only what its documentation promises (docstrings of the 2.68 release):
_CONTRACT = Contract(
    # RunCancelled: the partial response of an interrupted stream is preserved
    cut_message="kept",
    # ModelResponse.state: `interrupted` where the response was cut off
    cut_mark="flag",
    # RunCancelled: calls without a result are closed out before a model sees the history
    unstarted_call="answered",
    # RunCancelled: the results of tool calls that finished are preserved
    late_tool_result="real",
    # run_stream_events: leaving the context early cancels and drains the run
    disconnect="stops",
    # run and run_stream_events: the same run, without and with events
    streaming="both",
    # it reports parts and tool calls, but promises no pairs: a cancelled call has no result event
    reports=frozenset(),
)
_CONTRACT_1 = Contract(streaming="both", reports=frozenset())

_Delta = str | dict[int, DeltaToolCall] | dict[int, DeltaThinkingPart]

_FINISH_REASONS: dict[str, pam.FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_call",
    "length": "length",
    "refusal": "content_filter",
    "content_filter": "content_filter",
    "incomplete": "length",  # as its OpenAI models map max_output_tokens
}


class _Model(FunctionModel):
    """A FunctionModel that can say why a response finished, as real models do.

    A plain request is answered with the whole of what a streamed one would have brought.
    """

    response: StreamedResponse

    async def request(self, *args: Any, **kwargs: Any) -> pam.ModelResponse:
        """Read a stream to its end, and give the response it makes."""
        async with self.request_stream(*args, **kwargs) as response:
            async for _ in response:
                pass
            return response.get()

    @asynccontextmanager
    async def request_stream(self, *args: Any, **kwargs: Any) -> AsyncGenerator[StreamedResponse]:
        """Open a stream, and keep the response that its finish reason belongs to."""
        async with super().request_stream(*args, **kwargs) as response:
            self.response = response
            yield response


class PydanticAI:
    """One `pydantic_ai.Agent` with the world as its model and its tools."""

    name = "pydantic-ai"
    version = _VERSION
    contract = _CONTRACT if _TOKENS else _CONTRACT_1
    seam = "stream"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.API, CancelWay.TOKEN} if _TOKENS else ())

    def __init__(self, world: World) -> None:
        self._world = world
        self._model = _Model(stream_function=self._request, model_name="scripted")
        self._agent = self._build()
        self._limits = pa.UsageLimits()
        self._messages: list[pam.ModelMessage] = []
        self._events: pa.AgentRunEvents[str] | None = None
        self._token: Any = None
        self._streaming = True

    def _build(
        self, system: str = "", *, sequential: bool = False, sync: bool = False
    ) -> pa.Agent[None, str]:
        make = _sync_tool if sync else _tool
        tools = [make(spec, sequential=sequential) for spec in self._world.tools()]
        return pa.Agent(self._model, name="simharness", instructions=system or None, tools=tools)

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set instructions, sequential or sync tools and the limit of requests; no more is its own.

        `sync_tools` are plain functions, which the framework runs in worker threads.
        """
        system, limit = str(settings.get("system", "")), settings.get("turn_limit")
        self._agent = self._build(
            system,
            sequential=settings.get("tools") == "sequential",
            sync=settings.get("sync_tools") is True,
        )
        if isinstance(limit, int):
            self._limits = pa.UsageLimits(request_limit=limit)
        return set(settings) - {"system", "sync_tools", "tools", "turn_limit"}

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """Give the events of one run on the messages of the runs before it, as a context manager.

        Without `stream` there are none, only something to await.
        """
        self._events = None
        self._streaming = stream
        self._token = pa.CancellationToken() if _TOKENS else None
        return self._run(text) if stream else self._run_plain(text)

    async def _run_plain(self, text: str) -> None:
        history = self._messages
        with pa.capture_run_messages() as messages:  # its way to what a failed run had come to
            try:
                result = await self._agent.run(text, **self._words())
            except BaseException as error:
                cancelled = _cancelled(error)
                self._keep(history, cancelled.all_messages() if cancelled else messages)
                raise
        self._keep(history, result.all_messages())
        self._world.shown(result.output)

    @asynccontextmanager
    async def _run(self, text: str) -> AsyncGenerator[Watched[object]]:
        history = self._messages
        handle: Any = self._agent.run_stream_events(text, **self._words())
        events = None
        try:
            async with handle if _TOKENS else aclosing(handle) as events:
                self._events = events
                yield Watched(events, self._look)
        except BaseException as error:
            cancelled = _cancelled(error)
            self._keep(history, cancelled.all_messages() if cancelled else _so_far(events))
            raise
        self._keep(history, _so_far(events))

    def _words(self) -> dict[str, Any]:
        """What a run is given beside its prompt."""
        token = {"cancellation_token": self._token} if _TOKENS else {}
        return {"message_history": self._messages, "usage_limits": self._limits} | token

    def _keep(
        self, history: Sequence[pam.ModelMessage], messages: Sequence[pam.ModelMessage]
    ) -> None:
        """Keep what a run on `history` handed back (nothing, if it never started)."""
        if messages and history is self._messages:
            self._messages = list(messages)
        elif messages:  # another run has ended meanwhile; the framework leaves this to its user
            self._messages = [*self._messages, *messages[len(history) :]]

    def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - it takes no reason
        """Cancel the run in progress by its handle or by its token."""
        if way is CancelWay.TOKEN:
            self._token.cancel()
        elif self._events is not None:
            self._events.cancel()

    def history(self) -> list[trace.Message]:
        """The messages that the last run handed back."""
        return _messages(self._messages)

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """RunCancelled is its own word for a cancel; a return is a result."""
        if error is None:
            return trace.Outcome.COMPLETED
        if isinstance(error, asyncio.CancelledError | _RUN_CANCELLED):
            return trace.Outcome.CANCELLED
        limited = isinstance(error, pa.UsageLimitExceeded)
        return trace.Outcome.LIMIT if limited else trace.Outcome.FAILED

    async def _request(
        self, messages: list[pam.ModelMessage], info: AgentInfo
    ) -> AsyncGenerator[_Delta]:
        """Be the model: one request of the world, its chunks as deltas."""
        sent = (*heading(info.instructions), *_messages(messages))
        tools = tuple(tool.name for tool in info.function_tools)
        request = Request(messages=sent, tools=tools, streaming=self._streaming)
        stream = self._world.stream(request)
        yielded = False
        calls: set[int] = set()
        try:
            async for chunk in stream:
                if (delta := _delta(chunk, calls)) is not None:
                    yielded = True
                    yield delta
                if isinstance(chunk, Finish):  # not the end: its own models read on, too
                    self._model.response.finish_reason = _FINISH_REASONS[chunk.reason]
            if not yielded:
                yield {}  # a FunctionModel takes a stream without any item for a mistake in it
        finally:
            await stream.aclose()

    def _look(self, event: object) -> None:
        """Say what `event` shows, and report what it says about tools."""
        match event:
            case pam.PartStartEvent(part=pam.TextPart(content=text)) if text:
                self._world.shown(text)
            case pam.PartDeltaEvent(delta=pam.TextPartDelta(content_delta=text)) if text:
                self._world.shown(text)
            case pam.PartStartEvent(part=pam.ThinkingPart(content=text)) if text:
                self._world.shown(text, reasoning=True)
            case pam.PartDeltaEvent(delta=pam.ThinkingPartDelta(content_delta=str(text))) if text:
                self._world.shown(text, reasoning=True)
            case pam.FunctionToolCallEvent(part=call):
                args = call.args_as_json_str()
                start = trace.ToolExecutionStart(call.tool_call_id, call.tool_name, args)
                self._world.report(start)
            case pam.FunctionToolResultEvent():
                part: Any = getattr(event, "part", None) or getattr(event, "result", None)
                result = _result(part)
                end = trace.ToolExecutionEnd(
                    result.call_id, part.tool_name, result.text, is_error=result.is_error
                )
                self._world.report(end)
            case pa.AgentRunResultEvent(result=done) if not _TOKENS:
                self._messages = done.all_messages()


def make(world: World) -> PydanticAI:
    """Build a fresh agent for one trial."""
    return PydanticAI(world)


def _cancelled(error: BaseException) -> pa.RunCancelled | None:
    """What an exception says of a run that the framework itself has cancelled."""
    return pa.RunCancelled.from_cancellation(error) if _TOKENS else None


def _so_far(events: pa.AgentRunEvents[str] | None) -> Sequence[pam.ModelMessage]:
    try:
        return events.all_messages() if events and _TOKENS else ()
    except pa.UserError:  # the run has not started
        return ()


def _tool(spec: ToolSpec, *, sequential: bool) -> pa.Tool[None]:
    async def call(ctx: pa.RunContext[None], **args: object) -> str:
        try:
            return await spec.call(args, call_id=ctx.tool_call_id or "")
        except ToolFailure as failure:
            raise _failure(failure) from failure

    schema: Any = dict(spec.schema)
    return pa.Tool.from_schema(call, spec.name, None, schema, takes_ctx=True, sequential=sequential)


def _failure(failure: ToolFailure) -> Exception:
    """Its way to tell a model that a tool failed; any other exception ends the run."""
    told: Exception = _TOOL_FAILED(str(failure)) if _TOOL_FAILED else failure
    return told


def _sync_tool(spec: ToolSpec, *, sequential: bool) -> pa.Tool[None]:
    def call(ctx: pa.RunContext[None], **args: object) -> str:
        try:
            return spec.call_sync(args, call_id=ctx.tool_call_id or "")
        except ToolFailure as failure:
            raise _failure(failure) from failure

    schema: Any = dict(spec.schema)
    return pa.Tool.from_schema(call, spec.name, None, schema, takes_ctx=True, sequential=sequential)


def _delta(chunk: Chunk, calls: set[int]) -> _Delta | None:
    """A chunk as a FunctionModel says it; {} opens the response and shows nothing.

    `calls` are those begun so far: the first piece of a call names it, even by an empty name.
    """
    match chunk:
        case StreamStart() | Finish():
            return {}
        case TextDelta(text=text):
            return text
        case ReasoningDelta(text=text, index=index):
            # parts are known by one number each: reasoning counts from -1 down, calls from 0 up
            return {-1 - index: DeltaThinkingPart(content=text)}
        case CallDelta(index=index) if index not in calls:
            calls.add(index)
            return {index: DeltaToolCall(chunk.name, chunk.args, tool_call_id=chunk.id)}
        case CallDelta(index=index):
            return {index: DeltaToolCall(json_args=chunk.args)}
        case Failed(error=error):
            raise pa.ModelAPIError("scripted", str(error)) from error
        case Malformed():  # its own models make this error of it
            raise pa.ModelAPIError("scripted", "Failed to decode response as JSON")
        case Aborted(reason=reason):
            raise pa.ModelAPIError("scripted", f"the provider aborted the stream: {reason}")
    return None


def _messages(messages: Sequence[pam.ModelMessage]) -> list[trace.Message]:
    """Messages as a model is sent them: a request is one message per part."""
    out: list[trace.Message] = []
    for message in messages:
        if isinstance(message, pam.ModelResponse):
            if not message.parts:
                continue  # none of its models sends a response without parts
            blocks = tuple(_block(part) for part in message.parts)
            cut = getattr(message, "state", "complete") in {"interrupted", "incomplete"}
            out.append(trace.Message("assistant", blocks, interrupted=cut))
        else:
            out.extend(_request_message(part) for part in message.parts)
    return out


def _request_message(part: pam.ModelRequestPart) -> trace.Message:
    match part:
        case pam.SystemPromptPart(content=text):
            return trace.Message("system", (trace.Text(text),))
        case pam.UserPromptPart(content=content):
            text = content if isinstance(content, str) else "".join(map(str, content))
            return trace.user(text)
        case pam.ToolReturnPart():
            return _result(part)
    if hasattr(part, "model_response"):  # what is to be tried again: of a tool, or in general
        of_tool = getattr(part, "tool_name", None)
        return _result(part) if of_tool else trace.user(part.model_response())
    raise AssertionError(f"pydantic-ai request part of unknown kind: {part!r}")


def _result(part: Any) -> trace.Message:
    """A result as a model is sent it; outcomes that are no error are ordinary results to it."""
    returned = isinstance(part, pam.ToolReturnPart)
    text = part.model_response_str() if returned else part.model_response()
    failed = getattr(part, "outcome", "success") in _ERRORS if returned else True
    return trace.tool_result(part.tool_call_id, text, is_error=failed)


def _block(part: pam.ModelResponsePart) -> trace.Block:
    match part:
        case pam.TextPart(content=text):
            return trace.Text(text)
        case pam.ThinkingPart(content=text):
            return trace.Reasoning(text)
        case pam.ToolCallPart():
            return trace.Call(part.tool_call_id, part.tool_name, part.args_as_json_str())
    return trace.Opaque(part.part_kind)

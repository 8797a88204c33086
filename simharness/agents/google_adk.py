"""Adapter of google-adk: a model of our own behind its `BaseLlm`, its runner, its abort signal.

The framework runs unpatched. This module plays the part of the Gemini client: chunks become
responses of the Gemini API, and the framework's own aggregator makes of them what it makes of a
real stream. A call arrives whole, as it does on that API. The harness consumes `run_async`.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from contextlib import aclosing
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events import Event
from google.adk.models import BaseLlm, LlmResponse
from google.adk.models._capabilities import LlmCapabilities
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import BaseTool
from google.adk.utils.streaming_utils import StreamingResponseAggregator
from google.genai import types
from pydantic import PrivateAttr

from simharness import trace
from simharness.agent import (
    Aborted,
    CallDelta,
    CancelWay,
    Failed,
    Finish,
    ProviderError,
    ReasoningDelta,
    Request,
    Style,
    TextDelta,
    ToolFailure,
)
from simharness.agents.base import Watched, heading
from simharness.contract import Contract

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from google.adk.models import LlmRequest

    from simharness.agent import Chunk, ToolSpec, World

__all__ = [
    "PLACE",
    "Event",
    "GoogleADK",
    "InMemorySessionService",
    "LlmResponse",
    "make",
    "messages",
    "types",
]

_CONTRACT = Contract(
    # LlmResponse.partial: nothing may persist an event based on a fragment
    cut_message="removed",
    # RunConfig.streaming_mode: NONE is the same run without fragments
    streaming="both",
    # events are content, not pairs
    reports=frozenset(),
)

PLACE = {"app_name": "simharness", "user_id": "user", "session_id": "1"}
"""Where the session is."""

# Early releases know no abort signal.
_SIGNALS = "abort_signal" in inspect.signature(Runner.run_async).parameters

_FINISH_REASONS = {
    "stop": types.FinishReason.STOP,
    "tool_calls": types.FinishReason.STOP,  # the API has no reason of its own for calls
    "length": types.FinishReason.MAX_TOKENS,
    "refusal": types.FinishReason.PROHIBITED_CONTENT,
    "content_filter": types.FinishReason.SAFETY,
}


class GoogleADK:
    """One `LlmAgent`, its runner and its session."""

    name = "google-adk"
    version = version("google-adk")
    contract = _CONTRACT
    seam = "stream"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.TOKEN} if _SIGNALS else ())

    def __init__(self, world: World) -> None:
        self._world = world
        self._signal = asyncio.Event()
        self._sessions = self._service()
        self._error = ""
        self._limits: dict[str, int] = {}
        tools: list[Any] = [_Tool(spec) for spec in world.tools()]
        self._agent = LlmAgent(name="scripted", model=_Model(world), tools=tools)
        self._runner = Runner(
            app_name=PLACE["app_name"],
            agent=self._agent,
            session_service=self._sessions,
            auto_create_session=True,
        )

    def _service(self) -> Any:
        return InMemorySessionService()

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the instruction and the limit of model calls; no more is its own in these words."""
        self._agent.instruction = str(settings.get("system", ""))
        if isinstance(limit := settings.get("turn_limit"), int):
            self._limits["max_llm_calls"] = limit
        return set(settings) - {"system", "turn_limit"}

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """Give the events of one run, or, without `stream`, something to await."""
        self._signal = asyncio.Event()
        self._error = ""
        mode = StreamingMode.SSE if stream else StreamingMode.NONE
        events = self._runner.run_async(
            user_id=PLACE["user_id"],
            session_id=PLACE["session_id"],
            new_message=types.UserContent(text),
            run_config=RunConfig(streaming_mode=mode, **self._limits),
            **({"abort_signal": self._signal} if _SIGNALS else {}),
        )
        return Watched(events, self._look) if stream else self._run_plain(events)

    async def _run_plain(self, events: AsyncGenerator[Event, None]) -> None:
        text = ""
        async with aclosing(events):
            async for event in events:
                self._error = event.error_code or ""
                text = _text(event.content.parts) if event.content else text
        self._world.shown(text)

    def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - it takes no reason
        """Set the abort signal that the run in progress was given."""
        self._signal.set()

    def history(self) -> list[trace.Message]:
        """The contents of the session's events."""
        held = self._sessions.get_session_sync(**PLACE)
        contents = [event.content for event in held.events] if held else []
        return [one for content in contents if content for one in messages(content)]

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """What the error code of its last event says."""
        if isinstance(error, asyncio.CancelledError) or self._error == "INVOCATION_ABORTED":
            return trace.Outcome.CANCELLED
        if isinstance(error, LlmCallsLimitExceededError) or self._error == "MAX_TOKENS":
            return trace.Outcome.LIMIT
        return trace.Outcome.FAILED if error or self._error else trace.Outcome.COMPLETED

    def _look(self, event: Event) -> None:
        """Say what `event` shows: fragments do, the whole behind them repeats them."""
        self._error = event.error_code or ""
        parts = event.content.parts if event.content and event.partial else None
        for part in parts or ():
            if part.text:
                self._world.shown(part.text, reasoning=bool(part.thought))


def make(world: World) -> GoogleADK:
    """Build a fresh agent for one trial."""
    return GoogleADK(world)


class _Model(BaseLlm):  # type: ignore[misc]
    """The scripts as a model."""

    _world: World = PrivateAttr()

    def __init__(self, world: World) -> None:
        super().__init__(model="scripted")
        self._world = world

    @property
    def capabilities(self) -> LlmCapabilities:
        """No more than calls and text."""
        return LlmCapabilities(output_schema_and_tools=False)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer one request, as the framework's own Gemini model does."""
        responses = _responses(self._world, llm_request, streaming=stream)
        if not stream:
            yield LlmResponse.create(_joined([one async for one in responses]))
            return
        aggregator = StreamingResponseAggregator()
        async with aclosing(responses):
            async for response in responses:
                async for fragment in aggregator.process_response(response):
                    yield fragment
        if whole := aggregator.close():
            yield whole


async def _responses(
    world: World, asked: LlmRequest, *, streaming: bool
) -> AsyncGenerator[types.GenerateContentResponse, None]:
    """One request of the world, its chunks as the Gemini API sends them."""
    sent = tuple(one for content in asked.contents for one in messages(content))
    system = heading(str(asked.config.system_instruction or ""))
    request = Request((*system, *sent), tuple(asked.tools_dict), streaming)
    chunks = world.stream(request)
    calls: dict[int, CallDelta] = {}
    try:
        async for chunk in chunks:
            if (response := _response(chunk, calls)) is not None:
                yield response
            if isinstance(chunk, Finish):
                return
    finally:
        await chunks.aclose()


def _response(chunk: Chunk, calls: dict[int, CallDelta]) -> types.GenerateContentResponse | None:
    """A chunk as a response; `calls` collects the pieces of calls until the finish."""
    match chunk:
        case TextDelta(text=text):
            return _candidate([types.Part(text=text)])
        case ReasoningDelta(text=text):
            return _candidate([types.Part(text=text, thought=True)])
        case CallDelta(index=index):
            old = calls.get(index, chunk)
            args = old.args + chunk.args if index in calls else chunk.args
            calls[index] = CallDelta(index, old.id, old.name, args)
        case Finish(reason=reason):
            return _finished(calls, _FINISH_REASONS.get(reason, types.FinishReason.OTHER))
        case Failed(error=error):
            raise error
        case Aborted(reason=reason):
            raise ProviderError(f"the provider aborted the stream: {reason}")
    return None


def _finished(
    calls: dict[int, CallDelta], reason: types.FinishReason
) -> types.GenerateContentResponse:
    try:
        return _candidate([_call(call) for _, call in sorted(calls.items())], reason)
    except ValueError:  # the API does not send what is no JSON object; this is its word for it
        return _candidate([], types.FinishReason.MALFORMED_FUNCTION_CALL)


def _call(call: CallDelta) -> types.Part:
    args = json.loads(call.args or "{}")
    if not isinstance(args, dict):
        raise ValueError("arguments are an object")  # noqa: TRY004 - as a decoder says it
    made = types.FunctionCall(id=call.id or None, name=call.name, args=args)
    return types.Part(function_call=made)


def _candidate(
    parts: list[types.Part], reason: types.FinishReason | None = None
) -> types.GenerateContentResponse:
    content = types.Content(role="model", parts=parts)
    candidate = types.Candidate(content=content, finish_reason=reason)
    return types.GenerateContentResponse(candidates=[candidate])


def _joined(responses: Sequence[types.GenerateContentResponse]) -> types.GenerateContentResponse:
    """The responses of a stream as the one of a plain request: texts of a kind are one part."""
    parts: list[types.Part] = []
    for response in responses:
        for part in response.candidates[0].content.parts:
            last = parts[-1] if parts else None
            if last and last.text and part.text and last.thought == part.thought:
                parts[-1] = types.Part(text=last.text + part.text, thought=part.thought)
            else:
                parts.append(part)
    reason = responses[-1].candidates[0].finish_reason if responses else None
    return _candidate(parts, reason)


class _Tool(BaseTool):  # type: ignore[misc]
    """A tool of the scenario."""

    def __init__(self, spec: ToolSpec) -> None:
        super().__init__(name=spec.name, description=spec.name)
        self._spec = spec

    def _get_declaration(self) -> types.FunctionDeclaration:
        schema = {"type": "object", "properties": {}, **self._spec.schema}
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        """Run the body; its failure is told in a dictionary, as the documentation advises."""
        try:
            return {"result": await self._spec.call(args, call_id=tool_context.function_call_id)}
        except ToolFailure as failure:
            return {"error": str(failure)}


def _text(parts: Sequence[types.Part] | None) -> str:
    return "".join(part.text or "" for part in parts or () if not part.thought)


def messages(content: types.Content) -> list[trace.Message]:
    """A content as messages: each function response is one of its own."""
    parts = content.parts or []
    if content.role == "model":
        return [trace.Message("assistant", tuple(map(_block, parts)))]
    results = [part.function_response for part in parts if part.function_response]
    found = [_result(result) for result in results]
    text = _text(parts)
    return [*found, trace.user(text)] if text or not found else found


def _block(part: types.Part) -> trace.Block:
    if part.function_call:
        call = part.function_call
        args = json.dumps(call.args or {}, ensure_ascii=False)
        return trace.Call(call.id or "", call.name or "", args)
    text = part.text or ""
    return trace.Reasoning(text) if part.thought else trace.Text(text)


def _result(result: types.FunctionResponse) -> trace.Message:
    said = result.response or {}
    failed = "error" in said
    text = str(said["error"] if failed else said.get("result", ""))
    return trace.tool_result(result.id or "", text, is_error=failed)

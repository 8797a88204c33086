"""openai-agents: a provider error loses the finished turns of `Runner.run`, not of a streamed run.

A tool has run, then the second request fails with a 500. After `run_streamed` the result still
gives the call and its output; after `run` there is no result, and the exception has no `run_data`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import httpx2
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI, InternalServerError

set_tracing_disabled(disabled=True)
CALL = {
    "index": 0,
    "id": "c1",
    "type": "function",
    "function": {"name": "search", "arguments": "{}"},
}
HEAD = {"id": "1", "created": 0, "model": "m"}


def called(*, stream: bool) -> httpx2.Response:
    """The answer that asks for the tool, streamed or whole."""
    said = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    choice: dict[str, Any] = {"index": 0, "finish_reason": "tool_calls"}
    if not stream:
        whole = {**HEAD, "object": "chat.completion", "choices": [choice | {"message": said}]}
        return httpx2.Response(200, json=whole)
    chunk = {**HEAD, "object": "chat.completion.chunk", "choices": [choice | {"delta": said}]}
    text = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=text)


@function_tool
async def search() -> str:
    return "3 hits"


def failing_agent() -> Agent[None]:
    """An agent whose first request asks for the tool, and whose second one fails."""
    requests: list[object] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        stream = bool(json.loads(request.content).get("stream"))
        return called(stream=stream) if 1 == len(requests) else httpx2.Response(500, json={})

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    client = AsyncOpenAI(api_key="k", http_client=http, max_retries=0)
    return Agent(name="a", model=OpenAIChatCompletionsModel("m", client), tools=[search])


async def main() -> None:
    result = Runner.run_streamed(failing_agent(), "hi")
    with contextlib.suppress(InternalServerError):
        async for _ in result.stream_events():
            pass
    outputs = [item.get("output") for item in result.to_input_list()]
    assert "3 hits" in outputs, outputs
    plain = asyncio.create_task(Runner.run(failing_agent(), "hi"))
    await asyncio.wait([plain])
    error = plain.exception()
    assert isinstance(error, InternalServerError)
    assert getattr(error, "run_data", None) is None
    print("streamed: the tool's output is still there; plain: it is lost with the exception")


asyncio.run(main())

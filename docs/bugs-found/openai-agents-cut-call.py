"""openai-agents: a tool call that was cut in the middle of its arguments counts as a whole one.

Once the connection of an OpenAI-compatible endpoint ends inside the arguments, without a finish
reason; once OpenAI itself ends there for the token limit. Either way the tool is given what there
is of the arguments, and the next request sends a call that no provider can parse.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(disabled=True)
CUT = '{"q"'


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"


CALL = {
    "index": 0,
    "id": "c1",
    "type": "function",
    "function": {"name": "search", "arguments": CUT},
}
CALLED = chunk({"tool_calls": [CALL]})
BY_CLOSE = CALLED
BY_LENGTH = CALLED + chunk({}, "length") + "data: [DONE]\n\n"
ANSWER = chunk({"content": "ok"}) + chunk({}, "stop") + "data: [DONE]\n\n"


@function_tool
async def search(q: str = "") -> str:
    return "3 hits"


async def second_request(first: str, base_url: str) -> list[dict[str, Any]]:
    """The messages of the request that follows the cut one."""
    answers = [first, ANSWER]
    sent: list[list[dict[str, Any]]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content)["messages"])
        return httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, text=answers.pop(0)
        )

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    client = AsyncOpenAI(api_key="k", base_url=base_url, http_client=http, max_retries=0)
    agent = Agent(name="a", model=OpenAIChatCompletionsModel("m", client), tools=[search])
    result = Runner.run_streamed(agent, "hi")
    async for _ in result.stream_events():
        pass
    assert "ok" == result.final_output
    return sent[1]


async def main() -> None:
    elsewhere, official = "http://scripted.invalid/v1", "https://api.openai.com/v1"
    for how, first, url in (("close", BY_CLOSE, elsewhere), ("length", BY_LENGTH, official)):
        messages = await second_request(first, url)
        assert ["user", "assistant", "tool"] == [message["role"] for message in messages]
        assert CUT == messages[1]["tool_calls"][0]["function"]["arguments"]
        print(f"{how}: the run goes on, and sends a call with the arguments {CUT}")


asyncio.run(main())

"""agno: what a broken answer leaves goes back to the model as it is.

An answer without any content is sent as an assistant message with neither content nor calls, and a
call whose arguments broke off is sent with arguments that are no JSON. Providers reject both.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.openai import OpenAIChat
from agno.tools import tool
from openai import AsyncOpenAI


def answer(*deltas: dict[str, Any], finish: str | None) -> bytes:
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    if finish:
        choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    lines = [f"data: {json.dumps({**head, 'choices': [choice]})}\n\n" for choice in choices]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


async def requests(first: bytes, prompts: int) -> list[Any]:
    """The messages of each request of so many runs; the first of all answers is `first`."""
    sent: list[Any] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content)["messages"])
        body = first if len(sent) == 1 else answer({"content": "ok"}, finish="stop")
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)

    client = AsyncOpenAI(
        api_key="k",
        base_url="http://scripted.invalid/v1",
        http_client=httpx2.AsyncClient(transport=httpx2.MockTransport(respond)),
    )

    @tool
    async def search(q: str) -> str:
        return "3 hits"

    agent = Agent(
        model=OpenAIChat(id="m", async_client=client),
        db=InMemoryDb(),
        session_id="1",
        tools=[search],
        add_history_to_context=True,
        telemetry=False,
    )
    for _ in range(prompts):
        async for _ in agent.arun("hi", stream=True):
            pass
    return sent


async def main() -> None:
    _, second = await requests(answer(finish="stop"), prompts=2)
    empty = next(one for one in second if one["role"] == "assistant")
    assert not any(empty.get(key) for key in ("content", "tool_calls")), empty
    print("sent after an empty answer:", empty)
    call = {"index": 0, "id": "c1", "type": "function"}
    call["function"] = {"name": "search", "arguments": '{"q": "a lo'}
    _, second = await requests(answer({"tool_calls": [call]}, finish=None), prompts=1)
    sent = next(one for one in second if one["role"] == "assistant")["tool_calls"][0]
    try:
        json.loads(sent["function"]["arguments"])
    except ValueError:
        print("sent after a call that broke off:", sent)
    else:
        raise AssertionError(sent)


asyncio.run(main())

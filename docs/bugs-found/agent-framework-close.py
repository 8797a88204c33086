"""agent-framework: leaving a stream while a tool is called breaks the session.

Closing the stream stores what came so far, so the session ends with a call that has no result. The
next run sends it, which providers reject; and so does every run after that.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
from agent_framework import Agent, AgentSession, tool
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI


@tool(approval_mode="never_require")
async def search(q: str) -> str:
    """Search."""
    await asyncio.sleep(60)
    return "3 hits"


def answer(delta: dict[str, Any], finish: str) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\ndata: [DONE]\n\n".encode()


async def main() -> None:
    function = {"name": "search", "arguments": '{"q": "x"}'}
    call = {"index": 0, "id": "c1", "type": "function", "function": function}
    answers = [answer({"tool_calls": [call]}, "tool_calls"), answer({"content": "ok"}, "stop")]
    sent: list[Any] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content)["messages"])
        body = answers[len(sent) - 1]
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)

    openai = AsyncOpenAI(
        api_key="k",
        base_url="http://scripted.invalid/v1",
        http_client=httpx2.AsyncClient(transport=httpx2.MockTransport(respond)),
    )
    agent = Agent(OpenAIChatCompletionClient("m", async_client=openai), tools=[search])
    session = AgentSession()
    async with agent.run("Look it up", stream=True, session=session) as updates:
        async for _ in updates:
            break  # the user has seen enough
    async with agent.run("Never mind", stream=True, session=session) as updates:
        async for _ in updates:
            pass
    roles = [message["role"] for message in sent[1]]
    assert ["user", "assistant", "user"] == roles, roles
    assert sent[1][1]["tool_calls"], sent[1]
    print("sent after the stream was left:", *sent[1], sep="\n  ")


asyncio.run(main())

"""agent-framework: a tool is run although the arguments of its call broke off.

What is no JSON object is passed to the tool as `{"raw": ...}`. A tool whose parameters are all
optional ignores that and runs with its defaults; the broken text goes back to the model as the
arguments of the call.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI

deleted: list[str] = []


@tool(approval_mode="never_require")
async def delete(folder: str = "everything") -> str:
    """Delete a folder."""
    deleted.append(folder)
    return "done"


def answer(delta: dict[str, Any], finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()


async def main() -> None:
    call = {"index": 0, "id": "c1", "type": "function"}
    call["function"] = {"name": "delete", "arguments": '{"folder": "/tmp/scr'}
    answers = [answer({"tool_calls": [call]}, None), answer({"content": "ok"}, "stop")]
    sent: list[Any] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content)["messages"])
        body = answers[len(sent) - 1]  # the first one just ends: no finish reason, no [DONE]
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)

    openai = AsyncOpenAI(
        api_key="k",
        base_url="http://scripted.invalid/v1",
        http_client=httpx2.AsyncClient(transport=httpx2.MockTransport(respond)),
    )
    agent = Agent(OpenAIChatCompletionClient("m", async_client=openai), tools=[delete])
    async with agent.run("Tidy up", stream=True) as updates:
        async for _ in updates:
            pass
    assert ["everything"] == deleted, deleted
    print("asked for:", call["function"]["arguments"], "deleted:", deleted)
    again = sent[1][1]["tool_calls"][0]["function"]["arguments"]
    try:
        json.loads(again)
    except ValueError:
        print("sent back as arguments:", again)
    else:
        raise AssertionError(again)


asyncio.run(main())

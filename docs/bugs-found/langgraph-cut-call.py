"""langchain: a stream that ends inside the arguments of a call runs the tool with what there was.

The connection ends after `{"path": "/home/us`, without a finish reason. The chunks are parsed as
partial JSON, so the call is valid and `invalid_tool_calls` stays empty: the tool gets "/home/us".
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"


CUT = {"name": "remove", "arguments": '{"path": "/home/us'}
CALLED = chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": CUT}]})
ANSWER = chunk({"content": "ok"}) + chunk({}, "stop") + "data: [DONE]\n\n"


async def main() -> None:
    answers = [CALLED, ANSWER]
    given: list[str] = []

    @tool
    async def remove(path: str) -> str:
        """Remove a file."""
        given.append(path)
        return "removed"

    transport = httpx2.MockTransport(
        lambda _: httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, text=answers.pop(0)
        )
    )
    http = httpx2.AsyncClient(transport=transport)
    model = ChatOpenAI(model="m", api_key="k", http_async_client=http, streaming=True)
    agent = create_agent(model, [remove])
    state = await agent.ainvoke({"messages": [{"role": "user", "content": "hi"}]})
    assert "ok" == state["messages"][-1].text
    assert ["/home/us"] == given
    print("the tool ran with the path /home/us")


asyncio.run(main())

"""langgraph: a run that is cancelled while its tool runs leaves the thread with an unanswered call.

The next run on the thread sends the call, no result, and the new message: providers refuse that,
now and for every later message of the thread.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

THREAD = {"configurable": {"thread_id": "1"}}


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"


WHOLE = {"name": "search", "arguments": "{}"}
CALLED = chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": WHOLE}]})
FIRST = CALLED + chunk({}, "tool_calls") + "data: [DONE]\n\n"
ANSWER = chunk({"content": "ok"}) + chunk({}, "stop") + "data: [DONE]\n\n"


async def main() -> None:
    answers = [FIRST, ANSWER]
    sent: list[list[dict[str, Any]]] = []
    running = asyncio.Event()

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content)["messages"])
        return httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, text=answers.pop(0)
        )

    @tool
    async def search() -> str:
        """Search."""
        running.set()
        await asyncio.sleep(60)
        return "never"

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    model = ChatOpenAI(model="m", api_key="k", http_async_client=http, streaming=True)
    agent = create_agent(model, [search], checkpointer=InMemorySaver())

    async def say(text: str) -> None:
        await agent.ainvoke({"messages": [{"role": "user", "content": text}]}, THREAD)

    run = asyncio.create_task(say("hi"))
    await running.wait()
    run.cancel()
    await asyncio.wait([run])
    await say("again")
    assert ["user", "assistant", "user"] == [message["role"] for message in sent[1]]
    assert "c1" == sent[1][1]["tool_calls"][0]["id"]
    print("the next request holds the call c1 and no result")


asyncio.run(main())

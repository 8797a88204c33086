"""langchain: a response that ends before its first token is kept as an empty answer and sent again.

The connection ends with nothing but its first chunk. The run succeeds, and every later request of
the thread holds an assistant message without content, which some providers refuse.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

THREAD = {"configurable": {"thread_id": "1"}}


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"


ANSWER = chunk({"content": "ok"}) + chunk({}, "stop") + "data: [DONE]\n\n"


async def main() -> None:
    answers = [chunk({"role": "assistant", "content": ""}), ANSWER]
    sent: list[list[dict[str, Any]]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content)["messages"])
        return httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, text=answers.pop(0)
        )

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    model = ChatOpenAI(model="m", api_key="k", http_async_client=http, streaming=True)
    agent = create_agent(model, [], checkpointer=InMemorySaver())
    for text in ("hi", "again"):
        await agent.ainvoke({"messages": [{"role": "user", "content": text}]}, THREAD)
    assert ["user", "assistant", "user"] == [message["role"] for message in sent[1]]
    assert not sent[1][1]["content"]
    print("the next request holds an empty assistant message")


asyncio.run(main())

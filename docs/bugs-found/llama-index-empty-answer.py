"""llama-index: an answer without content is kept, once as a message of the user.

A stream that opens and then ends leaves an assistant message with empty content in the memory. One
that says only that it finished leaves an empty message of the *user*: `ChatMessage()`, which the
agent begins with, has that role. Both are in every later request. A plain request keeps an
assistant message.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.llms.openai_like import OpenAILike

HEAD = {"id": "1", "created": 0, "model": "m"}


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return (
        f"data: {json.dumps({**HEAD, 'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n"
    )


OPENED = chunk({"role": "assistant", "content": ""})
FINISHED = chunk({}, "stop") + "data: [DONE]\n\n"
ANSWER = chunk({"content": "ok"}) + FINISHED


async def next_request(first: str, *, stream: bool = True) -> list[dict[str, Any]]:
    """What the second run of a memory sends."""
    answers = [first, ANSWER]
    posted: list[list[dict[str, Any]]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        posted.append(json.loads(request.content)["messages"])
        if not stream:
            said = {"role": "assistant", "content": None}
            choice = {"index": 0, "message": said, "finish_reason": "stop"}
            whole = {**HEAD, "object": "chat.completion", "choices": [choice]}
            return httpx.Response(200, json=whole)
        return httpx.Response(
            200, headers={"content-type": "text/event-stream"}, text=answers.pop(0)
        )

    llm = OpenAILike(
        model="m",
        api_base="http://scripted.invalid/v1",
        api_key="k",
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
        async_http_client=httpx.AsyncClient(transport=httpx.MockTransport(answer)),
    )
    memory = ChatMemoryBuffer.from_defaults(llm=llm)
    agent = FunctionAgent(llm=llm, streaming=stream)
    await agent.run(user_msg="hi", memory=memory)
    await agent.run(user_msg="again", memory=memory)
    return posted[1]


def outline(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"] or "") for message in messages]


async def main() -> None:
    found = outline(await next_request(OPENED))
    assert [("user", "hi"), ("assistant", ""), ("user", "again")] == found, found
    print("an answer that opened and ended is an empty assistant message of the next request")
    found = outline(await next_request(FINISHED))
    assert [("user", "hi"), ("user", ""), ("user", "again")] == found, found
    plain = outline(await next_request("", stream=False))
    assert [("user", "hi"), ("assistant", ""), ("user", "again")] == plain, plain
    print("one that only finished is an empty message of the user; a plain one of the assistant")


asyncio.run(main())

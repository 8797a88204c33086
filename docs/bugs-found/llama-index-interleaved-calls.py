"""llama-index: pieces of two calls that come in turn become calls without an id or a name.

OpenAI's chunks name the call that a piece belongs to by its index. `update_tool_calls` compares the
index with that of the last call only, and takes every other piece for a call of its own. The
agent runs what is left of the first ones and sends the rest back: calls without a name, arguments
that do not parse.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"


def begin(index: int, key: str, name: str, args: str) -> str:
    function = {"name": name, "arguments": args}
    call = {"index": index, "id": key, "type": "function", "function": function}
    return chunk({"tool_calls": [call]})


def piece(index: int, args: str) -> str:
    return chunk({"tool_calls": [{"index": index, "function": {"arguments": args}}]})


CALLED = "".join(
    [
        begin(0, "c1", "search", '{"q": '),
        begin(1, "c2", "fetch", '{"u": '),
        piece(0, '"x"}'),
        piece(1, '"y"}'),
        chunk({}, "tool_calls"),
        "data: [DONE]\n\n",
    ]
)
ANSWER = chunk({"content": "ok"}) + chunk({}, "stop") + "data: [DONE]\n\n"


async def main() -> None:
    answers = [CALLED, ANSWER]
    posted: list[Any] = []
    given: list[object] = []

    async def search(q: str | None = None) -> str:
        """Search."""
        given.append(q)
        return "3 hits"

    async def fetch(u: str | None = None) -> str:
        """Fetch."""
        given.append(u)
        return "page"

    def answer(request: httpx.Request) -> httpx.Response:
        posted.append(json.loads(request.content)["messages"])
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
    await FunctionAgent(tools=[search, fetch], llm=llm).run(user_msg="hi")
    calls = posted[1][1]["tool_calls"]
    sent = [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in calls]
    print("the tools were given", given, "and the next request holds", sent)
    assert {"x", "y"} != set(given)
    assert [("c1", "search", '{"q": "x"}'), ("c2", "fetch", '{"u": "y"}')] != sent
    assert len(sent) > 2


asyncio.run(main())

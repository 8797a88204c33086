"""llama-index: a tool runs with the arguments of a stream that broke off.

The connection ends after `{"q": "/home/us`, without a finish reason. The model class reads the text
as partial JSON, also for the last time, and the agent runs the tool with `q=None`, which nobody
asked for. The text goes back to the model as it came.
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


CUT = {"name": "search", "arguments": '{"q": "/home/us'}
CALLED = chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": CUT}]})
ANSWER = chunk({"content": "ok"}) + chunk({}, "stop") + "data: [DONE]\n\n"


async def main() -> None:
    answers = [CALLED, ANSWER]
    posted: list[Any] = []
    given: list[str | None] = []

    async def search(q: str | None = "everything") -> str:
        """Search."""
        given.append(q)
        return "3 hits"

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
    await FunctionAgent(tools=[search], llm=llm).run(user_msg="hi")
    assert [None] == given, given
    print("the tool ran with an argument that the model did not give")
    sent = posted[1][1]["tool_calls"][0]["function"]["arguments"]
    assert '{"q": "/home/us' == sent, sent
    print("and the text that broke off went back to the model")


asyncio.run(main())

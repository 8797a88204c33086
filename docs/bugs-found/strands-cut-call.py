"""strands: a stream that ends inside the arguments of a call runs the tool with none.

The connection ends after `{"q": "/home/us`, without a finish reason. Arguments that do not parse
are replaced by `{}`, and the tool runs.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import strands
from openai import AsyncOpenAI
from strands.models.openai import OpenAIModel


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"


CUT = {"name": "search", "arguments": '{"q": "/home/us'}
CALLED = chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": CUT}]})
ANSWER = chunk({"content": "ok"}) + chunk({}, "stop") + "data: [DONE]\n\n"


async def main() -> None:
    answers = [CALLED, ANSWER]
    given: list[str] = []

    @strands.tool
    async def search(q: str = "everything") -> str:
        """Search."""
        given.append(q)
        return "3 hits"

    transport = httpx2.MockTransport(
        lambda _: httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, text=answers.pop(0)
        )
    )
    http = httpx2.AsyncClient(transport=transport)
    client = AsyncOpenAI(api_key="k", http_client=http, max_retries=0)
    model = OpenAIModel(client=client, model_id="m")
    agent = strands.Agent(model=model, tools=[search], callback_handler=None)
    result = await agent.invoke_async("hi")
    assert "end_turn" == result.stop_reason
    assert ["everything"] == given
    print("the tool ran without the arguments that were cut")


asyncio.run(main())

"""strands: after `agent.cancel()` in the middle of a text the model's HTTP response stays open.

The loop looks at the cancel when the next chunk comes, ends the run and leaves the generators that
read the response where they are. Nothing closes them; the provider goes on generating.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2
import strands
from openai import AsyncOpenAI
from strands.models.openai import OpenAIModel

PATIENCE_S = 2.0


def chunk(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()


class Response(httpx2.AsyncByteStream):
    """An answer that goes on until it is closed."""

    closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            yield chunk("word ")
            await asyncio.sleep(0.05)

    async def aclose(self) -> None:
        self.closed = True


async def main() -> None:
    response = Response()
    transport = httpx2.MockTransport(
        lambda _: httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, stream=response
        )
    )
    http = httpx2.AsyncClient(transport=transport)
    client = AsyncOpenAI(api_key="k", http_client=http, max_retries=0)
    model = OpenAIModel(client=client, model_id="m")
    agent = strands.Agent(model=model, callback_handler=None)
    async for event in agent.stream_async("hi"):
        if "data" in event:
            agent.cancel()
        elif "result" in event:
            assert "cancelled" == event["result"].stop_reason
    await asyncio.sleep(PATIENCE_S)
    assert not response.closed, "the response is closed"
    print(f"{PATIENCE_S} s after the cancelled run its response is still open")


asyncio.run(main())

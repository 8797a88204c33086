"""autogen: a run that is cancelled in mid-answer leaves the model's response open.

`OpenAIChatCompletionClient` reads its stream chunk by chunk and closes it nowhere, and the async
generators around it are left to the garbage collector. The provider goes on sending.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2
from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken
from autogen_core.models import ModelFamily, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient

INFO = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=False,
    family=ModelFamily.UNKNOWN,
    structured_output=False,
)


def chunk(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()


class Response(httpx2.AsyncByteStream):
    closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            yield chunk("word ")
            await asyncio.sleep(0.05)

    async def aclose(self) -> None:
        self.closed = True


async def cancelled(how: str) -> Response:
    """Cancel a run in the middle of its answer."""
    response = Response()
    transport = httpx2.MockTransport(
        lambda _: httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, stream=response
        )
    )
    client = OpenAIChatCompletionClient(
        model="m", model_info=INFO, api_key="k", http_client=httpx2.AsyncClient(transport=transport)
    )
    agent = AssistantAgent("a", client, model_client_stream=True)
    token = CancellationToken()
    mid_text = asyncio.Event()
    items = agent.run_stream(task="hi", cancellation_token=token)

    async def consume() -> None:
        async for item in items:
            if "word" in str(getattr(item, "content", "")):
                mid_text.set()
                if how == "aclose":
                    break

    run = asyncio.create_task(consume())
    await mid_text.wait()
    if how == "token":
        token.cancel()
    await asyncio.wait([run])
    if how == "aclose":
        await items.aclose()
    await asyncio.sleep(1)
    return response


async def main() -> None:
    for how in ("token", "aclose"):
        response = await cancelled(how)
        assert not response.closed, f"the response is closed after {how}"
        print(f"{how}: a second after the run has ended its response is still open")


asyncio.run(main())

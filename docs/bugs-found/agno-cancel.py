"""agno: a cancelled run waits for the model to speak, and never closes the model's stream.

`Agent.cancel_run` sets a flag that `arun` looks at between two chunks. While the model is silent
nothing happens; when it speaks again the run ends, but its HTTP response stays open: the async
generators in between are left to the garbage collector. An error that the model reports after the
cancel is reported as the run's own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2
from agno.agent import Agent
from agno.models.openai import OpenAIChat
from openai import AsyncOpenAI

PATIENCE_S = 2.0


def chunk(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()


class Response(httpx2.AsyncByteStream):
    """An answer that pauses until `go_on` is set, then goes on as `rest` says."""

    def __init__(self, rest: bytes) -> None:
        self.go_on = asyncio.Event()
        self.closed = False
        self._rest = rest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield chunk("Half ")
        await self.go_on.wait()
        yield self._rest
        await asyncio.sleep(60)

    async def aclose(self) -> None:
        self.closed = True


async def cancelled(rest: bytes) -> tuple[bool, list[str], bool]:
    """Whether the run ends while the model is silent, its last events, and if it closes."""
    response = Response(rest)
    transport = httpx2.MockTransport(
        lambda _: httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, stream=response
        )
    )
    client = AsyncOpenAI(
        api_key="k",
        base_url="http://scripted.invalid/v1",
        http_client=httpx2.AsyncClient(transport=transport),
        max_retries=0,
    )
    agent = Agent(model=OpenAIChat(id="m", async_client=client), telemetry=False)
    names: list[str] = []

    async def consume() -> None:
        events = agent.arun("hi", stream=True, stream_events=True, run_id="1")
        names.extend([event.event async for event in events])

    run = asyncio.create_task(consume())
    await asyncio.sleep(0.5)
    agent.cancel_run("1")
    done, _ = await asyncio.wait([run], timeout=PATIENCE_S)
    response.go_on.set()
    await asyncio.wait([run], timeout=PATIENCE_S)
    assert run.done()
    await asyncio.sleep(PATIENCE_S)
    return bool(done), names, response.closed


async def main() -> None:
    ended, names, closed = await cancelled(chunk("answer."))
    assert not ended, "the cancel takes effect while the model is silent"
    assert "RunCancelled" in names, names
    assert not closed, "the response is closed"
    print(f"no effect for {PATIENCE_S} s of silence; then cancelled, and the response stays open")
    error = b'data: {"error": {"message": "overloaded"}}\n\n'
    _, names, _ = await cancelled(error)
    assert "RunError" in names, names
    assert "RunCancelled" not in names, names
    print("an error that came after the cancel makes the cancelled run a failed one")


asyncio.run(main())

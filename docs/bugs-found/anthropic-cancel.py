"""anthropic: a runner whose task is cancelled while a tool runs keeps the call without a result.

The reply is in the runner's messages before its tools run. Whoever goes on from them sends a
`tool_use` without a result, which the API refuses. And a tool that swallows the cancel hides it:
the runner asks the model again, though its task has been cancelled.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
from anthropic import AsyncAnthropic, beta_async_tool


def event(kind: str, **fields: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"


USAGE = {"input_tokens": 1, "output_tokens": 1}
START = event(
    "message_start",
    message={
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": USAGE,
    },
)
CALL = event(
    "content_block_start",
    index=0,
    content_block={"type": "tool_use", "id": "c1", "name": "search", "input": {}},
) + event("content_block_stop", index=0)


def end(reason: str) -> str:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return event("message_delta", delta=delta, usage=USAGE) + event("message_stop")


async def cancelled(*, swallow: bool) -> tuple[list[str], int]:
    """The roles of the runner's messages after the cancel, and how many requests it made."""
    replies = [START + CALL + end("tool_use"), START + end("end_turn")]
    running = asyncio.Event()

    @beta_async_tool
    async def search() -> str:
        """Search."""
        running.set()
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            if not swallow:
                raise
        return "3 hits"

    transport = httpx2.MockTransport(
        lambda _: httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, text=replies.pop(0)
        )
    )
    http = httpx2.AsyncClient(transport=transport)
    runner = AsyncAnthropic(api_key="k", http_client=http).beta.messages.tool_runner(
        max_tokens=9,
        messages=[{"role": "user", "content": "hi"}],
        model="m",
        tools=[search],
        stream=True,
        thread=False,
    )
    run = asyncio.create_task(runner.until_done())
    await running.wait()
    run.cancel()
    await asyncio.wait([run])
    await runner.close()
    found: list[str] = []

    def look(params: Any) -> Any:
        found.extend(message["role"] for message in params["messages"])
        return params

    runner.set_messages_params(look)
    return found, 2 - len(replies)


async def main() -> None:
    roles, requests = await cancelled(swallow=False)
    assert (["user", "assistant"], 1) == (roles, requests), (roles, requests)
    print("after a cancel in a tool its call is kept without a result")
    _, requests = await cancelled(swallow=True)
    assert 2 == requests
    print("after a cancel that the tool swallowed the model is asked again")


asyncio.run(main())

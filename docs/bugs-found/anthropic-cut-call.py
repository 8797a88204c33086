"""anthropic: a tool of a tool runner runs without the arguments that do not parse.

The reply's call has the arguments `{"q": "/home/us`, and its stop reason says that the tool is to
run. The stream helper reads them as partial JSON, also when the block has ended, and the runner
calls the tool with `{}`.
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
CUT = '{"q": "/home/us'
CALL = (
    event(
        "content_block_start",
        index=0,
        content_block={"type": "tool_use", "id": "c1", "name": "search", "input": {}},
    )
    + event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": CUT})
    + event("content_block_stop", index=0)
)


def end(reason: str) -> str:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return event("message_delta", delta=delta, usage=USAGE) + event("message_stop")


async def main() -> None:
    replies = [START + CALL + end("tool_use"), START + end("end_turn")]
    given: list[str] = []

    @beta_async_tool
    async def search(q: str = "everything") -> str:
        """Search."""
        given.append(q)
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
    await runner.until_done()
    assert ["everything"] == given, given
    print("the tool ran with its default in place of the argument that was cut")


asyncio.run(main())

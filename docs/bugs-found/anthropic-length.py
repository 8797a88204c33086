"""anthropic: a reply that the token limit cut stays in the history of a tool runner as it is.

With the stop reason max_tokens the runner ends without running the reply's tool calls, and keeps
the reply: whoever goes on from its messages sends a `tool_use` without a result. A reply without
any content is kept too. The API refuses both.
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
CALL = (
    event(
        "content_block_start",
        index=0,
        content_block={"type": "tool_use", "id": "c1", "name": "search", "input": {}},
    )
    + event(
        "content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": '{"q"'}
    )
    + event("content_block_stop", index=0)
)
CUT = event(
    "message_delta", delta={"stop_reason": "max_tokens", "stop_sequence": None}, usage=USAGE
) + event("message_stop")


async def messages_after(reply: str) -> list[Any]:
    """The messages that a runner has come to when its loop is over."""

    @beta_async_tool
    async def search(q: str = "") -> str:
        """Search."""
        return "3 hits"

    transport = httpx2.MockTransport(
        lambda _: httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=reply)
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
    found: list[Any] = []

    def look(params: Any) -> Any:
        found.extend(params["messages"])
        return params

    runner.set_messages_params(look)
    return found


async def main() -> None:
    user, reply = await messages_after(START + CALL + CUT)
    assert "user" == user["role"]
    assert ["tool_use"] == [block.type for block in reply["content"]]
    print("a call that the token limit cut is kept without a result")
    _, reply = await messages_after(START + CUT)
    assert [] == list(reply["content"])
    print("a reply without content is kept as an empty message")


asyncio.run(main())

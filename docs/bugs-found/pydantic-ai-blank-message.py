"""pydantic-ai: an answer of nothing but blanks is sent to Anthropic again, which refuses it.

`RunCancelled` says that its messages can be given to a new run. Of a response that was cut behind
its first line break they hold a text of blanks, and `AnthropicModel` leaves out only empty text.
The API refuses a text block without visible text, so that no later run on this history succeeds.
An answer that ends so is kept, too. One that was cut before its first text is left out.

Run with `pydantic-ai-slim[anthropic]`. The requests are the framework's own; what answers them is a
transport with the refusal of the API.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
from anthropic import AsyncAnthropic
from pydantic_ai import Agent, ModelHTTPError, ModelMessage, RunCancelled
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

REFUSAL = "messages: text content blocks must contain non-whitespace text"
MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-4-8",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


OPENED = event("message_start", message=MESSAGE) + event(
    "content_block_start", index=0, content_block={"type": "text", "text": ""}
)
ENDED = (
    event("content_block_stop", index=0)
    + event(
        "message_delta",
        delta={"stop_reason": "end_turn", "stop_sequence": None},
        usage={"output_tokens": 1},
    )
    + event("message_stop")
)


def said(text: str) -> bytes:
    return event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})


BLANKS = said("\n\n")


class Body(httpx2.AsyncByteStream):
    """Some bytes at once; without an end nothing more comes."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.content
        if not self.content.endswith(ENDED):
            await asyncio.sleep(60)


def blank(message: dict[str, Any]) -> bool:
    return any(part["type"] == "text" and not part["text"].strip() for part in message["content"])


def agent_of(first: bytes, posted: list[list[dict[str, Any]]]) -> Agent[None, str]:
    """An agent whose first request is answered with `first`, and others as the API would."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        posted.append(json.loads(request.content)["messages"])
        if any(blank(message) for message in posted[-1]):
            error = {"type": "invalid_request_error", "message": REFUSAL}
            return httpx2.Response(400, json={"type": "error", "error": error})
        content = first if len(posted) == 1 else OPENED + said("ok") + ENDED
        return httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, stream=Body(content)
        )

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    client = AsyncAnthropic(api_key="k", http_client=http, max_retries=0)
    provider = AnthropicProvider(anthropic_client=client)
    return Agent(AnthropicModel("claude-opus-4-8", provider=provider))


async def run(agent: Agent[None, str], history: list[ModelMessage]) -> list[ModelMessage]:
    """One run, cancelled when its stream has been silent for half a second."""
    try:
        async with agent.run_stream_events("hi", message_history=history) as events:
            timer = asyncio.get_running_loop().call_later(0.5, events.cancel)
            async for _ in events:
                pass
            timer.cancel()
            return events.all_messages()
    except RunCancelled as cancelled:
        return cancelled.all_messages()


async def next_request(first: bytes) -> tuple[list[str], str]:
    """Roles of what the run behind `first` sends, and what was said to it; "" if it went well."""
    posted: list[list[dict[str, Any]]] = []
    agent = agent_of(first, posted)
    history = await run(agent, [])
    refused = ""
    try:
        await run(agent, history)
    except ModelHTTPError as error:
        refused = str(error.body)
    return [message["role"] for message in posted[1]], refused


async def main() -> None:
    for how, first in (("cut", OPENED + BLANKS), ("finished", OPENED + BLANKS + ENDED)):
        roles, refused = await next_request(first)
        assert ["user", "assistant", "user"] == roles, roles
        assert REFUSAL in refused, refused
        print(f"an answer of blanks that was {how} is sent again, and refused")
    roles, refused = await next_request(OPENED)
    assert (["user", "user"], "") == (roles, refused), (roles, refused)
    print("one that was cut before its first text is not sent")


asyncio.run(main())

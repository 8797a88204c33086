"""tiny-agent-os 1.2.29: an aborted message of nothing but blanks goes to the model again.

What is left of a message when its stream just ends is kept only if it has meaningful content, which
blanks are not. A message that the provider reports as aborted is kept whatever it holds. Run this
file to see the second request.
"""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("tinyagent")

from tests.frameworks.tinyagent.tinyagent_provider import (
    ANSWER,
    Provider,
    Step,
    agent_of,
    event,
    text,
)

pytestmark = pytest.mark.framework


async def next_request_after_an_abort() -> list[tuple[str, str]]:
    """Abort when a blank has been shown; return what the next request holds."""
    aborted = asyncio.Event()
    cut = text(" ", stop_reason="aborted")
    first: list[Step] = [event("start", text("")), event("text_delta", text(" ")), aborted]
    provider = Provider([*first, event("error", cut)], ANSWER)
    agent = agent_of(provider)
    async for item in agent.stream("hi"):
        if item.type == "message_update":
            agent.abort()
            aborted.set()
    await agent.prompt("again")
    return [
        (message.role, "".join(getattr(block, "text", "") for block in message.content))
        for message in provider.requests[1]
    ]


def test_a_blank_message_that_was_aborted_is_sent_again() -> None:
    """Providers refuse an assistant message without visible content."""
    found = asyncio.run(next_request_after_an_abort())
    assert [("user", "hi"), ("assistant", " "), ("user", "again")] == found


if __name__ == "__main__":
    print(*asyncio.run(next_request_after_an_abort()), sep="\n")

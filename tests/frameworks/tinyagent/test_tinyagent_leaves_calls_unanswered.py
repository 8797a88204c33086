"""tiny-agent-os 1.2.29: after a stop the next request holds a tool call that nobody answers.

Once by `abort()` while the arguments arrive: the provider reports the abort with its partial, as
`tinyagent.proxy` does, and the call stays in the history. Once by a cancel of the task while the
tool runs. Providers refuse such a request. Run this file to see the second request of each.
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
    call,
    event,
    text,
)

pytestmark = pytest.mark.framework


async def next_request_after_an_abort() -> list[str]:
    """Abort while arguments arrive; return what the next request holds."""
    aborted = asyncio.Event()
    cut = call({}, stop_reason="aborted")
    first: list[Step] = [event("start", text("")), event("tool_call_start", call({})), aborted]
    provider = Provider([*first, event("error", cut)], ANSWER)
    agent = agent_of(provider)
    async for item in agent.stream("hi"):
        if item.type == "message_update":
            agent.abort()
            aborted.set()
    await agent.prompt("again")
    return outline(provider)


async def next_request_after_a_cancel() -> list[str]:
    """Cancel the consumer's task while the tool runs; return what the next request holds."""
    running = asyncio.Event()
    asked = call({"q": "x"}, stop_reason="tool_calls")
    provider = Provider([event("start", text("")), event("done", asked)], ANSWER)

    async def search(args: object) -> str:
        running.set()
        await asyncio.sleep(60)
        return "never"

    agent = agent_of(provider, search)
    task = asyncio.create_task(agent.prompt("hi"))
    await running.wait()
    await asyncio.sleep(0.005)
    task.cancel()
    await asyncio.wait([task])
    await agent.prompt("again")
    return outline(provider)


def outline(provider: Provider) -> list[str]:
    """The second request, one word per content block."""
    return [
        f"{message.role}:{block.type}"
        for message in provider.requests[1]
        for block in message.content
        if block is not None
    ]


UNANSWERED = ["user:text", "assistant:tool_call", "user:text"]


def test_an_aborted_message_keeps_its_call_without_a_result() -> None:
    """The call of the aborted message goes to the model again, with no result."""
    assert UNANSWERED == asyncio.run(next_request_after_an_abort())


def test_a_cancel_while_a_tool_runs_leaves_its_call_without_a_result() -> None:
    """The call of the running tool goes to the model again, with no result."""
    assert UNANSWERED == asyncio.run(next_request_after_a_cancel())


if __name__ == "__main__":
    print("abort: ", asyncio.run(next_request_after_an_abort()))
    print("cancel:", asyncio.run(next_request_after_a_cancel()))

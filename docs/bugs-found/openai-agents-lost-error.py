"""openai-agents: an error that meets a cancel of the consumer's task is never looked at.

The model's error reaches the task behind `stream_events()` while its consumer is being cancelled.
Nobody retrieves it: asyncio reports "Task exception was never retrieved" for a task of the runner.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import httpx2
from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(disabled=True)
TICKS = 120
"""So many loop iterations are more than a run takes."""


async def run_cancelled_after(ticks: int) -> None:
    """Consume a run whose only request fails, and cancel the consumer after `ticks` iterations."""
    transport = httpx2.MockTransport(lambda _: httpx2.Response(500, json={}))
    http = httpx2.AsyncClient(transport=transport)
    client = AsyncOpenAI(api_key="k", http_client=http, max_retries=0)
    agent = Agent(name="a", model=OpenAIChatCompletionsModel("m", client))

    async def consume() -> None:
        async for _ in Runner.run_streamed(agent, "hi").stream_events():
            pass

    task = asyncio.create_task(consume())
    for _ in range(ticks):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()
    await asyncio.sleep(0.01)


async def main() -> None:
    reports: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reports.append(context))
    for ticks in range(TICKS):
        await run_cancelled_after(ticks)
        gc.collect()
    messages = [report["message"] for report in reports]
    assert "Task exception was never retrieved" in messages, messages
    print(f"{len(messages)} of {TICKS} moments leave an error that nobody looked at")


asyncio.run(main())

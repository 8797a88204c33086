"""Cancel a pydantic-ai run at loop iteration n, for one n after another: stock asyncio, no harness.

The model function sleeps for nothing and waits for nothing, so on the stock loop a run takes the
same iterations each time, and `asyncio.sleep(0)` counts them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic_ai import Agent, ModelMessage, ModelResponse, PartEndEvent, RunCancelled
from pydantic_ai.models.function import AgentInfo, FunctionModel

T = TypeVar("T")


async def model(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    """Answer with three pieces of text, one per loop iteration."""
    for piece in ("One ", "two ", "three"):
        await asyncio.sleep(0)
        yield piece


@dataclass
class Cancelled:
    """What a run that was cancelled at iteration `n` left."""

    n: int
    text_ended: bool = False  # the event that the text is complete was delivered
    kept: str = ""  # the text in the history that the run handed back
    ended: str = "completed"
    tasks: list[str] = field(default_factory=list)  # still pending some milliseconds later


async def cancel_at(n: int) -> Cancelled:
    """Run, and cancel at iteration `n` by the handle."""
    agent = Agent(FunctionModel(stream_function=model))
    seen = Cancelled(n)
    before = asyncio.all_tasks()
    try:
        async with agent.run_stream_events("hi") as events:

            async def cancel() -> None:
                for _ in range(n):
                    await asyncio.sleep(0)
                events.cancel()

            canceller = asyncio.create_task(cancel())
            async for event in events:
                seen.text_ended |= isinstance(event, PartEndEvent)
    except RunCancelled as cancelled:
        seen.ended = "cancelled"
        seen.kept = "".join(
            message.text or ""
            for message in cancelled.all_messages()
            if isinstance(message, ModelResponse)
        )
    await canceller
    seen.tasks = await still_pending(before)
    return seen


async def still_pending(before: set[asyncio.Task[object]]) -> list[str]:
    """The tasks that the run left and that 20 ms do not end; they are cancelled here."""
    left = asyncio.all_tasks() - before
    if not left:
        return []
    _, left = await asyncio.wait(left, timeout=0.02)
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=0.02)
    return sorted(getattr(task.get_coro(), "__qualname__", "") for task in left)


async def first(found: Callable[[Cancelled], bool]) -> Cancelled | None:
    """The first n whose run is as asked for; None once runs complete before the cancel."""
    n = 0
    while (seen := await cancel_at(n)).ended == "cancelled":
        if found(seen):
            return seen
        n += 1
    return None


def run_quietly(work: Awaitable[T]) -> T:
    """Run without the log of errors that tasks left behind meet when they are swept up."""

    async def main() -> T:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        return await work

    return asyncio.run(main())

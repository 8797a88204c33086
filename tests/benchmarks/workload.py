"""The 65-callback workload: a small agent run written with nothing but asyncio.

A model task sends 10 chunks over a queue, a consumer passes them over a second queue to a UI task,
two tools sleep six times each, and a user cancels one of them: six tasks and main. `sleep` is what
tells the two worlds apart: virtual seconds in ours, `sleep(0)` on stock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Sleep = Callable[[float], Awaitable[None]]


async def workload(sleep: Sleep) -> list[int]:
    """Run it and return what the UI has seen."""
    chunks: asyncio.Queue[int | None] = asyncio.Queue()
    shown: asyncio.Queue[int | None] = asyncio.Queue()
    seen: list[int] = []

    async def model() -> None:
        for number in range(10):
            await sleep(0.1)
            chunks.put_nowait(number)
        chunks.put_nowait(None)

    async def consumer() -> None:
        while (chunk := await chunks.get()) is not None:
            shown.put_nowait(chunk)
        shown.put_nowait(None)

    async def ui() -> None:
        while (chunk := await shown.get()) is not None:
            seen.append(chunk)

    async def tool() -> None:
        for _ in range(6):
            await sleep(0.15)

    tasks = [asyncio.create_task(part()) for part in (model, consumer, ui, tool, tool)]

    async def user() -> None:
        for _ in range(3):
            await sleep(0.12)
        tasks[4].cancel()

    tasks.append(asyncio.create_task(user()))
    await asyncio.gather(*tasks, return_exceptions=True)
    return seen


async def on_stock() -> list[int]:
    """The workload where time does not pass."""

    async def sleep(_: float) -> None:
        await asyncio.sleep(0)

    return await workload(sleep)

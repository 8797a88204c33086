"""Three small programs with an order bug. Each holds in the order of a stock event loop.

`arrival(name, ticks)` waits for the outside, which takes so many ticks; what a tool offers for it
is the only difference between the tools. Here a tick is a second of virtual time, and what arrives
may be late. The others let ready tasks go in another order, so there a tick is one `sleep(0)`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Arrival = Callable[[str, int], Awaitable[object]]
Bug = Callable[[Arrival], Awaitable[None]]

__all__ = ["BUGS", "Arrival", "Bug"]


async def lost_update(arrival: Arrival) -> None:
    """Three tasks add one each, at times at which they do not overlap."""
    number = 0

    async def add(task: int) -> None:
        nonlocal number
        await arrival(f"request {task}", 2 * task + 1)
        seen = number
        await arrival(f"reply to {task}", 1)
        number = seen + 1

    await asyncio.gather(*(add(task) for task in range(3)))
    assert number == 3, f"{number} of 3"


async def cancelled_between(arrival: Arrival) -> None:
    """A worker takes an item from a queue and is cancelled before it has done anything with it."""
    todo: asyncio.Queue[str] = asyncio.Queue()
    done: list[str] = []

    async def work() -> None:
        item = await todo.get()
        await arrival("work", 1)
        done.append(item)

    worker = asyncio.create_task(work())

    async def user() -> None:
        await arrival("user", 5)
        worker.cancel()

    async def source() -> None:
        await arrival("item", 1)
        todo.put_nowait("item")

    await asyncio.gather(user(), source())
    await asyncio.wait([worker])
    assert done or not todo.empty(), "the item is lost"


async def tool_after_cancel(arrival: Arrival) -> None:
    """An agent asks whether it was cancelled, then waits for a permission, then starts a tool."""
    cancelled = False
    late = False

    async def agent() -> None:
        nonlocal late
        await arrival("model", 1)
        if cancelled:
            return
        await arrival("permission", 1)
        late = cancelled

    async def user() -> None:
        nonlocal cancelled
        await arrival("user", 4)
        cancelled = True

    await asyncio.gather(agent(), user())
    assert not late, "the tool started after the cancel"


BUGS: dict[str, Bug] = {
    "lost update, three tasks": lost_update,
    "cancel between get and processing": cancelled_between,
    "tool started after a cancel": tool_after_cancel,
}

"""What a trial needed is freed at its end: within a batch nothing is collected for long."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable

import pytest

from simharness.world.eventloop import SimLoop
from simharness.world.kernel import play
from tests.benchmarks.workload import workload


async def left_behind(loop: SimLoop) -> None:
    """A timer that is not due, and a task that waits for ever."""
    loop.call_later(100, print)
    loop.create_task(asyncio.Event().wait())
    await asyncio.sleep(1)


async def cancelled(loop: SimLoop) -> None:
    """What a cancelled task raised is kept, and with it the frames that it passed."""
    task = loop.create_task(asyncio.sleep(1))
    asyncio.get_running_loop().call_soon(task.cancel)
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("main", [left_behind, cancelled, lambda _: workload(asyncio.sleep)])
def test_nothing_is_left_to_be_collected(main: Callable[[SimLoop], Awaitable[object]]) -> None:
    """Its boundaries and workers know it, and frames of its own hold what they ran last."""
    collecting = gc.isenabled()
    play(main)
    gc.collect()
    gc.disable()
    try:
        play(main)
        assert 0 == gc.collect()
    finally:
        if collecting:
            gc.enable()

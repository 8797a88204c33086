"""What a trial needed is freed at its end: within a batch nothing is collected for long."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable

import pytest

from simharness.world import determinism
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


def test_small_batches_collect_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection costs more than many of them; but not every agent leaves nothing behind."""
    collections: list[bool] = []
    collect = determinism._collect

    def counted(*, whole: bool) -> None:
        collections.append(whole)
        collect(whole=whole)

    async def main(loop: SimLoop) -> None:
        determinism.new_trial(loop)

    monkeypatch.setattr(determinism, "_collect", counted)
    for _ in range(3 * determinism.COLLECT_EVERY // 2):
        with determinism.batch():
            play(main)
            play(main)
    assert len(collections) in {2, 3}

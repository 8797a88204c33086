"""Worker threads: started by choice, cancelled before or after, blocking on the loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import queue
import threading
import time
from collections.abc import Iterator

import anyio
import anyio.from_thread
import anyio.to_thread
import pytest

from simharness.world.determinism import batch, new_trial
from simharness.world.eventloop import SimLoop
from simharness.world.kernel import play
from simharness.world.sources import Call
from tests.unit.world.every import Program, results


@pytest.fixture(autouse=True)
def _in_a_batch() -> Iterator[None]:
    with batch():
        yield


def trial(program: Program) -> Program:
    """`program` with the clocks of its trial."""

    async def main(loop: SimLoop) -> object:
        new_trial(loop)
        return await program(loop)

    return main


async def cancelled_job(loop: SimLoop) -> str:
    """A job whose awaiter is cancelled at some point."""
    effects: list[str] = []
    task = asyncio.create_task(asyncio.to_thread(effects.append, "effect"))
    Call(loop, "cancel", task.cancel)
    await asyncio.wait([task])
    await asyncio.sleep(1)
    return f"{'cancelled' if task.cancelled() else 'done'}, {len(effects)} effects"


def test_a_cancel_before_the_start_drops_a_job_and_after_it_keeps_its_effect() -> None:
    """Both are explored: the awaiter is cancelled with and without the side effect."""
    found = results(trial(cancelled_job))
    assert {"cancelled, 0 effects", "cancelled, 1 effects", "done, 1 effects"} <= found


async def anyio_job(loop: SimLoop) -> str:
    """The same through anyio's own workers, abandoned on cancel."""
    effects: list[str] = []

    async def run() -> None:
        await anyio.to_thread.run_sync(effects.append, "effect", abandon_on_cancel=True)

    task = asyncio.create_task(run())
    Call(loop, "cancel", task.cancel)
    await asyncio.wait([task])
    await asyncio.sleep(1)
    return f"{'cancelled' if task.cancelled() else 'done'}, {len(effects)} effects"


def test_anyio_workers_are_jobs_too() -> None:
    """anyio.to_thread explores the same endings."""
    found = results(trial(anyio_job))
    assert {"cancelled, 0 effects", "cancelled, 1 effects", "done, 1 effects"} <= found


async def under_timeouts(loop: SimLoop) -> object:
    """Slow bodies in both kinds of threads, cut by timeouts in virtual time."""
    seen: list[object] = []
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(2):
            await asyncio.to_thread(time.sleep, 10)
    seen.append(loop.time())
    with anyio.move_on_after(3) as scope:
        await anyio.to_thread.run_sync(time.sleep, 10, abandon_on_cancel=True)
    seen.append((loop.time(), scope.cancelled_caught))
    return seen


def test_threads_under_timeouts_take_virtual_time() -> None:
    """time.sleep in a worker lengthens the job and blocks nobody else."""
    played = play(trial(under_timeouts))
    assert (None, None) == (played.error, played.limit)
    assert [2.0, (5.0, True)] == played.result


async def body_that_calls_the_loop(loop: SimLoop) -> object:
    """A worker that waits for a coroutine on the loop, by asyncio's and by anyio's way."""

    def by_asyncio() -> float:
        asked = asyncio.run_coroutine_threadsafe(asyncio.sleep(2, loop.time()), loop)
        return asked.result() + 1

    def by_anyio() -> float:
        anyio.from_thread.run(anyio.sleep, 3)
        return anyio.from_thread.run_sync(loop.time)

    return await asyncio.to_thread(by_asyncio), await anyio.to_thread.run_sync(by_anyio)


def test_a_body_may_wait_for_the_loop() -> None:
    """It gives the baton back instead of deadlocking."""
    assert (1.0, 5.0) == play(trial(body_that_calls_the_loop)).result


async def two_threads_and_a_queue(_: SimLoop) -> object:
    """Two bodies that talk over a thread-safe queue and an event."""
    items: queue.Queue[int] = queue.Queue()
    heard = threading.Event()

    def put() -> bool:
        time.sleep(1)
        items.put(7)
        return heard.wait(5)

    def get() -> int:
        item = items.get()
        heard.set()
        return item

    return await asyncio.gather(asyncio.to_thread(put), asyncio.to_thread(get))


def test_bodies_may_wait_for_each_other() -> None:
    """Condition.wait, and all that is built on it, switches threads."""
    assert [True, 7] == play(trial(two_threads_and_a_queue)).result


async def futures_of_a_pool(loop: SimLoop) -> object:
    """run_in_executor with an executor of the program's own, a failure and a StopIteration."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        failed = await asyncio.gather(
            loop.run_in_executor(pool, lambda: 1 / 0),
            loop.run_in_executor(None, lambda: next(iter(()))),
            return_exceptions=True,
        )
    return [type(error).__name__ for error in failed]


def test_errors_of_a_body_reach_its_awaiter() -> None:
    """Exceptions travel by the future; StopIteration as a RuntimeError, as on stock."""
    assert ["ZeroDivisionError", "RuntimeError"] == play(trial(futures_of_a_pool)).result


async def many_jobs(_: SimLoop) -> object:
    """More jobs than the pool has threads."""
    running: list[int] = []
    most: list[int] = []

    def body() -> None:
        running.append(1)
        most.append(len(running))
        time.sleep(1)
        running.pop()

    await asyncio.gather(*[asyncio.to_thread(body) for _ in range(40)])
    return max(most)


def test_the_pool_has_thirty_two_threads() -> None:
    """Later jobs queue until one has ended."""
    assert 32 == play(trial(many_jobs)).result


async def waits_for_nobody(loop: SimLoop) -> object:
    """A body that waits for an event nobody sets."""
    return await loop.run_in_executor(None, threading.Event().wait)


def test_a_deadlock_with_a_thread_names_the_line_where_it_blocks() -> None:
    """Both the task and the thread are named."""
    played = play(trial(waits_for_nobody))
    assert "deadlock" == played.limit
    assert "waits_for_nobody" in played.detail
    assert "worker 1" in played.detail


async def blocks_the_loop(_: SimLoop) -> object:
    """A lock that only another thread could release, waited for on the loop's own thread."""
    threading.Event().wait()
    return None


def test_waiting_for_another_thread_on_the_loop_thread_ends_the_trial() -> None:
    """What would hang for ever is the limit `wall-limit`, with the reason."""
    played = play(trial(blocks_the_loop))
    assert "wall-limit" == played.limit


def test_the_same_threads_give_the_same_course_again() -> None:
    """Real threads do not bring real races."""
    first, second = (play(trial(two_threads_and_a_queue)) for _ in range(2))
    labels = [
        [[option.label for option in point.options] for point in played.course]
        for played in (first, second)
    ]
    assert labels[0] == labels[1]
    assert labels[0]

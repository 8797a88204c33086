"""What programs use of asyncio and anyio works unchanged in the simulated loop."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import sys
from collections.abc import AsyncIterator

import anyio
import pytest
import sniffio

from simharness.world.eventloop import SimLoop
from simharness.world.kernel import play
from simharness.world.refusals import NotSimulatedError


async def task_group(_: SimLoop) -> object:
    """One failure cancels the sibling."""

    async def fails() -> None:
        await asyncio.sleep(1)
        raise ValueError("boom")

    seen = 0
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fails())
            group.create_task(asyncio.sleep(100))
    except* ValueError as failures:
        seen = len(failures.exceptions)
    return seen


async def timeout(loop: SimLoop) -> object:
    """asyncio.timeout in virtual time."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(30):
            await asyncio.sleep(100)
    return loop.time()


async def wait_for(loop: SimLoop) -> object:
    """asyncio.wait_for in virtual time."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.sleep(100), 30)
    return loop.time()


async def shield(loop: SimLoop) -> object:
    """A shielded task survives the cancel of its waiter."""
    inner = asyncio.create_task(asyncio.sleep(3, "kept"))
    outer = asyncio.ensure_future(asyncio.shield(inner))
    await asyncio.sleep(1)
    outer.cancel()
    return await inner, outer.cancelled(), loop.time()


async def gather(_: SimLoop) -> object:
    """Results in argument order."""
    return await asyncio.gather(asyncio.sleep(2, "a"), asyncio.sleep(1, "b"))


async def wait_first(_: SimLoop) -> object:
    """asyncio.wait with FIRST_COMPLETED."""
    tasks = [asyncio.create_task(asyncio.sleep(n, n)) for n in (3, 1, 2)]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    return [task.result() for task in done], len(pending)


async def queue(_: SimLoop) -> object:
    """A bounded queue between two tasks."""
    items: asyncio.Queue[int] = asyncio.Queue(1)

    async def put() -> None:
        for number in range(3):
            await items.put(number)

    task = asyncio.create_task(put())
    got = [await items.get() for _ in range(3)]
    await task
    return got


async def event_and_semaphore(loop: SimLoop) -> object:
    """Event, Semaphore, Lock and Condition."""
    event, semaphore, seen = asyncio.Event(), asyncio.Semaphore(1), []

    async def use(name: str) -> None:
        await event.wait()
        async with semaphore:
            await asyncio.sleep(1)
            seen.append((name, loop.time()))

    tasks = [asyncio.create_task(use(name)) for name in "ab"]
    await asyncio.sleep(1)
    event.set()
    await asyncio.gather(*tasks)
    return seen


async def context_variables(_: SimLoop) -> object:
    """A task inherits its maker's context and keeps its own changes."""
    variable = contextvars.ContextVar("variable", default="none")
    variable.set("outer")

    async def child() -> str:
        before = variable.get()
        variable.set("inner")
        return before

    return await asyncio.create_task(child()), variable.get()


async def anyio_groups_and_streams(_: SimLoop) -> object:
    """anyio task groups, cancel scopes and memory streams."""
    send, receive = anyio.create_memory_object_stream[int](1)
    got = []

    async def produce() -> None:
        async with send:
            for number in range(3):
                await send.send(number)

    async with anyio.create_task_group() as group:
        group.start_soon(produce)
        async with receive:
            async for number in receive:
                got.append(number)
    with anyio.move_on_after(5) as scope:
        await anyio.sleep(100)
    return got, scope.cancelled_caught


async def abandoned_generator(_: SimLoop) -> object:
    """A generator that is dropped half way is closed by a task, as on stock."""
    closed = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            closed.append("closed")

    async def read_one() -> None:
        async for _ in numbers():
            break

    await read_one()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return closed


async def async_library(_: SimLoop) -> object:
    """sniffio recognises the loop."""
    return sniffio.current_async_library()


async def executors(_: SimLoop) -> object:
    """to_thread and run_in_executor return their results."""
    loop = asyncio.get_running_loop()
    return await asyncio.to_thread(sum, (1, 2)), await loop.run_in_executor(None, max, 1, 2)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (task_group, 1),
        (timeout, 30.0),
        (wait_for, 30.0),
        (shield, ("kept", True, 3.0)),
        (gather, ["a", "b"]),
        (wait_first, ([1], 2)),
        (queue, [0, 1, 2]),
        (event_and_semaphore, [("a", 2.0), ("b", 3.0)]),
        (context_variables, ("outer", "outer")),
        (anyio_groups_and_streams, ([0, 1, 2], True)),
        (abandoned_generator, ["closed"]),
        (async_library, "asyncio"),
        (executors, (3, 2)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_it_works_as_on_stock(program: object, expected: object) -> None:
    """The program has the same result as on stock, where time does not matter."""
    played = play(program)  # type: ignore[arg-type]
    assert (None, None) == (played.error, played.limit)
    assert expected == played.result


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with 3.12")
def test_eager_task_factories_work() -> None:
    """A coroutine that does not wait is done when its task is made."""

    async def main(loop: SimLoop) -> object:
        loop.set_task_factory(asyncio.eager_task_factory)  # type: ignore[attr-defined]
        quick = asyncio.create_task(returns("now"))
        return quick.done(), await quick

    async def returns(value: str) -> str:
        return value

    assert (True, "now") == play(main).result


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda loop: loop.create_connection(None, "example.org", 80), "world.stream()"),
        (lambda loop: loop.subprocess_exec(None, "true"), "child process"),
        (lambda loop: loop.getaddrinfo("example.org", 80), "world.stream()"),
    ],
)
def test_what_does_not_exist_is_refused_with_the_way_out(call: object, words: str) -> None:
    """Sockets and subprocesses raise an error that says what to use instead."""

    async def main(loop: SimLoop) -> object:
        return await call(loop)  # type: ignore[operator]

    played = play(main)
    assert isinstance(played.error, NotSimulatedError)
    assert words in str(played.error)


def test_asyncio_run_inside_the_loop_is_refused() -> None:
    """Running a loop in the loop is what a synchronous agent does; the error says so."""

    async def main(_: SimLoop) -> object:
        coro = asyncio.sleep(0)
        try:
            asyncio.run(coro)
        finally:
            coro.close()
        return None

    played = play(main)
    assert isinstance(played.error, RuntimeError)

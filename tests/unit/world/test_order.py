"""What asyncio promises about order holds in every strict schedule; the rest fails in one."""

from __future__ import annotations

import asyncio

import pytest

from simharness.choices import Kind
from simharness.world.eventloop import SimLoop
from simharness.world.posts import Thread
from simharness.world.sources import Call
from tests.unit.world.every import Program, every, results


async def call_soon_is_fifo(loop: SimLoop) -> str:
    """Two callbacks scheduled one after the other."""
    seen: list[str] = []
    loop.call_soon(seen.append, "a")
    loop.call_soon(seen.append, "b")
    Call(loop, "outside", lambda: None)
    await asyncio.sleep(0.1)
    return "".join(seen)


async def done_callbacks_run_in_order(loop: SimLoop) -> str:
    """Two callbacks of one future."""
    seen: list[str] = []
    future = loop.create_future()
    future.add_done_callback(lambda _: seen.append("a"))
    future.add_done_callback(lambda _: seen.append("b"))
    Call(loop, "result", lambda: future.set_result(None))
    await future
    await asyncio.sleep(0)
    return "".join(seen)


async def tasks_start_in_order(loop: SimLoop) -> str:
    """Two tasks made one after the other."""
    seen: list[str] = []

    async def first() -> None:
        seen.append("a")

    async def second() -> None:
        seen.append("b")

    Call(loop, "outside", lambda: None)
    await asyncio.gather(first(), second())
    return "".join(seen)


async def a_stream_reader_keeps_feed_order(loop: SimLoop) -> str:
    """Data fed in two deliveries of one source."""
    reader = asyncio.StreamReader(loop=loop)

    def feed_second() -> None:
        reader.feed_data(b"b")
        reader.feed_eof()

    def feed_first() -> None:
        reader.feed_data(b"a")
        Call(loop, "second", feed_second)

    Call(loop, "first", feed_first)
    return (await reader.read()).decode()


async def a_result_beats_a_later_cancel(loop: SimLoop) -> str:
    """`set_result`, then `cancel` of the same future, in one callback."""
    future = loop.create_future()

    def both() -> None:
        future.set_result("a")
        future.cancel()

    Call(loop, "both", both)
    return f"{await future}b"


async def one_threads_posts_keep_their_order(loop: SimLoop) -> str:
    """Two posts of one thread."""
    seen: list[str] = []
    thread = Thread(loop, "worker")
    thread.post(seen.append, "a")
    thread.post(seen.append, "b")
    loop.call_soon(lambda: None)
    loop.call_soon(lambda: None)
    done = loop.create_future()
    thread.post(done.set_result, None)
    await done
    return "".join(seen)


PROMISED: list[Program] = [
    call_soon_is_fifo,
    done_callbacks_run_in_order,
    tasks_start_in_order,
    a_stream_reader_keeps_feed_order,
    a_result_beats_a_later_cancel,
    one_threads_posts_keep_their_order,
]


@pytest.mark.parametrize("program", PROMISED, ids=lambda program: program.__name__)
def test_what_asyncio_promises_holds_in_every_strict_schedule(program: Program) -> None:
    """Programs that rely on stock order never fail in strict mode."""
    assert {"ab"} == results(program)


@pytest.mark.parametrize("program", PROMISED, ids=lambda program: program.__name__)
def test_relaxed_mode_permutes_task_steps_and_nothing_else(program: Program) -> None:
    """Of the six only task start order depends on the order of task steps."""
    expected = {"ab", "ba"} if program is tasks_start_in_order else {"ab"}
    assert expected == results(program, mode="relaxed")


def test_relaxed_mode_offers_step_choices_only_where_tasks_compete() -> None:
    """A program with a single task has no step choice even in relaxed mode."""
    kinds = {
        option.kind
        for played in every(a_result_beats_a_later_cancel, mode="relaxed")
        for point in played.course
        for option in point.options
    }
    assert Kind.STEP not in kinds


async def cancel_between_two_tools(loop: SimLoop) -> str:
    """Two tool results and a user's cancel, all due at once: is one kept and one lost?"""
    done: list[str] = []

    async def tool(name: str) -> None:
        future = loop.create_future()
        Call(loop, name, lambda: None if future.done() else future.set_result(None))
        await future
        done.append(name)

    async def run() -> None:
        await asyncio.gather(tool("a"), tool("b"))

    task = asyncio.create_task(run())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    Call(loop, "cancel", task.cancel)
    await asyncio.wait([task])
    return "".join(sorted(done))


def test_a_cancel_can_fall_between_two_tool_completions() -> None:
    """Some strict schedule keeps exactly one of two tool results."""
    assert {"a", "b"} & results(cancel_between_two_tools)


async def cancel_arrives_with_an_item(loop: SimLoop) -> str:
    """A consumer that takes an item and loses it to a cancel of the same iteration."""
    queue: asyncio.Queue[str] = asyncio.Queue()
    got: list[str] = []

    async def consume() -> None:
        item = await queue.get()
        await asyncio.sleep(0)
        got.append(item)

    task = asyncio.create_task(consume())
    await asyncio.sleep(0)
    Call(loop, "item", lambda: queue.put_nowait("x"))
    Call(loop, "cancel", task.cancel)
    await asyncio.wait([task])
    return f"got {len(got)}, left {queue.qsize()}"


def test_an_item_can_be_lost_to_a_cancel_that_arrives_with_it() -> None:
    """Some strict schedule takes the item out of the queue and never processes it."""
    assert "got 0, left 0" in results(cancel_arrives_with_an_item)


async def a_post_between_two_callbacks(loop: SimLoop) -> str:
    """A and B each schedule a follower; a thread posts meanwhile."""
    seen: list[str] = []

    def first() -> None:
        seen.append("A")
        loop.call_soon(seen.append, "A2")

    def second() -> None:
        seen.append("B")
        loop.call_soon(seen.append, "B2")

    thread = Thread(loop, "worker")
    done = loop.create_future()
    thread.post(seen.append, "T")
    thread.post(done.set_result, None)
    loop.call_soon(first)
    loop.call_soon(second)
    await done
    await asyncio.sleep(0)
    return " ".join(seen)


def test_a_threads_post_can_split_two_call_soons() -> None:
    """A post made between A and B runs between what A and B schedule, and never in between them."""
    found = results(a_post_between_two_callbacks)
    assert "A B A2 T B2" in found
    assert not {order for order in found if str(order).startswith("A T B")}

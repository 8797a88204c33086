"""Awaiting under a cancel, on stock asyncio: what ends a block, and what is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from simharness.agent import Chunk, Flag, Request, TextDelta
from simharness.agents.reference import make
from simharness.agents.reference.cancelling import Cancellation
from simharness.trace import AgentEnd, Outcome, assistant, user
from tests.unit.agents.fake_world import FakeStream, FakeWorld

Program = Callable[[Cancellation], Awaitable[None]]


def run(program: Program) -> tuple[bool, int]:
    """Run a program as the prompt of a run; whether it was called off, and its task's cancels."""

    async def main() -> tuple[bool, int]:
        cancellation = Cancellation()
        await program(cancellation)
        task = asyncio.current_task()
        assert task is not None
        return cancellation.called, task.cancelling()

    return asyncio.run(main())


async def forever() -> None:
    """Wait until cancelled."""
    await asyncio.Event().wait()


def test_a_cancel_ends_a_bounded_block_without_a_trace_on_the_task() -> None:
    """The block just ends, and the task is as if nobody had cancelled it."""

    async def program(cancellation: Cancellation) -> None:
        asyncio.get_running_loop().call_soon(cancellation.set)
        async with cancellation.bounded(0):
            await forever()

    assert (True, 0) == run(program)


def test_a_block_that_begins_after_the_cancel_is_bounded_too() -> None:
    """The bound counts from the cancel."""

    async def program(cancellation: Cancellation) -> None:
        cancellation.set()
        async with cancellation.bounded(0):
            await forever()

    assert (True, 0) == run(program)


def test_a_task_cancel_ends_a_bounded_block_at_once_and_stays_counted() -> None:
    """The caller still gets its CancelledError in the end."""

    async def program(cancellation: Cancellation) -> None:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_soon(task.cancel)
        async with cancellation.bounded(100):
            await forever()
        assert cancellation.by_task
        assert "user" == cancellation.reason

    assert (True, 1) == run(program)


def test_work_that_cancels_itself_is_an_error_and_no_cancel() -> None:
    """Nobody asked for a stop."""

    async def program(cancellation: Cancellation) -> None:
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        with pytest.raises(RuntimeError, match="cancelled itself"):
            async with cancellation.bounded(0):
                await future

    assert (False, 0) == run(program)


def test_a_timeout_of_the_awaited_work_is_its_own() -> None:
    """Only the bound's own timeout is swallowed."""

    async def program(cancellation: Cancellation) -> None:
        with pytest.raises(TimeoutError):
            async with cancellation.bounded(0):
                raise TimeoutError

    assert (False, 0) == run(program)


def test_patient_waiting_lets_all_work_end_before_it_raises() -> None:
    """The first error is raised, none is lost, and the sibling has done its work."""
    done: list[str] = []

    async def fails(text: str) -> None:
        raise ValueError(text)

    async def works() -> None:
        await asyncio.sleep(0)
        done.append("works")

    async def program(cancellation: Cancellation) -> None:
        with pytest.raises(ValueError, match="first"):
            await cancellation.patiently(fails("first"), works(), fails("second"), grace_s=1)

    assert (False, 0) == run(program)
    assert ["works"] == done


def test_a_task_cancel_does_not_reach_work_that_is_waited_for_patiently() -> None:
    """Twice is no different; only the end of the grace reaches it."""
    cancelled: list[bool] = []

    async def stubborn() -> None:
        try:
            await forever()
        except asyncio.CancelledError:
            cancelled.append(True)

    async def program(cancellation: Cancellation) -> None:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_soon(task.cancel)
        asyncio.get_running_loop().call_later(0.001, task.cancel)
        await cancellation.patiently(stubborn(), grace_s=0.002)

    assert (True, 2) == run(program)
    assert [True] == cancelled


def test_work_is_done_also_if_its_task_was_cancelled_before_it_began() -> None:
    """Whoever cancels all tasks there are, as a second Ctrl-C does, cancels new ones too."""
    done: list[bool] = []

    async def works() -> None:
        done.append(True)

    async def program(cancellation: Cancellation) -> None:
        def cancel_the_others() -> None:
            for task in asyncio.all_tasks() - {prompt}:
                task.cancel()

        prompt = asyncio.current_task()
        asyncio.get_running_loop().call_soon(cancel_the_others)
        await cancellation.patiently(works(), works(), grace_s=1)

    assert (False, 0) == run(program)
    assert [True, True] == done


@pytest.mark.parametrize(("takes_s", "seen"), [(0.01, ["done"]), (60, ["cut"])])
def test_work_whose_task_never_began_is_done_behind_further_cancels_too(
    takes_s: float, seen: list[str]
) -> None:
    """A third Ctrl-C does not reach it, and only its grace cuts it short."""
    found: list[str] = []

    async def works() -> None:
        try:
            await asyncio.sleep(takes_s)
            found.append("done")
        except asyncio.CancelledError:
            found.append("cut")

    async def program(cancellation: Cancellation) -> None:
        prompt = asyncio.current_task()
        assert prompt is not None
        loop = asyncio.get_running_loop()

        def cancel_all() -> None:
            for task in asyncio.all_tasks():
                task.cancel()

        loop.call_soon(cancel_all)
        third = loop.call_later(0.001, prompt.cancel)
        await cancellation.patiently(works(), grace_s=0.1)
        assert third.when() < loop.time()

    assert (True, 2) == run(program)
    assert seen == found


def test_the_first_reason_stays() -> None:
    """A second cancel changes nothing."""

    async def program(cancellation: Cancellation) -> None:
        cancellation.set("shutdown")
        cancellation.set("user")
        assert "shutdown" == cancellation.reason

    run(program)


class Endless(FakeStream):
    """Sends its script and then nothing."""

    async def __anext__(self) -> Chunk:
        if not self.script:
            await forever()
        return await super().__anext__()


class EndlessWorld(FakeWorld):
    """Answers each request with a stream that does not end."""

    def stream(self, request: Request, *, signal: Flag | None = None) -> FakeStream:
        """Answer a request."""
        self.streams.append(Endless(self.scripts.pop(0), signal))
        return self.streams[-1]


def test_a_callers_timeout_around_a_prompt_works_as_asyncio_promises() -> None:
    """The caller gets its TimeoutError, and the run has been brought to its end before."""
    world = EndlessWorld([TextDelta("One")])
    agent = make(world)

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await agent.prompt("hi")

    asyncio.run(main())
    assert [user("hi"), assistant("One", interrupted=True)] == agent.history()
    assert isinstance(world.reports[-1], AgentEnd)
    assert Outcome.CANCELLED == world.reports[-1].outcome
    assert world.streams[0].closed

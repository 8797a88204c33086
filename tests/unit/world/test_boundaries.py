"""Loop boundaries: timers, the clock, busy boundaries and limits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import anyio
import pytest

from simharness.choices import Kind, ScheduleChooser, deviations
from simharness.world.eventloop import SimLoop
from simharness.world.kernel import play
from simharness.world.limits import Limits
from simharness.world.sources import Call
from tests.unit.world.every import Program, every, results


def arrive(came: asyncio.Future[str]) -> None:
    """An item arrives, unless its reader has gone."""
    if not came.done():
        came.set_result("item")


def test_an_overdue_timer_runs_in_the_same_iteration_as_the_late_delivery() -> None:
    """A delivery that comes after a deadline brings the timer along, right behind it."""

    async def main(loop: SimLoop) -> str:
        seen: list[str] = []
        loop.call_later(1.0, seen.append, "timer")
        loop.call_later(1.0, loop.call_soon, seen.append, "soon")
        Call(loop, "late", lambda: seen.append("late"), due=2.0)
        await asyncio.sleep(3)
        return " ".join(seen)

    assert {"timer soon late", "late timer soon", "timer soon"} == results(main)


def test_a_timer_within_the_clock_resolution_counts_as_due() -> None:
    """0.1 + 0.2 is more than 0.3, and still due at 0.3, as on stock."""

    async def main(loop: SimLoop) -> str:
        seen: list[str] = []
        loop.call_at(0.1 + 0.2, seen.append, "sum")
        loop.call_at(0.3, seen.append, "plain")
        await asyncio.sleep(0.3)
        return " ".join(seen)

    assert "plain sum" == play(main).result


def test_equal_deadlines_keep_creation_order() -> None:
    """Two timers for the same time run in the order in which they were set, in every schedule."""

    async def main(loop: SimLoop) -> str:
        seen: list[str] = []
        loop.call_at(1.0, seen.append, "a")
        loop.call_at(1.0, seen.append, "b")
        await asyncio.sleep(1.5)
        return "".join(seen)

    assert {"ab"} == results(main)


def test_a_delivery_may_be_late_but_never_early() -> None:
    """No schedule delivers before the due time; some deliver after a later timer."""

    async def main(loop: SimLoop) -> float:
        came = loop.create_future()
        Call(loop, "item", lambda: came.set_result(loop.time()), due=1.0)
        loop.call_later(2.0, lambda: None)
        when: float = await came
        return when

    assert {1.0, 2.0} == results(main)


def test_a_timeout_can_beat_a_late_delivery() -> None:
    """With nothing ready, time may pass although a delivery is due earlier."""

    async def main(loop: SimLoop) -> str:
        came = loop.create_future()
        Call(loop, "item", lambda: arrive(came), due=1.0)
        try:
            async with asyncio.timeout(2.0):
                return str(await came)
        except TimeoutError:
            return "timeout"

    assert {"item", "timeout"} == results(main)


def test_patience_bounds_how_far_a_choice_moves_the_clock() -> None:
    """A timer beyond the patience is not offered while something else can happen."""

    async def main(loop: SimLoop) -> str:
        came = loop.create_future()
        Call(loop, "item", lambda: arrive(came), due=1.0)
        try:
            async with asyncio.timeout(600.0):
                return str(await came)
        except TimeoutError:
            return "timeout"

    assert {"item"} == results(main)


def test_the_default_schedule_delivers_alone_after_the_loop_has_gone_idle() -> None:
    """Option 0 everywhere: each delivery finds no handle ready."""

    async def main(loop: SimLoop) -> str:
        seen: list[str] = []

        def one() -> None:
            seen.append("one")
            loop.call_soon(seen.append, "after one")

        Call(loop, "one", one)
        Call(loop, "two", lambda: seen.append("two"))
        await asyncio.sleep(1)
        return ", ".join(seen)

    assert "one, after one, two" == play(main).result


def test_an_anywhere_action_is_never_the_default_while_anything_else_can_happen() -> None:
    """It comes by itself only when nothing else is left."""

    async def main(loop: SimLoop) -> float:
        came = loop.create_future()
        Call(loop, "anywhere", lambda: came.set_result(loop.time()), kind=Kind.ANYWHERE)
        loop.call_later(5.0, lambda: None)
        when: float = await came
        return when

    assert 5.0 == play(main).result


async def swallow_for_five_seconds(loop: SimLoop) -> float:
    """An anyio task group whose child swallows its cancel until t = 5."""

    async def child() -> None:
        while loop.time() < 5:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(5 - loop.time())

    async with anyio.create_task_group() as group:
        group.start_soon(child)
        await asyncio.sleep(0)
        group.cancel_scope.cancel()
    return loop.time()


async def wait_on_a_shield(loop: SimLoop) -> float:
    """An anyio task group whose child goes on waiting for a shielded task of five seconds."""

    async def child() -> None:
        inner = asyncio.ensure_future(asyncio.sleep(5))
        while not inner.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(inner)

    async with anyio.create_task_group() as group:
        group.start_soon(child)
        await asyncio.sleep(0)
        group.cancel_scope.cancel()
    return loop.time()


def test_an_anyio_scope_with_a_swallowing_child_ends_at_its_time() -> None:
    """anyio's cancel delivery spins; it is no livelock, and offers few choices."""
    for program in (swallow_for_five_seconds, wait_on_a_shield):
        played = play(program)
        assert (5.0, None) == (played.result, played.limit)
        assert len(played.course) < 30


def test_an_anyio_scope_hits_no_limit_when_the_world_is_late() -> None:
    """The same under each single deviation of the first choice points."""
    for program in (swallow_for_five_seconds, wait_on_a_shield):
        for point in range(len(play(program).course)):
            assert play(program, ScheduleChooser(((point, 1),))).limit is None


def test_spinning_without_anything_pending_is_a_livelock() -> None:
    """A task that yields for ever is named with the line it spins at."""

    async def spins(_: SimLoop) -> None:
        while True:
            await asyncio.sleep(0)

    played = play(spins)
    assert "livelock" == played.limit
    assert "test_boundaries.py" in played.detail


def test_a_deadlock_names_who_waits_where() -> None:
    """Nothing ready, nothing due, no timer: the waiting coroutine and its line are given."""

    async def waits(_: SimLoop) -> None:
        await asyncio.Event().wait()

    played = play(waits)
    assert "deadlock" == played.limit
    assert "test_boundaries.py" in played.detail


def test_waiting_for_ever_in_small_steps_hits_the_virtual_time_limit() -> None:
    """Virtual time is bounded."""

    async def ticks(_: SimLoop) -> None:
        while True:
            await asyncio.sleep(60)

    assert "virtual-time-limit" == play(ticks, limits=Limits(virtual_s=3600)).limit


def test_more_boundaries_than_allowed_hit_the_step_limit() -> None:
    """So is the number of loop boundaries."""

    async def ticks(_: SimLoop) -> None:
        while True:
            await asyncio.sleep(0.001)

    assert "step-limit" == play(ticks, limits=Limits(boundaries=1000)).limit


def test_sys_exit_ends_the_trial_and_not_the_process() -> None:
    """SystemExit out of a task is the limit `agent-exit`."""

    async def leaves(_: SimLoop) -> None:
        raise SystemExit(3)

    played = play(leaves)
    assert ("agent-exit", "SystemExit left a task") == (played.limit, played.detail)


def test_an_exception_in_a_callback_is_recorded_and_the_program_goes_on() -> None:
    """As on stock, it goes to the loop's handler."""

    async def main(loop: SimLoop) -> str:
        loop.call_soon(lambda: 1 / 0)
        await asyncio.sleep(1)
        return "went on"

    played = play(main)
    assert "went on" == played.result
    assert 1 == len(played.errors)
    assert "ZeroDivisionError" in played.errors[0]


def test_no_program_of_this_file_is_judged_by_chance() -> None:
    """The same schedule gives the same course twice."""

    def courses() -> list[list[tuple[list[str], int]]]:
        return [
            [([option.label for option in point.options], point.chosen) for point in played.course]
            for played in every(cancelled_reader)
        ]

    assert courses() == courses()


async def cancelled_reader(loop: SimLoop) -> str:
    """A reader that is cancelled while an item is on its way."""
    queue: asyncio.Queue[int] = asyncio.Queue()
    task = asyncio.create_task(queue.get())
    Call(loop, "item", lambda: queue.put_nowait(1))
    Call(loop, "cancel", task.cancel)
    await asyncio.wait([task])
    return "cancelled" if task.cancelled() else "read"


def test_what_a_program_leaves_is_named() -> None:
    """A pending task, a timer and an open generator are found when the program ends."""

    async def numbers() -> AsyncIterator[int]:
        yield 1
        yield 2

    kept: list[object] = []

    async def leaves(loop: SimLoop) -> None:
        kept.append(asyncio.create_task(asyncio.sleep(100)))
        loop.call_later(50, print)
        generator = numbers()
        kept.append(generator)
        await anext(generator)
        await asyncio.sleep(0)

    kinds = sorted({left.kind for left in play(leaves).left})
    assert ["leaked-generator", "leaked-task", "leaked-timer"] == kinds
    assert () == play(cancelled_reader).left


def marks(program: Program) -> list[str]:
    """What of the default schedule's options is noted as the same trial, by label."""
    course = play(program).course
    return [point.options[point.same].label for point in course if point.same]


def test_a_delivery_that_is_next_anyway_is_noted() -> None:
    """Before what is ready or behind it, if nothing comes of that: the same."""

    async def main(loop: SimLoop) -> None:
        Call(loop, "item", lambda: None)
        loop.call_soon(str)
        await asyncio.sleep(1)

    assert ["item"] == marks(main)


def test_a_delivery_with_something_ready_behind_it_is_not_noted() -> None:
    """What the ready handle makes ready would run first by default, and second otherwise."""

    async def main(loop: SimLoop) -> None:
        Call(loop, "item", lambda: None)
        loop.call_soon(loop.call_soon, str)
        await asyncio.sleep(1)

    first, second, *_ = play(main).course
    assert (0, 1) == (first.same, second.same)


def test_a_delivery_for_which_time_must_pass_is_not_noted() -> None:
    """What is ready would run later than it does by default."""

    async def main(loop: SimLoop) -> None:
        Call(loop, "item", lambda: None, due=0.5)
        loop.call_soon(str)
        await asyncio.sleep(1)

    assert [] == marks(main)


def test_a_delivery_beside_a_timer_is_not_noted() -> None:
    """A timer that is due runs behind what is ready, and so before the delivery."""

    async def main(loop: SimLoop) -> None:
        Call(loop, "item", lambda: None)
        loop.call_soon(str)
        loop.call_later(0, str)
        await asyncio.sleep(1)

    assert [] == marks(main)


def test_a_delivery_behind_word_to_a_stream_is_not_noted() -> None:
    """What looks at the world between two iterations may have told a stream of a cancel."""

    async def main(loop: SimLoop) -> None:
        def poll() -> None:
            loop.boundaries.progress += 1

        Call(loop, "item", lambda: None)
        loop.call_soon(loop.boundaries.polls.append, poll)
        await asyncio.sleep(1)

    assert [] == marks(main)


@pytest.mark.parametrize("program", [cancelled_reader])
def test_what_is_noted_is_the_same_trial(program: Program) -> None:
    """Behind each schedule of a small program."""
    for played in every(program):
        schedule = deviations(played.course)
        first = schedule[-1][0] + 1 if schedule else 0
        for number, point in list(enumerate(played.course))[first:]:
            if point.same:
                again = play(program, ScheduleChooser((*schedule, (number, point.same))))
                assert (played.result, played.errors) == (again.result, again.errors)

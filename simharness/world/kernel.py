"""The kernel alone: one coroutine function run in the simulated world, without an agent.

For programs that want controlled interleavings and virtual time, and for the tests of the world
itself. Deliveries are made with `Call`, `Wait` and `Thread` of this package.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import attrs

from simharness.choices import Chooser, Course, ScheduleChooser
from simharness.trace import LeftBehind
from simharness.world.eventloop import SimLoop, ignore_error
from simharness.world.leaks import left_on_loop, pending_tasks
from simharness.world.limits import Limits, TrialEnded
from simharness.world.tasks import where

_CANCELS_MAX = 5
"""How often teardown cancels a task that swallows it, before it is dropped."""


@attrs.frozen
class Played:
    """What became of a program: its result or error, the limit it hit, and the course taken.

    `errors` reached the loop's handler; `left` is what was still there when the program ended.
    """

    result: Any
    error: BaseException | None
    limit: str | None
    detail: str
    course: Course
    time: float
    errors: tuple[str, ...] = ()
    left: tuple[LeftBehind, ...] = ()


def play(
    main: Callable[[SimLoop], Awaitable[Any]],
    chooser: Chooser | None = None,
    *,
    mode: str = "strict",
    patience_s: float = 60.0,
    limits: Limits | None = None,
) -> Played:
    """Run `main(loop)` until it ends, and tear down what it leaves.

    `mode` "relaxed" also permutes ready task steps. Errors are returned, never raised.
    """
    loop = SimLoop(
        chooser or ScheduleChooser(),
        patience_s=patience_s,
        limits=limits,
        relaxed=mode == "relaxed",
    )
    errors: list[str] = []
    loop.on_error = lambda message, error: errors.append(f"{message}: {error!r}")
    limit, detail = None, ""
    with loop:
        task = loop.create_task(_main(main, loop))
        try:
            while not task.done():
                if not loop.boundaries.step():
                    limit, detail = "deadlock", deadlock_text(loop)
                    break
        except TrialEnded as ended:
            limit, detail = ended.limit, ended.detail
        now = loop.clock.now
        done = task.done() and not task.cancelled()
        error = task.exception() if done else None
        result = task.result() if done and error is None else None
        left = pending_tasks(loop, {task}, final=True)
        left += [
            LeftBehind(kind, name, final=True)
            for kind, names in left_on_loop(loop).items()
            for name in names
        ]
        tear_down(loop)
    course = tuple(loop.boundaries.points)
    return Played(result, error, limit, detail, course, now, tuple(errors), tuple(left))


async def _main(main: Callable[[SimLoop], Awaitable[Any]], loop: SimLoop) -> Any:
    return await main(loop)


def deadlock_text(loop: SimLoop) -> str:
    """Who waits: every unfinished task with the place where it is suspended."""
    waiting = [where(task) for task in loop.living() if not task.done()]
    waiting += [job.where() for job in loop.workers.jobs if job.blocked]
    return "; ".join(waiting) or "nothing is pending and nothing can come"


def tear_down(loop: SimLoop, *, boundaries_max: int = 200) -> None:
    """Cancel what is left and close generators, on the default schedule, recording nothing.

    Runs while the loop still counts as running, as `asyncio.run` does; what resists is dropped.
    """
    boundaries = loop.boundaries
    boundaries.free = False
    boundaries.closing = True
    boundaries.polls.clear()
    boundaries.quiet_watch.clear()
    boundaries.count_max = boundaries.count + boundaries_max
    loop.on_error = ignore_error
    loop.workers.abandon()
    try:
        for _ in range(_CANCELS_MAX):
            if not _cancel_all(loop):
                break
            while loop.ready and boundaries.step():
                pass
        for generator in loop.open_generators():
            loop.create_task(_close(generator))
        while loop.ready and boundaries.step():
            pass
    except TrialEnded:
        pass
    for task in loop.living():
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        if task.done() and not task.cancelled():
            task.exception()


def _cancel_all(loop: SimLoop) -> bool:
    """Cancel every task that is not done; whether there was one."""
    pending = [task for task in loop.living() if not task.done()]
    for task in pending:
        task.cancel()
    return bool(pending)


async def _close(generator: Any) -> None:
    with contextlib.suppress(BaseException):  # teardown changes no verdict
        await generator.aclose()

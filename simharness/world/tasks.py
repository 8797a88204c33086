"""Tasks and futures that hash by creation number, and where they wait.

`asyncio.wait` and `gather` keep sets of futures; with address hashes their order, and so a trace,
would change from process to process.
"""

from __future__ import annotations

import asyncio
from pathlib import PurePath
from types import CodeType, FrameType
from typing import Any

_PLUMBING = (
    "asyncio",
    "anyio",
    "concurrent",
    "simharness/world",
    "simharness/provider",
)
"""Folders whose frames say nothing about who waits."""


class SimTask(asyncio.Task[Any]):
    """A task with a number. Made by `make_task`: asyncio hashes a task while it is initialised."""

    __slots__ = ("number",)
    number: int

    def __hash__(self) -> int:
        return self.number


def make_task(number: int, coro: Any, **options: Any) -> SimTask:
    """A task that hashes as `number`; `options` are those of `asyncio.Task`."""
    task = SimTask.__new__(SimTask)
    task.number = number
    SimTask.__init__(task, coro, **options)
    return task


class SimFuture(asyncio.Future[Any]):
    """A future with a number, given when it is first hashed; negative, so never a task's."""

    __slots__ = ("number",)
    number: int

    def __hash__(self) -> int:
        try:
            return self.number
        except AttributeError:
            loop: Any = self.get_loop()
            loop.futures_made += 1
            self.number = -1 - loop.futures_made
            return self.number


def frames_of(task: asyncio.Task[Any]) -> list[tuple[CodeType, int]]:
    """The suspended frames of `task`, outermost first, as (code, line)."""
    found: list[tuple[CodeType, int]] = []
    waiter: Any = task.get_coro()
    while waiter is not None:
        frame: FrameType | None = None
        for prefix in ("cr", "ag", "gi"):
            frame = getattr(waiter, f"{prefix}_frame", None)
            if frame is not None:
                found.append((frame.f_code, frame.f_lineno))
                waiter = getattr(waiter, f"{prefix}_await", None) or getattr(
                    waiter, f"{prefix}_yieldfrom", None
                )
                break
        if frame is None:
            break
    return found


def coroutine_name(task: asyncio.Task[Any]) -> str:
    """The qualified name of the task's coroutine: stable, unlike the names asyncio counts up."""
    coro = task.get_coro()
    return getattr(coro, "__qualname__", type(coro).__name__)


def where(task: asyncio.Task[Any]) -> str:
    """`name at file:line`: the innermost frame that is not event-loop plumbing."""
    name = coroutine_name(task)
    frames = frames_of(task)
    ours = bool(frames) and not shown(frames[0][0].co_filename, 1)
    for code, line in reversed(frames):
        place = shown(code.co_filename, line)
        if place:
            return f"{code.co_qualname if ours else name} at {place}"
    return name


def shown(file: str, line: int) -> str:
    """`file:line` without the folder, so that it reads the same everywhere; "" for plumbing."""
    path = PurePath(file).as_posix()
    if path.endswith("/threading.py") or any(f"/{folder}/" in path for folder in _PLUMBING):
        return ""
    return f"{PurePath(path).name}:{line}"

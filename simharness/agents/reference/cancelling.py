"""Cancellation: one answer to "was this run cancelled?", and two ways to await under it.

A run is cancelled by `Agent.cancel` (the reason is set) or by `task.cancel()` on the task that runs
the prompt (asyncio counts it). Both count from the moment they are called. Nothing here decides
what a cancel does to a history.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

__all__ = ["Caller", "Cancellation"]


@attrs.frozen(eq=False)
class Caller:
    """The task that awaits a run, and how often it had been cancelled before."""

    task: asyncio.Task[Any]
    cancels: int

    @classmethod
    def now(cls) -> Caller:
        """The running task."""
        task = asyncio.current_task()
        assert task is not None, "a prompt runs in a task"
        return cls(task, task.cancelling())


class Cancellation:
    """The cancel of one run. It is the `signal` of its streams and the token of its tools.

    Make it in the task that runs the prompt. `caller` is who awaits it, if that is another task:
    then it is the cancel of that one which counts.
    """

    marks_outrank = True
    """Whether the framework's mark names the cause, whoever else cancelled (cause_precedence)."""

    def __init__(self, caller: Caller | None = None) -> None:
        caller = caller or Caller.now()
        self._task = caller.task
        self._loop = asyncio.get_running_loop()
        self._cancels_before = caller.cancels
        self._reason = ""
        self._mark = ""
        self._since = 0.0
        self._watchers: list[Callable[[], None]] = []

    @property
    def reason(self) -> str:
        """Whose cancel it is: the first caller's, whom a mark of the framework outranks.

        Whichever came first, for a shutdown calls what a caller calls. A bare `task.cancel()` is
        the user's.
        """
        return (self.marks_outrank and self._mark) or self._reason or "user"

    @property
    def marked(self) -> bool:
        """Whether the framework stopped the run, and not a caller alone."""
        return bool(self._mark)

    @property
    def by_task(self) -> bool:
        """Whether somebody cancelled the prompt's task, so that it has to end with CancelledError.

        True also while that CancelledError is still on its way, or after a stream swallowed it.
        """
        return self._task.cancelling() > self._cancels_before

    @property
    def called(self) -> bool:
        """Whether the run was cancelled, in either way. What the loop asks before it goes on."""
        return bool(self._reason) or self.by_task

    def is_set(self) -> bool:
        """Whether streams and tools are told by token. A stream sees `task.cancel()` by itself."""
        return bool(self._reason)

    def set(self, reason: str = "user") -> None:
        """Cancel the run. The first reason stays; a second cancel changes nothing."""
        if not self._reason:
            self._reason = reason or "user"
            self._since = self._loop.time()
            for watcher in tuple(self._watchers):
                watcher()

    def mark(self, mark: str) -> None:
        """Stop the run on behalf of the framework; of two marks the first stays."""
        self.notice()
        self._mark = self._mark or mark
        self.set(mark)

    def notice(self) -> None:
        """Treat a `task.cancel()` that has happened like any other cancel."""
        if self.by_task:
            self.set()

    @contextlib.asynccontextmanager
    async def bounded(self, seconds: float) -> AsyncIterator[asyncio.Timeout]:
        """Run a block that a cancel ends: `task.cancel()` at once, `set` after `seconds`.

        The seconds count from the cancel. The block then just ends; the code behind it asks
        `called`. It gets the scope that ends it.
        """

        def bound() -> None:
            if not scope.expired():  # for another reason, in this very step
                scope.reschedule(self._after(seconds))

        try:
            async with asyncio.timeout(None) as scope:
                with self._watched(bound):
                    yield scope
        except TimeoutError:
            if not scope.expired():
                raise
            self.notice()  # one that came just before the block looks like the bound of it
        except asyncio.CancelledError as error:
            if not self.by_task:
                raise RuntimeError("what was awaited cancelled itself") from error
            self.notice()

    async def patiently(self, *work: Coroutine[Any, Any, None], grace_s: float) -> None:
        """Run `work` side by side to its very end, cancelled or not.

        A `task.cancel()` is noted and does not reach the work. What has not ended `grace_s` after
        the cancel has its task cancelled and is still waited for. The first exception of the work
        is raised when all of it has ended.
        """
        pending = tasks = [self._loop.create_task(_begun(one)) for one in work]
        timers: list[asyncio.TimerHandle] = []

        def start_grace() -> None:
            end = self._after(grace_s)
            timers.extend(self._loop.call_at(end, task.cancel) for task in tasks)

        with self._watched(start_grace):
            while pending:
                try:
                    await asyncio.wait(pending)
                except asyncio.CancelledError:
                    self.notice()
                pending = [task for task in tasks if not task.done()]
        for timer in timers:
            timer.cancel()
        unbegun = [one for one in work if inspect.getcoroutinestate(one) == inspect.CORO_CREATED]
        if unbegun:  # a second Ctrl-C cancels every task, also one that has not begun
            await self.patiently(*unbegun, grace_s=grace_s)
        errors = [task.exception() for task in tasks if not task.cancelled()]
        for error in filter(None, errors):
            raise error

    def _after(self, seconds: float) -> float:
        """The loop's time `seconds` after the cancel; one that was not noticed yet is new."""
        return (self._since if self._reason else self._loop.time()) + seconds

    @contextlib.contextmanager
    def _watched(self, watcher: Callable[[], None]) -> Iterator[None]:
        """Call `watcher` when the cancel is set; at once if it is set already."""
        self._watchers.append(watcher)
        try:
            if self.called:
                watcher()
            yield
        finally:
            self._watchers.remove(watcher)


async def _begun(work: Coroutine[Any, Any, None]) -> None:
    """Await `work`; if the task of this never begins, neither does the work."""
    await work

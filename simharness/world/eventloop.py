"""The event loop that agents see: asyncio's interface over virtual time.

It owns what is ready, the tasks, and what the program does to the loop. When the outside comes in
is decided in boundaries.py. Sockets, subprocesses and signals do not exist here; asking for one
raises an error that says what to use instead.
"""

from __future__ import annotations

import asyncio
import contextvars
import sys
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable
from contextvars import copy_context
from typing import Any, NoReturn, Self

from simharness.choices import Chooser
from simharness.trace import LoopBlocked
from simharness.world import baton
from simharness.world.boundaries import Boundaries
from simharness.world.clock import Clock
from simharness.world.handles import Handle, Ready, Timer
from simharness.world.limits import Limits, TrialEnded
from simharness.world.refusals import Refusals
from simharness.world.runs import RUN
from simharness.world.tasks import SimFuture, make_task
from simharness.world.workers import Workers

ExceptionHandler = Callable[[asyncio.AbstractEventLoop, dict[str, Any]], object]


class SimLoop(Refusals, asyncio.AbstractEventLoop):
    """One event loop, for one trial."""

    def __init__(
        self,
        chooser: Chooser,
        *,
        patience_s: float = 60.0,
        limits: Limits | None = None,
        relaxed: bool = False,
    ) -> None:
        self.ready: deque[Ready] = deque()
        self.clock = Clock()
        self.tasks_made = 0
        self.futures_made = 0
        self.tasks: list[weakref.ref[asyncio.Task[Any]]] = []
        self.generators: list[weakref.ref[AsyncGenerator[Any, Any]]] = []
        self.on_error: Callable[[str, BaseException | None], None] = ignore_error
        self.on_blocked: Callable[[LoopBlocked], None] = _ignore_blocked
        self.boundaries = Boundaries(
            self, chooser, patience_s=patience_s, limits=limits, relaxed=relaxed
        )
        self.workers = Workers(self)
        self._outside = contextvars.Context()
        self._factory: Callable[..., asyncio.Task[Any]] | None = None
        self._handler: ExceptionHandler | None = None
        self._running = False
        self._closed = False
        self._debug = False
        self._hooks: Any = None

    # --- entering and leaving --------------------------------------------------------------

    def __enter__(self) -> Self:
        asyncio._set_running_loop(self)
        self._running = True
        self._hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._generator_started, finalizer=self._generator_dropped)
        return self

    def __exit__(self, *_: object) -> None:
        sys.set_asyncgen_hooks(*self._hooks)
        asyncio._set_running_loop(None)
        self._running = False
        self._closed = True
        self.ready.clear()
        # asyncio's own set of tasks holds them until they are collected, which is seldom within a
        # batch. Tasks of all trials hash alike: every new one would have to pass them by.
        for task in self.living():
            asyncio.tasks._unregister_task(task)
        del self.boundaries.loop, self.workers.loop  # cycles: collections are seldom, and dear

    def from_outside(self, call: Callable[..., object], *args: Any) -> None:
        """Make one handle ready that runs outside any prompt's context: a delivery."""
        self.ready.append(Handle(call, args, self._outside))

    def handle_failed(self, handle: Ready, exc: BaseException) -> None:
        """Send what a callback raised where stock asyncio sends it."""
        if isinstance(exc, TrialEnded):
            raise exc
        if isinstance(exc, SystemExit | KeyboardInterrupt):
            raise TrialEnded("agent-exit", f"{type(exc).__name__} left a task") from exc
        self.call_exception_handler(
            {"message": f"Exception in callback {handle!r}", "exception": exc}
        )

    def stop(self) -> NoReturn:
        """End the trial: on stock everything that waits for the loop fails with a RuntimeError."""
        raise self.boundaries.end("agent-exit", "loop.stop() was called")

    # --- callbacks and timers ---------------------------------------------------------------

    def call_soon(  # type: ignore[override]
        self,
        callback: Any,
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> Handle:
        """Make `callback` ready for the next iteration."""
        handle = Handle(callback, args, copy_context() if context is None else context)
        self.ready.append(handle)
        return handle

    def call_soon_threadsafe(  # type: ignore[override]
        self,
        callback: Any,
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> Handle:
        """From a worker a post of its thread; on the loop's own thread `call_soon`, as on stock."""
        context = copy_context() if context is None else context
        if baton.current() is None or self.workers.current is None:
            return self.call_soon(callback, *args, context=context)
        handle = Handle(callback, args, context)
        self.workers.current.post(_run_posted, (handle,), context)
        return handle

    def call_later(  # type: ignore[override]
        self,
        delay: float,
        callback: Any,
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> Timer:
        """Set a timer `delay` virtual seconds from now."""
        clock = self.clock
        context = copy_context() if context is None else context
        return clock.at(clock.now + delay, callback, args, context)

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Any,
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> Timer:
        """Set a timer for virtual time `when`."""
        context = copy_context() if context is None else context
        return self.clock.at(when, callback, args, context)

    def time(self) -> float:
        """The virtual time in seconds, from 0."""
        return self.clock.now

    # --- tasks and futures -------------------------------------------------------------------

    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return SimFuture(loop=self)

    def create_task(
        self,
        coro: Generator[Any, None, Any] | Coroutine[Any, Any, Any],
        *,
        name: str | None = None,
        context: contextvars.Context | None = None,
        **options: Any,
    ) -> asyncio.Task[Any]:
        """A task of this loop, made by the task factory if one is set."""
        if self._factory is None:
            self.tasks_made += 1
            task: asyncio.Task[Any] = make_task(
                self.tasks_made, coro, loop=self, name=name, context=context, **options
            )
        elif context is None:
            task = self._factory(self, coro, name=name, **options)
        else:
            task = self._factory(self, coro, name=name, context=context, **options)
        self.tasks.append(weakref.ref(task))
        return task

    def set_task_factory(self, factory: Any) -> None:
        """Make tasks by `factory` (eager factories included); None: our own tasks."""
        self._factory = factory

    def get_task_factory(self) -> Any:
        """The factory that was set."""
        return self._factory

    def living(self) -> list[asyncio.Task[Any]]:
        """All tasks that still exist, in creation order."""
        found = [task for ref in self.tasks if (task := ref()) is not None]
        if len(found) < len(self.tasks):
            self.tasks = [weakref.ref(task) for task in found]
        return found

    def forget(self) -> list[asyncio.Task[Any]]:
        """Give away all tasks: their process is gone, and whoever takes them keeps them alive."""
        taken, self.tasks = self.living(), []
        return taken

    def remember(self, tasks: Iterable[asyncio.Task[Any]]) -> None:
        """Take back what was forgotten, for the teardown."""
        self.tasks += [weakref.ref(task) for task in tasks]

    # --- executors ---------------------------------------------------------------------------

    def run_in_executor(  # type: ignore[override]
        self,
        executor: Any,  # noqa: ARG002 - all workers are simulated
        func: Callable[..., Any],
        *args: Any,
    ) -> asyncio.Future[Any]:
        """Run `func` in a simulated worker thread."""
        future = self.create_future()

        def report(result: Any, error: BaseException | None) -> None:
            if future.cancelled():
                return
            if isinstance(error, StopIteration):
                future.set_exception(RuntimeError("a worker raised StopIteration"))
            elif error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)

        # As on stock the thread has a context of its own; only the run is carried over, so that
        # what a tool body witnesses there belongs to the right prompt.
        context = contextvars.Context()
        context.run(RUN.set, RUN.get())
        self.workers.submit(lambda: func(*args), report, dropped=future.cancelled, context=context)
        return future

    def set_default_executor(self, executor: Any) -> None:
        """Accepted and ignored: all workers are simulated."""

    # --- what a program asks its loop ------------------------------------------------------------

    def get_debug(self) -> bool:
        """Whether asyncio's debug mode was asked for."""
        return self._debug

    def set_debug(self, enabled: bool) -> None:
        """Remember the wish; it changes nothing here."""
        self._debug = enabled

    def is_running(self) -> bool:
        """Whether a trial is in progress."""
        return self._running

    def is_closed(self) -> bool:
        """Whether the trial is over."""
        return self._closed

    def set_exception_handler(self, handler: ExceptionHandler | None) -> None:
        """Send errors to `handler` as well; the trial records them in any case."""
        self._handler = handler

    def get_exception_handler(self) -> ExceptionHandler | None:
        """The handler that was set."""
        return self._handler

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Do nothing: the error was recorded before."""

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Record an error nobody caught, then tell the program's own handler."""
        self.on_error(str(context.get("message", "")), context.get("exception"))
        if self._handler is not None:
            self._handler(self, context)

    # --- async generators -----------------------------------------------------------------------

    def _generator_started(self, generator: AsyncGenerator[Any, Any]) -> None:
        self.generators.append(weakref.ref(generator))

    def _generator_dropped(self, generator: AsyncGenerator[Any, Any]) -> None:
        # As on stock: a dropped generator is closed by a task of its own.
        self.generators = [ref for ref in self.generators if ref() not in (None, generator)]
        if not self._closed:
            self.create_task(generator.aclose())

    def open_generators(self) -> list[AsyncGenerator[Any, Any]]:
        """All async generators that still exist, in the order in which they were begun."""
        return [generator for ref in self.generators if (generator := ref()) is not None]

    async def shutdown_asyncgens(self) -> None:
        """Close all generators that are still open."""
        for generator in self.open_generators():
            await generator.aclose()

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Nothing to shut down: workers are simulated."""


def _run_posted(handle: Handle) -> None:
    if not handle._cancelled:
        handle._callback(*handle._args)


def _ignore_blocked(record: LoopBlocked) -> None:
    """A program without a trace has nowhere to note it."""


def ignore_error(message: str, error: BaseException | None) -> None:
    """Errors before a trial has its trace are nobody's."""

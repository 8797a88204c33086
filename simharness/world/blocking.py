"""What blocks a thread, replaced for the threads of a trial.

`threading.Condition.wait` carries Event.wait, Queue.get, Future.result and Barrier. In a baton
thread it gives the baton back; on the loop's own thread it can never be woken, which ends the
trial; in foreign threads it is the real one. anyio's worker class hands its jobs to our workers.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from simharness.trace import LoopBlocked
from simharness.world import clocks
from simharness.world.baton import current
from simharness.world.clock import INFINITY

if TYPE_CHECKING:
    from simharness.world.workers import Job

FOREIGN_WAIT_S = 2.0
"""How long, in real seconds, the loop's thread waits for a thread that the program started."""

_real_wait = threading.Condition.wait


def running_job() -> Job | None:
    """The job whose body runs in this very thread."""
    loop = clocks.current_loop()
    return None if loop is None or current() is None else loop.workers.current


def block_until(until: Callable[[], bool]) -> None:
    """Block the running body until `until()` holds; only within a baton thread."""
    baton = current()
    assert baton is not None, "only a body in a thread of its own may block"
    baton.block(until)


def _wait(self: threading.Condition, timeout: float | None = None) -> bool:
    """`Condition.wait` in virtual time."""
    loop = clocks.current_loop()
    if loop is None:
        return _real_wait(self, timeout)
    if current() is None:
        return _wait_on_the_loop_thread(self, timeout)
    inner: Any = self
    lock = threading.Lock()
    lock.acquire()
    inner._waiters.append(lock)
    saved = inner._release_save()
    deadline = INFINITY if timeout is None else loop.clock.now + timeout
    if timeout is not None:
        loop.call_at(deadline, _nothing)  # so that time can pass to it
    try:
        block_until(lambda: not lock.locked() or loop.clock.now >= deadline)
    finally:
        inner._acquire_restore(saved)
    if lock.locked():
        with contextlib.suppress(ValueError):
            inner._waiters.remove(lock)
        return False
    return True


def _wait_on_the_loop_thread(condition: threading.Condition, timeout: float | None) -> bool:
    """A real thread of the program's own may wake us; our workers cannot while the loop blocks."""
    loop = clocks.current_loop()
    assert loop is not None, "asked only within a trial"
    if _foreign_threads() and _real_wait(condition, FOREIGN_WAIT_S):
        return True
    if timeout is None:
        raise loop.boundaries.end("wall-limit", "the loop's own thread waits for another thread")
    loop.clock.now += timeout
    loop.on_blocked(LoopBlocked(timeout))
    return False


def _foreign_threads() -> bool:
    """Whether threads are alive that are neither the loop's own nor ours."""
    own = threading.current_thread()
    return any(
        thread is not own and not isinstance(thread, threading._DummyThread)
        for thread in threading.enumerate()
    )


def _nothing() -> None:
    """A deadline: time may pass to it."""


@contextlib.contextmanager
def virtual_waits() -> Iterator[None]:
    """Install the replacements."""
    threading.Condition.wait = _wait  # type: ignore[method-assign]
    try:
        with _anyio_workers():
            yield
    finally:
        threading.Condition.wait = _real_wait  # type: ignore[method-assign]


@contextlib.contextmanager
def _anyio_workers() -> Iterator[None]:
    backend: Any = sys.modules.get("anyio._backends._asyncio")
    if backend is None:
        yield
        return
    from simharness.world.anyio_workers import worker_class

    real = backend.WorkerThread
    backend.WorkerThread = worker_class(backend, real)
    try:
        yield
    finally:
        backend.WorkerThread = real

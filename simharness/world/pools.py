"""Thread pools of a program's own, in virtual threads: `ThreadPoolExecutor` where nothing awaits.

Blocking code (a synchronous agent, a body in a worker) that hands jobs to a pool of its own would
start real threads, which race with everything. Its jobs become worker threads of the trial; what it
waits for them with (`Future.result`, `as_completed`, leaving the pool) blocks in virtual time.
"""

from __future__ import annotations

import contextlib
import contextvars
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait as wait_for_all
from typing import TYPE_CHECKING, Any

from simharness.world import clocks
from simharness.world.baton import current
from simharness.world.runs import RUN

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop

_real_submit = ThreadPoolExecutor.submit
_real_shutdown = ThreadPoolExecutor.shutdown
_pools: weakref.WeakKeyDictionary[ThreadPoolExecutor, _Pool] = weakref.WeakKeyDictionary()


class _Pool:
    """The jobs of one executor in one trial: as many at a time as it has threads."""

    def __init__(self, loop: SimLoop, size: int) -> None:
        self.loop = loop
        self.futures: list[Future[Any]] = []
        self._size = size
        self._running = 0
        self._waiting: deque[tuple[Future[Any], Callable[[], Any], contextvars.Context]] = deque()

    def submit(self, body: Callable[[], Any]) -> Future[Any]:
        """Run `body` in a worker, at once or when one is free."""
        future: Future[Any] = Future()
        self.futures.append(future)
        # a thread of a pool inherits no context; only we know the run that its job belongs to
        context = contextvars.Context()
        context.run(RUN.set, RUN.get())
        self._waiting.append((future, body, context))
        self._fill()
        return future

    def drop(self) -> None:
        """Cancel what has not begun."""
        for future, *_ in self._waiting:
            future.cancel()

    def _fill(self) -> None:
        while self._waiting and self._running < self._size:
            future, body, context = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                self._running += 1
                self.loop.workers.submit(body, self._reporter(future), context=context)

    def _reporter(self, future: Future[Any]) -> Callable[[Any, BaseException | None], None]:
        def report(result: Any, error: BaseException | None) -> None:
            self._running -= 1
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)
            self._fill()

        return report


def _submit(
    self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **words: Any
) -> Future[Any]:
    """`ThreadPoolExecutor.submit` in the trial's own threads."""
    loop = clocks.current_loop()
    if loop is None or current() is None:
        return _real_submit(self, fn, *args, **words)
    if self._shutdown:
        raise RuntimeError("cannot schedule new futures after shutdown")
    pool = _pools.get(self)
    if pool is None or pool.loop is not loop:
        pool = _pools[self] = _Pool(loop, self._max_workers)
    return pool.submit(lambda: fn(*args, **words))


def _shutdown(self: ThreadPoolExecutor, wait: bool = True, *, cancel_futures: bool = False) -> None:
    """`ThreadPoolExecutor.shutdown`, which waits for virtual threads as for real ones."""
    _real_shutdown(self, wait, cancel_futures=cancel_futures)
    pool = _pools.get(self)
    if pool is None or pool.loop is not clocks.current_loop():
        return
    if cancel_futures:
        pool.drop()
    if wait and current() is not None:
        wait_for_all(pool.futures)


@contextlib.contextmanager
def virtual_pools() -> Iterator[None]:
    """Install the replacements."""
    executor: Any = ThreadPoolExecutor
    executor.submit, executor.shutdown = _submit, _shutdown
    try:
        yield
    finally:
        executor.submit, executor.shutdown = _real_submit, _real_shutdown

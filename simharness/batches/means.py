"""The means of a campaign: an executor, and what it is asked to call.

The executor in this process is here; others come from `simharness.isolate` and Dask.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from simharness.batches.batch import Done

__all__ = ["Inline", "Means"]

T = TypeVar("T")


def _drop(executor: Executor) -> None:
    executor.shutdown(wait=False, cancel_futures=True)


@attrs.frozen
class Means:
    """How batches are run.

    `make` makes the executor, and a new one when it is broken. `call` is given a `Batch` there; it
    can be pickled unless the executor is in this process. `ahead` is how many batches are handed
    out at a time: enough to keep all workers busy while results come in. `close` ends the executor
    without waiting for what it does. `deaths` is what a future raises if its worker died.
    """

    make: Callable[[], Executor]
    call: Callable[..., Done]
    ahead: int = 1
    close: Callable[[Executor], None] = _drop
    deaths: tuple[type[BaseException], ...] = (BrokenExecutor,)


class Inline(Executor):
    """Runs what is submitted at once, in this process, all as one `world.run.batch`."""

    def __init__(self) -> None:
        self._trials = contextlib.ExitStack()
        self._trials.enter_context(batch())

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Call it; what it raises is raised by the result, but Ctrl-C is raised here."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - handed on to whoever asks for the result
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Go back to real clocks; nothing can be left to do."""
        self._trials.close()

"""Worker processes as an executor of `concurrent.futures`, for campaigns in batches.

Unlike the pool of the standard library it loses one job with one worker, kills workers that do not
get on, and leaves no process behind whatever becomes of this one.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import TYPE_CHECKING, Any

import attrs

from simharness.agent import NotApplicable
from simharness.isolate.pool import Pool
from simharness.isolate.process import Death, Job, UnusableError
from simharness.verdict import HarnessError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simharness.isolate.settings import Setup

__all__ = ["WorkerDiedError", "Workers"]


class WorkerDiedError(BrokenExecutor):
    """The worker that ran a job died; the text says how. The executor goes on."""


class Workers(Executor):
    """Calls duties (see `duties`) in up to `setup.isolation.jobs` worker processes.

    A thread looks after the workers. It also starts them, and they die with it.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lock = threading.Lock()  # for the next four
        self._new: deque[_Call] = deque()
        self._closed = False
        self._hurry = False
        self._unusable: BaseException | None = None
        self._read_fd, self._wake_fd = os.pipe()
        self._thread = threading.Thread(target=self._serve, daemon=True, name="simharness-workers")
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a duty done. Its future raises WorkerDiedError, or UnusableError if none starts."""
        assert not kwargs, "a duty has no options"
        call = _Call(Job(fn, args))
        with self._lock:
            if isinstance(self._unusable, UnusableError):
                raise self._unusable
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._new.append(call)
            os.write(self._wake_fd, b".")
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers when all is done; if futures are cancelled, at once, whatever they do."""
        with self._lock:
            self._hurry = self._hurry or cancel_futures
            if not self._closed:
                self._closed = True
                os.write(self._wake_fd, b".")
        if wait:
            self._thread.join()

    # --- in the thread ------------------------------------------------------------------------

    def _serve(self) -> None:
        pool = Pool(self._setup)
        calls: list[_Call] = []
        try:
            while self._goes_on(pool, calls):
                pool.go_on(self._read_fd)
                for call in calls:
                    if call.job.answer is not None:
                        call.settle()
                calls = [call for call in calls if call.job.answer is None]
        except UnusableError as error:
            self._give_up(calls, error)
        else:
            self._give_up(calls, CancelledError())
        finally:
            pool.close()

    def _goes_on(self, pool: Pool, calls: list[_Call]) -> bool:
        """Hand on what is new; whether anything is or may still come to be done."""
        with self._lock:
            while self._new and not self._hurry:
                call = self._new.popleft()
                if call.future.set_running_or_notify_cancel():
                    pool.add(call.job)
                    calls.append(call)
            return not self._hurry and (bool(calls) or not self._closed)

    def _give_up(self, calls: Iterable[_Call], error: BaseException) -> None:
        """Nothing of `calls`, and nothing that is new, will be done."""
        with self._lock:
            self._closed = True
            self._unusable = error
            os.close(self._read_fd)
            os.close(self._wake_fd)
            waiting = [call for call in self._new if call.future.set_running_or_notify_cancel()]
            for call in (*calls, *waiting):
                call.future.set_exception(error)


@attrs.define(eq=False)
class _Call:
    """A job, and the future that waits for it."""

    job: Job
    future: Future[Any] = attrs.field(factory=Future)

    def settle(self) -> None:
        """Give the future what became of the job."""
        answer = self.job.answer
        assert answer is not None, "only finished jobs are settled"
        if isinstance(answer, Death):
            self.future.set_exception(WorkerDiedError(f"{answer.limit} ({answer.detail})"))
            return
        kind, value = answer
        if kind == "done":
            self.future.set_result(value)
        elif kind == "not applicable":
            self.future.set_exception(NotApplicable(value))
        else:
            self.future.set_exception(HarnessError(value))

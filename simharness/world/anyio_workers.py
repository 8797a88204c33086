"""anyio's worker threads as simulated workers.

anyio keeps threads of its own instead of asking the loop's executor. The replacement keeps its
class and its bookkeeping, starts no thread, and turns each queued item into one of our jobs.
"""

from __future__ import annotations

from typing import Any


class _Jobs:
    """Stands for the queue of one anyio worker."""

    def __init__(self, worker: Any, backend: Any) -> None:
        self._worker = worker
        self._backend = backend

    def put_nowait(self, item: Any) -> None:
        """Submit the item; None is anyio's way to stop a thread, and there is none."""
        if item is None:
            return
        context, func, args, future, cancel_scope = item
        worker, backend = self._worker, self._backend

        def body() -> Any:
            with backend.claim_worker_thread(backend.AsyncIOBackend, worker.loop):
                backend.threadlocals.current_cancel_scope = cancel_scope
                try:
                    return func(*args)
                finally:
                    del backend.threadlocals.current_cancel_scope

        def report(result: Any, error: BaseException | None) -> None:
            worker._report_result(future, result, error)

        worker.loop.workers.submit(body, report, dropped=future.cancelled, context=context)


def worker_class(backend: Any, real: Any) -> Any:
    """A subclass of anyio's WorkerThread that works in our loop, and as before in any other."""
    from simharness.world.eventloop import SimLoop

    class SimWorkerThread(real):  # type: ignore[misc]
        """Bookkeeping of anyio, jobs of ours."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            if isinstance(self.loop, SimLoop):
                self.queue = _Jobs(self, backend)

        def start(self) -> None:
            """No thread is needed in the simulated world."""
            if not isinstance(self.loop, SimLoop):
                super().start()

    return SimWorkerThread

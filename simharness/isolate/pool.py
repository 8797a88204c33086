"""The pool: gives jobs to workers, replaces workers that are gone, and waits for answers.

Jobs begin in the order in which they were submitted. Answers are asked for one by one; meanwhile
all workers go on.
"""

from __future__ import annotations

import os
import selectors
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from simharness.isolate.process import Death, Job, Worker

if TYPE_CHECKING:
    from simharness.isolate.settings import Setup

__all__ = ["Pool"]

_WAKING = 1 << 16  # bytes that say no more than that there is something new
_LOOK_EVERY_S = 0.2  # how often the workers are looked after when none has anything to say


class Pool:
    """Up to `setup.isolation.jobs` workers, started when there is something to do."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._workers: list[Worker] = []
        self._waiting: deque[Job] = deque()

    def submit(
        self,
        duty: Callable[..., Any],
        *words: Any,
        hear: Callable[[Any], None] = lambda _: None,
        first: bool = False,
    ) -> Job:
        """Add a job; `first`: before all that wait."""
        job = Job(duty, words, hear)
        self.add(job, first=first)
        return job

    def add(self, job: Job, *, first: bool = False) -> None:
        """Add a job that is made already."""
        if first:
            self._waiting.appendleft(job)
        else:
            self._waiting.append(job)

    def answer(self, job: Job) -> tuple[str, Any] | Death:
        """Wait until `job` is done, or its worker dead. Raises UnusableError if none can start."""
        while job.answer is None:
            self.go_on()
        return job.answer

    def go_on(self, wake_fd: int | None = None) -> None:
        """Hand out what waits, then wait until something happens, or somebody writes to `wake_fd`.

        Raises UnusableError if no worker can start.
        """
        self._hand_out()
        self._listen(wake_fd)

    def close(self) -> None:
        """End all workers, whatever they do."""
        for worker in self._workers:
            worker.close()
        self._workers.clear()

    def _hand_out(self) -> None:
        self._workers = [worker for worker in self._workers if not worker.gone]
        for worker in self._workers:
            if self._waiting and worker.ready and worker.job is None:
                worker.give(self._waiting.popleft())
        idle = sum(worker.job is None for worker in self._workers)
        while len(self._workers) < self._setup.isolation.jobs and idle < len(self._waiting):
            self._workers.append(Worker(self._setup))
            idle += 1

    def _listen(self, wake_fd: int | None) -> None:
        with selectors.DefaultSelector() as selector:
            for worker in self._workers:
                selector.register(worker.read_fd, selectors.EVENT_READ, worker)
            if wake_fd is not None:
                selector.register(wake_fd, selectors.EVENT_READ)
            for key, _ in selector.select(_LOOK_EVERY_S):
                if key.data is None:
                    os.read(key.fd, _WAKING)
                else:
                    key.data.listen()
        for worker in self._workers:
            if not worker.gone:
                worker.look()

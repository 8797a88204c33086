"""One worker as its parent sees it: started, given work, watched, killed if it does not get on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from simharness.campaign.stopping import KILLED
from simharness.isolate.board import Board
from simharness.isolate.wire import Receiver, send
from simharness.isolate.worker import MEMORY_EXIT

if TYPE_CHECKING:
    from simharness.choices import Schedule
    from simharness.isolate.settings import Setup

__all__ = ["Death", "Job", "UnusableError", "Worker"]


class UnusableError(Exception):
    """A worker process cannot be started, or cannot load the agent; the text says why."""


_START_S = 300.0  # real seconds to import a framework on a machine that is busy

_PROGRAM = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from simharness.isolate.worker import main; main(*map(int, sys.argv[2:]))"
)


@attrs.frozen
class Death:
    """How a worker ended in the middle of a job.

    `limit` and `detail` are those of a `LimitHit`. `trials` of the job had begun, the last one with
    `schedule`.
    """

    limit: str
    detail: str
    trials: int
    schedule: Schedule


@attrs.define(eq=False)
class Job:
    """Something to do, and what became of it.

    `answer` is the worker's last word, or a `Death`. `hear` gets what it tells meanwhile.
    """

    duty: Callable[..., Any]
    words: tuple[Any, ...]
    hear: Callable[[Any], None] = lambda _: None
    answer: tuple[str, Any] | Death | None = None


class Worker:
    """One worker process. It is given one job at a time."""

    def __init__(self, setup: Setup) -> None:
        self.job: Job | None = None
        self.ready = False
        self.gone = False
        self._limits = setup.isolation
        self._board = Board.create()
        mine, theirs = os.pipe(), os.pipe()  # what it reads, what it writes
        self._write_fd, self.read_fd = mine[1], theirs[0]
        self._process = _start(mine[0], theirs[1], self._board.fd)
        os.close(mine[0])
        os.close(theirs[1])
        self._receiver = Receiver(self.read_fd)
        self._began = 0  # trials on the board when the job was given
        self._seen = 0
        self._since_s = time.perf_counter()
        self._send(setup)

    def give(self, job: Job) -> None:
        """Hand over the next job."""
        self.job = job
        self._began, self._seen = self._board.trials, self._board.moves
        self._since_s = time.perf_counter()
        self._send((job.duty, job.words))

    def listen(self) -> None:
        """Take in what has arrived. Raises UnusableError if the agent cannot be loaded there."""
        for kind, *what in self._receiver.arrived():
            if kind == "ready":
                self.ready = True
            elif kind == "unusable":
                raise UnusableError(what[0])
            elif kind == "told" and self.job is not None:
                self.job.hear(what[0])
            elif self.job is not None:
                value, worn = what
                self.job.answer, self.job = (kind, value), None
                if worn:
                    self.close()
                    return
        if self._receiver.ended:
            self._bury("")

    def look(self) -> None:
        """Kill it if it has not begun a new trial for too long."""
        now_s, moves = time.perf_counter(), self._board.moves
        if moves != self._seen:
            self._seen, self._since_s = moves, now_s
        if not self.ready:
            if now_s - self._since_s > _START_S:
                self._bury("does not start")
        elif self.job is not None and now_s - self._since_s > self._limits.kill_s:
            self._bury(KILLED)

    def close(self) -> None:
        """End it, whatever it does."""
        if self.gone:
            return
        self.gone = True
        self._kill()
        self._process.wait()
        os.close(self._write_fd)
        os.close(self.read_fd)
        self._board.close()

    def _bury(self, stuck: str) -> None:
        """It is dead, or is now, because it is `stuck`: the job has its answer."""
        if stuck:
            self._kill()
        code = self._process.wait()
        job, self.job = self.job, None
        if not self.ready:
            self.close()
            how = stuck or f"ends while it loads the agent: {_words(code)}"
            raise UnusableError(f"a worker process {how}")
        if job is not None:
            limit, detail = ("wall-limit", stuck) if stuck else self._cause(code)
            trials = self._board.trials - self._began
            job.answer = Death(limit, detail, trials, self._board.schedule)
        self.close()

    def _cause(self, code: int) -> tuple[str, str]:
        if code == MEMORY_EXIT:
            return "memory-limit", f"more than {self._limits.memory_mib} MiB"
        return "process-death", _words(code)

    def _kill(self) -> None:
        # The group: an agent's own children go with it. It is ours until we have waited for it.
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)

    def _send(self, message: object) -> None:
        with contextlib.suppress(BrokenPipeError):  # it is dead, and `listen` finds out why
            send(self._write_fd, message)


def _start(read_fd: int, write_fd: int, board_fd: int) -> subprocess.Popen[bytes]:
    import json

    fds = (read_fd, write_fd, board_fd)
    arguments = [json.dumps(sys.path), *map(str, fds)]
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", _PROGRAM, *arguments],
        pass_fds=fds,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the parent, which ends its workers
        env={"PYTHONHASHSEED": "0", **os.environ},
    )


def _words(code: int) -> str:
    """How a process ended: `exit code 5`, `SIGSEGV`."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"

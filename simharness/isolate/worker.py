"""The worker process: does one duty after the other, and reports each result at once.

It says nothing else: what the agent writes to the standard streams, by Python or past it, is
dropped. It ends when its parent does, when the parent says so, or by itself when the agent has left
so much behind that what comes next would feel it.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import threading
import traceback
from collections.abc import Iterator
from typing import Any

from simharness.agent import NotApplicable
from simharness.isolate.board import Board
from simharness.isolate.duties import Desk, Noted
from simharness.isolate.settings import Setup
from simharness.isolate.wire import Receiver, send, wait_for
from simharness.world import baton
from simharness.world.run import batch

__all__ = ["MEMORY_EXIT", "main"]

MEMORY_EXIT = 87
"""The exit code of a worker that has no memory left even to say so."""

_THREADS_MOST = 20  # what cases may leave behind before a worker is replaced
_MIB = 1 << 20


def main(read_fd: int, write_fd: int, board_fd: int) -> None:
    """Serve until there is nothing more to do; never returns."""
    try:
        _die_with_parent()
        _serve(wait_for(Receiver(read_fd)), write_fd, Board(board_fd))
    except MemoryError:
        os._exit(MEMORY_EXIT)
    except OSError:  # the parent is gone
        os._exit(1)
    except BaseException:  # noqa: BLE001 - a fault of ours; the parent shows it
        send(write_fd, ("failed", traceback.format_exc(), True))
    os._exit(0)  # threads that an agent left must not keep the process


def _serve(messages: Iterator[Any], write_fd: int, board: Board) -> None:
    setup: Setup = next(messages)
    try:
        factory = Noted(setup.find(setup.agent), board)
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent has to know
        known = isinstance(error, setup.known)
        send(write_fd, ("unusable", str(error) if known else traceback.format_exc()))
        return
    _limit_memory(setup.isolation.memory_mib)
    send(write_fd, ("ready",))
    desk = Desk(setup, factory, board, lambda message: send(write_fd, ("told", message)))
    with batch(wall_s=setup.isolation.wall_s):
        for duty, words in messages:
            answer = _answer(duty, desk, words)
            worn = _worn_out(setup.isolation.memory_mib)
            send(write_fd, (*answer, worn))
            if worn:
                return


def _answer(duty: Any, desk: Desk, words: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return "done", duty(desk, *words)
    except NotApplicable as error:
        return "not applicable", str(error)
    except MemoryError:
        raise
    except BaseException:  # noqa: BLE001 - a worker must not end because of one duty
        return "failed", traceback.format_exc()


def _worn_out(memory_mib: int) -> bool:
    """Whether what the agent left here would disturb the next case."""
    unit = 1 if sys.platform == "darwin" else 1024
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return (
        bool(baton.given_up)
        or threading.active_count() > _THREADS_MOST
        or used > memory_mib * _MIB / 2
    )


def _limit_memory(memory_mib: int) -> None:
    """Let allocations fail beyond the limit. Only Linux counts what a process maps as its data."""
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (memory_mib * _MIB, memory_mib * _MIB))


def _die_with_parent() -> None:
    """On Linux, be killed when the parent is: a worker may be stuck and never look at its pipe."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG

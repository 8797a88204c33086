"""The watchdog: ends a trial whose thread has not come back for many real seconds.

Code that spins or waits for a real lock on the loop's own thread can only be ended from outside. A
thread of ours looks once a second whether the same trial is still running; if it is for too long
it sends this process a signal, whose handler raises in whatever the agent does there. Trials pay
nothing for it. What no signal reaches (a loop in C code, code that swallows every exception) needs
a process of its own: see `simharness.isolate`.
"""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

from simharness.world import clocks
from simharness.world.tasks import shown

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop

WALL_S = 20.0
"""Real seconds after which a trial is ended. Healthy ones take milliseconds."""

_LOOK_EVERY_S = 1.0  # how often the watchdog looks, and tries again to end a trial
_OURS = ("simharness.world.", "simharness.provider.", "simharness.isolate.")


@contextlib.contextmanager
def watched(wall_s: float) -> Iterator[None]:
    """Watch the trials of this thread, where that is possible: signals reach the main one only."""
    main = threading.current_thread() is threading.main_thread()
    # SIGURG is ignored unless somebody asks for it; Go interrupts its loops with it.
    number = getattr(signal, "SIGURG", None)
    if not main or number is None or signal.getsignal(number) is not signal.SIG_DFL:
        yield
        return
    with _Watchdog(wall_s, number).watching():
        yield


class _Watchdog:
    """Watches the trials of one batch from a thread of its own."""

    def __init__(self, wall_s: float, number: signal.Signals) -> None:
        self._wall_s = wall_s
        self._signal = number
        self._main = threading.get_ident()
        # Raw, as in baton.py: what `threading` builds on Condition is virtual in a trial.
        self._stop = _thread.allocate_lock()
        self._stopped = _thread.allocate_lock()
        self._suspect: SimLoop | None = None  # whose trial has taken too long

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch until the block is left."""
        before = signal.signal(self._signal, self._interrupt)
        self._stop.acquire()
        self._stopped.acquire()
        _thread.start_new_thread(self._watch, ())
        try:
            yield
        finally:
            self._stop.release()
            self._stopped.acquire()
            signal.signal(self._signal, before)

    def _watch(self) -> None:
        seen: SimLoop | None = None
        since_s = 0.0
        every_s = min(_LOOK_EVERY_S, self._wall_s / 4)
        while not self._stop.acquire(timeout=every_s):
            loop = clocks.loop_in_trial()
            since_s = since_s + every_s if loop is seen else 0.0
            seen = loop
            # Nobody is hurried who steps through the agent with a debugger.
            if loop is not None and since_s >= self._wall_s and sys.gettrace() is None:
                self._suspect = loop
                signal.pthread_kill(self._main, self._signal)
        self._stopped.release()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """On the main thread: end the trial, and make the agent leave what it does there."""
        loop = clocks.loop_in_trial()
        if loop is None or loop is not self._suspect:
            return  # it has just come back
        again = loop.boundaries.ending
        job = loop.workers.current
        place = _place(frame if job is None else job.frame())
        ended = loop.boundaries.end("wall-limit", f"busy in {place}" if place else "busy")
        if job is None:
            if frame is not None and not _ours(frame):
                raise ended
        elif not again:
            job.interrupt()  # the loop waits for another thread, which has to leave by itself
        else:
            job.give_up()
            raise ended


def _ours(frame: FrameType) -> bool:
    """Whether the world was running: it sees by itself that the trial is to end."""
    return str(frame.f_globals.get("__name__", "")).startswith(_OURS)


def _place(frame: FrameType | None) -> str:
    """The outermost function of the agent. What it called, and the line, differ every time."""
    place = ""
    while frame is not None and not (place and _ours(frame)):
        shows = shown(frame.f_code.co_filename, 0)
        if shows:
            place = f"{frame.f_code.co_qualname} of {shows.removesuffix(':0')}"
        frame = frame.f_back
    return place

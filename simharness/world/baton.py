"""Baton threads: real threads of which exactly one, or the loop, runs at a time.

Code that blocks (a tool body in a worker thread, a synchronous agent) runs here. It goes on until
it blocks on the world or ends; then the loop goes on. So no two of them ever race, and where they
switch is decided by the boundary loop alone. Real threads are kept and used again by later trials.
"""

from __future__ import annotations

import _thread
import ctypes
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from simharness.world.tasks import shown

_idle: list[_Carrier] = []
given_up: list[Baton] = []
"""Bodies whose threads this process cannot get rid of."""

_local = threading.local()


class Abandoned(BaseException):
    """Thrown into a blocked body when its trial is over."""


class _Carrier:
    """One real thread and the two signals that pass the baton."""

    def __init__(self) -> None:
        # Raw locks and a raw thread: what `threading` builds on Condition is virtual in a trial.
        self.go = _thread.allocate_lock()
        self.back = _thread.allocate_lock()
        self.go.acquire()
        self.back.acquire()
        self.lost = False  # the loop went on without it
        self.work: Callable[[], None] = _nothing
        self.ident = _thread.start_new_thread(self._carry, ())

    def _carry(self) -> None:
        while True:
            self.go.acquire()
            self.work()
            self.work = _nothing
            if self.lost:
                return
            _idle.append(self)
            self.back.release()


class Baton:
    """One body in a thread of its own. `result` and `error` are set when it has `ended`."""

    def __init__(self, body: Callable[[], Any]) -> None:
        self._body = body
        self._carrier: _Carrier | None = None
        self._throw: BaseException | None = None
        self.ended = False
        self.lost = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.until: Callable[[], bool] | None = None  # what a blocked body waits for

    def resume(self, throw: BaseException | None = None) -> None:
        """Called on the loop's thread: let the body run until it blocks or ends."""
        self.until = None
        self._throw = throw
        if self._carrier is None:
            self._carrier = _idle.pop() if _idle else _Carrier()
            self._carrier.work = self._run
        carrier = self._carrier
        carrier.go.release()
        carrier.back.acquire()
        if self.ended:
            self._carrier = None

    def block(self, until: Callable[[], bool]) -> None:
        """Called on the body's thread: give the baton back until `until()` holds."""
        carrier = self._carrier
        assert carrier is not None, "only a running body blocks"
        self.until = until
        carrier.back.release()
        carrier.go.acquire()
        if self._throw is not None:
            error, self._throw = self._throw, None
            raise error

    def interrupt(self) -> None:
        """Called while the body runs: raise `Abandoned` in it at its next Python instruction."""
        if self._carrier is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._carrier.ident), ctypes.py_object(Abandoned)
            )

    def give_up(self) -> None:
        """The body does not come back: go on without its thread, which is never used again."""
        if self._carrier is not None:
            self._carrier.lost = True
            self._carrier = None
        self.lost = self.ended = True
        given_up.append(self)

    def where(self) -> str:
        """`file:line` of the innermost frame of a blocked body that is not plumbing."""
        frame = self.frame()
        while frame is not None:
            place = shown(frame.f_code.co_filename, frame.f_lineno)
            if place:
                return place
            frame = frame.f_back
        return ""

    def frame(self) -> FrameType | None:
        """The innermost frame of the body, if it has begun and not ended."""
        carrier = self._carrier
        return None if carrier is None else sys._current_frames().get(carrier.ident)

    def abandon(self) -> bool:
        """End a blocked body; False if it swallowed the end and is left behind blocked."""
        for _ in range(3):
            if self.ended or self._carrier is None:
                return True
            self.resume(Abandoned())
        return self.ended

    def _run(self) -> None:
        _local.baton = self
        try:
            self.result = self._body()
        except BaseException as exc:  # noqa: BLE001 - whoever waits for the body gets it
            self.error = exc
        finally:
            _local.baton = None
            self.ended = True


def current() -> Baton | None:
    """The baton whose body runs in this thread; None on the loop's and on foreign threads."""
    baton: Baton | None = getattr(_local, "baton", None)
    return None if baton is None or baton.lost else baton


def _nothing() -> None:
    """A carrier without work."""

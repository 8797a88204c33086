"""Virtual replacements of the wall clocks.

Inside a trial they read the trial's virtual time; outside, and in other real threads, the real one.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import threading
import time as time_module
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simharness.trace import LoopBlocked
from simharness.world import baton

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop

EPOCH_S = 1_700_000_000
"""Wall time at which every trial begins: 14 November 2023, later than most checks of age ask."""

_CLOCKS_S = {"time": EPOCH_S, "monotonic": 1000, "perf_counter": 0}
"""Where each clock stands at the start of a trial, in seconds."""


class _Current:
    """The trial whose clock counts, and the thread it runs in."""

    loop: SimLoop | None = None
    thread: int = 0

    def trial(self) -> SimLoop | None:
        """The loop of the trial this thread belongs to; None where real time holds."""
        loop = self.loop
        if loop is None or loop.is_closed():
            return None
        if threading.get_ident() != self.thread and baton.current() is None:
            return None
        return loop

    def now(self) -> float | None:
        """The virtual time; None where real time holds."""
        loop = self.trial()
        return None if loop is None else loop.clock.now


_current = _Current()
_real_sleep = time_module.sleep
_real_datetime = dt.datetime
_real_date = dt.date


def enter(loop: SimLoop) -> None:
    """Make `loop`'s clock the clock of this thread."""
    _current.loop = loop
    _current.thread = threading.get_ident()


def leave() -> None:
    """Go back to real time."""
    _current.loop = None


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Let real time hold, and the watchdog count nothing: a process of the agent is starting."""
    loop, _current.loop = _current.loop, None
    try:
        yield
    finally:
        _current.loop = loop


def _seconds(name: str, start_s: int) -> tuple[Any, Any]:
    real = getattr(time_module, name)

    def read() -> float:
        now = _current.now()
        return float(real()) if now is None else start_s + now

    return real, read


def _nanoseconds(name: str, start_s: int) -> tuple[Any, Any]:
    real = getattr(time_module, f"{name}_ns")

    def read() -> int:
        now = _current.now()
        return int(real()) if now is None else start_s * 10**9 + round(now * 1e9)

    return real, read


def sleep(seconds: float) -> None:
    """In a worker, take longer; on the loop's own thread, move virtual time and record it."""
    loop = _current.trial()
    if loop is None:
        _real_sleep(seconds)
        return
    job = None if baton.current() is None else loop.workers.current
    if job is not None:
        job.sleep(seconds)
        return
    lasting_s = max(0.0, seconds)
    loop.clock.now += lasting_s
    loop.on_blocked(LoopBlocked(lasting_s))


def current_loop() -> SimLoop | None:
    """The loop of the trial that the running thread belongs to."""
    return _current.trial()


def loop_in_trial() -> SimLoop | None:
    """The loop of the trial in progress, whichever thread asks."""
    loop = _current.loop
    return None if loop is None or loop.is_closed() else loop


class _IsDatetime(type):
    """isinstance() and issubclass() against the replacement mean the real class."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _real_datetime)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _real_datetime)


class VirtualDatetime(_real_datetime, metaclass=_IsDatetime):
    """`datetime.datetime` whose clock is the trial's. Makes instances of the real class."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """An instance of the real class."""
        return _real_datetime(*args, **options)

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        """The trial's wall time; its local zone is UTC."""
        now = _current.now()
        if now is None:
            return _real_datetime.now(tz)
        moment = _real_datetime.fromtimestamp(EPOCH_S + now, dt.UTC)
        return moment.replace(tzinfo=None) if tz is None else moment.astimezone(tz)

    @classmethod
    def utcnow(cls) -> Any:
        """The trial's wall time, naive."""
        return cls.now()

    @classmethod
    def today(cls) -> Any:
        """The trial's wall time, naive."""
        return cls.now()

    @classmethod
    def __get_pydantic_core_schema__(cls, *args: object) -> Any:
        """For models that are defined during a trial: pydantic knows only the real class."""
        from pydantic_core import core_schema

        return core_schema.datetime_schema()


class _IsDate(type):
    """As `_IsDatetime`, for dates."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _real_date)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _real_date)


class VirtualDate(_real_date, metaclass=_IsDate):
    """`datetime.date` whose today is the trial's."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """An instance of the real class."""
        return _real_date(*args, **options)

    @classmethod
    def today(cls) -> Any:
        """The trial's date."""
        return VirtualDatetime.now().date()

    @classmethod
    def __get_pydantic_core_schema__(cls, *args: object) -> Any:
        """As for `VirtualDatetime`."""
        from pydantic_core import core_schema

        return core_schema.date_schema()


def replacements() -> dict[int, tuple[Any, Any]]:
    """By id of the original: the original and what stands for it."""
    pairs = [
        *[_seconds(name, start_s) for name, start_s in _CLOCKS_S.items()],
        *[_nanoseconds(name, start_s) for name, start_s in _CLOCKS_S.items()],
        (_real_sleep, sleep),
        (_real_datetime, VirtualDatetime),
        (_real_date, VirtualDate),
    ]
    return {id(real): (real, virtual) for real, virtual in pairs}

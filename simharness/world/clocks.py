"""Virtual replacements of the wall clocks.

Inside a trial they read the trial's virtual time; outside, and in other real threads, the real one.
"""

from __future__ import annotations

import datetime as datetime_module
import threading
import time as time_module
from typing import TYPE_CHECKING, Any

from simharness.trace import LoopBlocked

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop

EPOCH_S = 1_700_000_000
"""Wall time at which every trial begins: 14 November 2023, a date after most checks of age."""

_real_time = {
    name: getattr(time_module, name)
    for name in (
        "time",
        "time_ns",
        "monotonic",
        "monotonic_ns",
        "perf_counter",
        "perf_counter_ns",
        "sleep",
    )
}
_real_datetime = datetime_module.datetime
_real_date = datetime_module.date
_loop: SimLoop | None = None
_thread = 0


def enter(loop: SimLoop) -> None:
    """Make `loop`'s clock the clock of this thread."""
    global _loop, _thread
    _loop = loop
    _thread = threading.get_ident()


def leave() -> None:
    """Go back to real time."""
    global _loop
    _loop = None


def _now() -> float | None:
    if _loop is None or threading.get_ident() != _thread or _loop.is_closed():
        return None
    return _loop.clock.now


def _seconds(name: str, start: int) -> Any:
    real = _real_time[name]

    def read() -> float:
        now = _now()
        return float(real()) if now is None else start + now

    return read


def _nanoseconds(name: str, start: int) -> Any:
    real = _real_time[name]

    def read() -> int:
        now = _now()
        return int(real()) if now is None else start * 10**9 + round(now * 1e9)

    return read


def sleep(seconds: float) -> None:
    """Blocking the loop's thread moves virtual time, and is recorded."""
    now = _now()
    if now is None or _loop is None:
        _real_time["sleep"](seconds)
        return
    _loop.clock.now = now + max(0.0, seconds)
    _loop.on_blocked(LoopBlocked(max(0.0, seconds)))


class _IsDatetime(type):
    """isinstance() and issubclass() against the replacement mean the real class."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _real_datetime)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _real_datetime)


class VirtualDatetime(_real_datetime, metaclass=_IsDatetime):
    """`datetime.datetime` whose clock is the trial's. Makes instances of the real class."""

    def __new__(cls, *args: Any, **options: Any) -> Any:  # noqa: D102
        return _real_datetime(*args, **options)

    @classmethod
    def now(cls, tz: datetime_module.tzinfo | None = None) -> Any:
        """The trial's wall time; its local zone is UTC."""
        now = _now()
        if now is None:
            return _real_datetime.now(tz)
        moment = _real_datetime.fromtimestamp(EPOCH_S + now, datetime_module.UTC)
        return moment.replace(tzinfo=None) if tz is None else moment.astimezone(tz)

    @classmethod
    def utcnow(cls) -> Any:
        """The trial's wall time, naive."""
        return cls.now()

    @classmethod
    def today(cls) -> Any:
        """The trial's wall time, naive."""
        return cls.now()


class _IsDate(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _real_date)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _real_date)


class VirtualDate(_real_date, metaclass=_IsDate):
    """`datetime.date` whose today is the trial's."""

    def __new__(cls, *args: Any, **options: Any) -> Any:  # noqa: D102
        return _real_date(*args, **options)

    @classmethod
    def today(cls) -> Any:
        """The trial's date."""
        now = _now()
        return _real_date.today() if now is None else VirtualDatetime.now().date()


_REPLACEMENTS: list[tuple[Any, Any]] = [
    (_real_time["time"], _seconds("time", EPOCH_S)),
    (_real_time["time_ns"], _nanoseconds("time_ns", EPOCH_S)),
    (_real_time["monotonic"], _seconds("monotonic", 1000)),
    (_real_time["monotonic_ns"], _nanoseconds("monotonic_ns", 1000)),
    (_real_time["perf_counter"], _seconds("perf_counter", 0)),
    (_real_time["perf_counter_ns"], _nanoseconds("perf_counter_ns", 0)),
    (_real_time["sleep"], sleep),
    (_real_datetime, VirtualDatetime),
    (_real_date, VirtualDate),
]


def replacements() -> dict[int, tuple[Any, Any]]:
    """By id of the original: the original and what stands for it."""
    return {id(real): (real, virtual) for real, virtual in _REPLACEMENTS}

"""Handles of the simulated loop: the same duties as asyncio's, without its debug machinery.

A trial makes one handle per callback, so these are as small as they can be. Nothing here runs
anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any


class Handle(asyncio.Handle):
    """A callback that was made ready. Slots and names are asyncio's own."""

    __slots__ = ()
    _callback: Any
    _args: tuple[Any, ...]
    _context: Context

    def __init__(
        self, callback: Callable[..., object], args: tuple[Any, ...], context: Context
    ) -> None:
        # asyncio.Handle.__init__ wants a loop to ask for debug mode: skipped on purpose.
        self._callback = callback
        self._args = args
        self._context = context
        self._cancelled = False

    def cancel(self) -> None:
        """Make the handle do nothing when its turn comes."""
        self._cancelled = True

    def __repr__(self) -> str:
        return describe(self)


class Timer(asyncio.TimerHandle):
    """A callback that waits for virtual time `when()`."""

    __slots__ = ()
    _callback: Any
    _args: tuple[Any, ...]
    _context: Context

    def __init__(
        self,
        when: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context,
    ) -> None:
        self._callback = callback
        self._args = args
        self._context = context
        self._cancelled = False
        self._when = when

    def cancel(self) -> None:
        """Make the timer do nothing when its time comes."""
        self._cancelled = True

    def __repr__(self) -> str:
        return describe(self)


Ready = Handle | Timer
"""What waits for its turn in an iteration."""


def describe(handle: Ready) -> str:
    """The callback's name: no address, so it may stand in a trace."""
    callback = handle._callback
    return getattr(callback, "__qualname__", type(callback).__name__)

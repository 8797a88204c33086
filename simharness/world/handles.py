"""Handles of the simulated loop: the same duties as asyncio's, without its debug machinery.

A trial makes one handle per callback, so these are as small as they can be. Whoever drops a handle
before it ran must call `cancel`; nothing here runs anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any


class Handle(asyncio.Handle):
    """A callback that was made ready. Slots and names are asyncio's own."""

    __slots__ = ()

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
        return f"<Handle {getattr(self._callback, '__qualname__', self._callback)!s}>"


class Timer(Handle):
    """A callback that waits for virtual time `when()`."""

    __slots__ = ("_when",)

    def __init__(
        self,
        when: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context,
    ) -> None:
        super().__init__(callback, args, context)
        self._when = when

    def when(self) -> float:
        """The deadline in virtual seconds."""
        return self._when

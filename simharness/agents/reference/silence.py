"""Silence: how long an open stream may say nothing before the attempt is given up."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from simharness.agent import ProviderError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

__all__ = ["Heard", "Silence"]


class Heard:
    """The silence of one stream so far. Call it at each sign of life."""

    def __init__(self, scope: asyncio.Timeout, end: Callable[[], float | None]) -> None:
        self._scope = scope
        self._end = end

    def __call__(self) -> None:
        """A silence begins now."""
        if self._scope.expired():  # a stream that swallowed this goes on, but too late
            raise TimeoutError
        self._scope.reschedule(self._end())

    def only(self, seconds: float) -> None:
        """Allow no more than so many seconds of silence from now on."""
        end = self._end()
        most = asyncio.get_running_loop().time() + seconds
        self._scope.reschedule(most if end is None else min(end, most))

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Do something else than read: the stream is not silent meanwhile.

        If the limit cancelled the task then, it would look like a caller's cancel in there.
        """
        self._scope.reschedule(None)
        try:
            yield
        finally:
            self._scope.reschedule(self._end())


class Silence:
    """The limit of one stream, in seconds; None: it may be silent for ever."""

    def __init__(self, limit_s: float | None) -> None:
        self._limit_s = limit_s

    @contextlib.asynccontextmanager
    async def bounded(self) -> AsyncIterator[Heard]:
        """Run a block that reads a stream.

        Raises ProviderError when there was no sign of life for too long. It is final: who waited
        that long is not made to wait as long again.
        """
        try:
            async with asyncio.timeout(self._limit_s) as scope:
                yield Heard(scope, self.end)
        except TimeoutError:
            if not scope.expired():
                raise
            raise ProviderError(f"the stream was silent for {self._limit_s:g} s") from None

    def end(self) -> float | None:
        """The loop's time at which a silence that begins now is over the limit."""
        return None if self._limit_s is None else asyncio.get_running_loop().time() + self._limit_s

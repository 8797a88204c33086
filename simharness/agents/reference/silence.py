"""Silence: how long an open stream may say nothing before the attempt is given up."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from simharness.agent import ProviderError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

__all__ = ["Silence"]


class Silence:
    """The limit of one stream, in seconds; None: it may be silent for ever."""

    def __init__(self, limit_s: float | None) -> None:
        self._limit_s = limit_s

    @contextlib.asynccontextmanager
    async def bounded(self) -> AsyncIterator[Callable[[], None]]:
        """Run a block that reads a stream, and that calls what it gets at each sign of life.

        Raises ProviderError when there was none for too long. It is final: who waited that long is
        not made to wait as long again.
        """
        try:
            async with asyncio.timeout(self._limit_s) as scope:

                def heard() -> None:
                    if scope.expired():  # a stream that swallowed this goes on, but too late
                        raise TimeoutError
                    scope.reschedule(self.end())

                yield heard
        except TimeoutError:
            if not scope.expired():
                raise
            raise ProviderError(f"the stream was silent for {self._limit_s:g} s") from None

    def end(self) -> float | None:
        """The loop's time at which a silence that begins now is over the limit."""
        return None if self._limit_s is None else asyncio.get_running_loop().time() + self._limit_s

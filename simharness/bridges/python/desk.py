"""What the child's world says and what it waits for: one place for all answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from simharness.bridges.lines import up_line

if TYPE_CHECKING:
    from simharness.bridges.down import Down
    from simharness.bridges.up import Up
    from simharness.world.eventloop import SimLoop

__all__ = ["Desk"]

Key = tuple[str, int]


def _unheard(_: bytes) -> None:
    """Nobody listens."""


class Desk:
    """The messages of one trial. `write` puts a line on the wire."""

    def __init__(self, loop: SimLoop, write: Callable[[bytes], None]) -> None:
        self._loop = loop
        self._write = write
        self._waiting: dict[Key, asyncio.Future[Down]] = {}
        self._numbers: dict[str, int] = {}
        self.said = 0
        """How many messages went out: whoever looks for quiet looks at it."""

    def say(self, message: Up) -> None:
        """Say something."""
        self.said += 1
        self._write(up_line(message))

    def close(self) -> None:
        """Say nothing any more: what is unwound now is nobody's business."""
        self._write = _unheard

    def number(self, of: str) -> int:
        """A new number for a stream or a call."""
        self._numbers[of] = self._numbers.get(of, 0) + 1
        return self._numbers[of]

    async def answer(self, key: Key, give_up: Up | None = None) -> Down:
        """Wait for what comes for `key`.

        If whoever waits is cancelled, `give_up` is said, and the wait goes on: what comes then
        decides, as a stream's own reaction to a cancel would. Without it the wait just ends.
        """
        cancelled: asyncio.CancelledError | None = None
        while True:
            future = self._waiting[key] = self._loop.create_future()
            try:
                answer: Down = await future
            except asyncio.CancelledError as error:
                if give_up is None or cancelled is not None or not future.cancelled():
                    raise
                cancelled = error
                self.say(give_up)
            else:
                return answer

    def hand_over(self, key: Key, message: Down) -> None:
        """What has come for `key`; nobody may wait for it any more."""
        future = self._waiting.pop(key, None)
        if future is not None and not future.done():
            future.set_result(message)

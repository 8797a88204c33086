"""The outside of a program: what comes in, at a moment that the search chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simharness.choices import Kind
from simharness.world.sources import Call, Wait

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from simharness.world.eventloop import SimLoop

__all__ = ["Outside"]


class Outside:
    """What a program is handed: ways to let something come in, and a log.

    `log` has a line for each thing that came in and for each note, with its virtual time in
    seconds. It is what a failure shows, and two trials with the same log and the same choices are
    the same interleaving.
    """

    def __init__(self, loop: SimLoop) -> None:
        self._loop = loop
        self.log: list[tuple[float, str]] = []

    @property
    def time(self) -> float:
        """The virtual time in seconds."""
        return self._loop.time()

    def note(self, text: str) -> None:
        """Add a line to the log."""
        self.log.append((self._loop.time(), text))

    async def arrival(self, name: str, after_s: float = 0.0) -> None:
        """Wait for something from outside: a reply, a chunk, the end of a job.

        It comes after `after_s` seconds at the earliest. The search decides what comes before it.
        """
        wait = Wait(self._loop, name, after_s, lambda: self.note(name))
        try:
            await wait.done
        finally:
            wait.drop()

    def call(self, name: str, function: Callable[[], object], after_s: float = 0.0) -> None:
        """Let the outside call `function`, in `after_s` seconds at the earliest."""
        self._offer(name, function, after_s, Kind.SOURCE)

    def cancel(self, task: asyncio.Task[Any], name: str = "cancel") -> None:
        """Let the search cancel `task` at any point from now on, or never.

        The default schedule does not, unless nothing else can happen.
        """
        self._offer(name, task.cancel, 0.0, Kind.ANYWHERE)

    def _offer(self, name: str, function: Callable[[], object], after_s: float, kind: Kind) -> None:
        def act() -> None:
            self.note(name)
            function()

        Call(self._loop, name, act, due=self._loop.clock.now + after_s, kind=kind)

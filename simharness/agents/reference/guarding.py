"""Guarding: what is held back for a while before it counts, where the settings want that.

Results of tools are looked at before they are recorded, and a refusal before it is replayed. A stop
meanwhile ends the wait at once.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from simharness.trace import BatchPending, BatchSettled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agent import World
    from simharness.agents.reference.cancelling import Cancellation
    from simharness.agents.reference.journal import Journal
    from simharness.agents.reference.restarting import Restart
    from simharness.trace import Message

__all__ = ["Guard"]


class Guard:
    """The guard of one run. `seconds` None: there is none."""

    def __init__(
        self, world: World, journal: Journal, cancellation: Cancellation, seconds: float | None
    ) -> None:
        self._world = world
        self._journal = journal
        self._cancellation = cancellation
        self._seconds = seconds

    async def replay(self, restart: Restart) -> None:
        """Wait before a refusal is replayed, unless its stream is given up."""
        if self._seconds is not None and not restart.reason:
            await self.wait(self._seconds, restart)

    async def hold(self, results: Sequence[Message]) -> None:
        """Hold a batch of results back. It is settled once, and before anything else of the run."""
        if self._seconds is None:
            return
        calls = tuple(result.call_id for result in results)
        self._journal.report(BatchPending(calls))
        await self.wait(self._seconds)
        self.settle(calls)

    async def wait(self, seconds: float, restart: Restart | None = None) -> None:
        """Wait, if the run is not stopped; a stop ends the wait, and so does a restart."""
        async with self._cancellation.bounded(0) as scope:
            with restart.within(scope, 0) if restart else contextlib.nullcontext():
                if not self._cancellation.called:
                    await self._world.wait("guard", seconds)

    def settle(self, calls: tuple[str, ...]) -> None:
        """Let a batch go; as aborted, if the run was stopped."""
        self._journal.report(BatchSettled(calls, aborted=self._cancellation.called))

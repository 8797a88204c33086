"""What can be asked of an agent besides a prompt: a stop, a pause, a stream anew, a run aside.

The calls act at once; what they return is only to be awaited by who wants to know when it is done.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from simharness.agents.reference.cancelling import Caller
from simharness.agents.reference.contract import CANCEL_BOUND_S
from simharness.agents.reference.ephemeral import Ephemeral
from simharness.agents.reference.quiescing import Quiescing
from simharness.agents.reference.stopping import Stops

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable

    from simharness.agent import CancelWay, World
    from simharness.agents.reference.hooks import Hooks
    from simharness.agents.reference.journal import Journal
    from simharness.agents.reference.loop import ReferenceAgent, Run
    from simharness.agents.reference.settings import Settings
    from simharness.agents.reference.turns import End

__all__ = ["Supervised"]

_SHUTDOWN_S = 10 * CANCEL_BOUND_S
"""How long a shutdown waits for stopped runs: a tool that ignores it must not hold it for ever."""


class Supervised(abc.ABC):
    """The part of an agent that a framework talks to."""

    world: World
    journal: Journal
    hooks: Hooks
    settings: Settings
    latest: End | None
    _run: Run | None

    caller: Caller | None = None
    """Who awaits the run of an agent that exists for an ephemeral one."""

    begins_anew = True
    ends_turns = True
    renews_client = True
    ephemeral_type = Ephemeral
    quiescing_type = Quiescing
    stops_type = Stops

    stops: Stops
    quiescing: Quiescing

    @abc.abstractmethod
    def another(self) -> ReferenceAgent:
        """A new agent of the same kind."""

    def supervise(self) -> None:
        """Begin with nothing asked for yet."""
        self.stops = self.stops_type()
        self.quiescing = self.quiescing_type(self.stops, self.journal.tell)

    # --- stops ----------------------------------------------------------------------------------

    def cancel(self, way: CancelWay, reason: str, queue: str = "") -> None:  # noqa: ARG002
        """Cancel the run in progress. Without one this does nothing, to the next run either.

        That is the conversation's; only while it is idle the oldest ephemeral one. `queue` says
        what becomes of queued messages: run, drop or park. The first cancel decides.
        """
        asked = self.stops.meant()
        if asked is None:
            return
        if asked.run is not None:
            self.cancel_run(asked.run, reason, queue)
        elif asked.early is None:
            asked.early = (reason, queue)
            self.stops.gate.let(asked.task)

    def cancel_run(self, run: Run, reason: str, queue: str) -> None:
        """Cancel a run; only the first cancel has a say in what becomes of the queue."""
        if queue and not run.cancellation.called:
            run.queue = queue
        run.cancellation.set(reason)

    def shutdown(self, drain_s: float = 0.0) -> Awaitable[None]:
        """Stop for good. For `drain_s` seconds runs may go on to their own end first."""
        self.stops.leave("shutdown")
        if not drain_s:
            self.stops.stop("shutdown")
        return self._shut_down(drain_s)

    async def _shut_down(self, drain_s: float) -> None:
        await self.stops.idle(drain_s)
        self.stops.stop("shutdown")
        await self.stops.idle(_SHUTDOWN_S)

    def dispose(self) -> None:
        """Be gone at once: runs in progress come to their end, with their terminals."""
        self.stops.leave("disposed")
        self.stops.stop("disposed")

    def quiesce(self, drain_s: float | None = None, abandon: bool = False) -> Awaitable[None]:
        """Let nothing new begin until `resume`, and wait for what runs.

        For `drain_s` seconds, within 1 s and 10 min (default 30 s), runs may go on to their own
        end; with `abandon` they are stopped then. One that abandons behind another does so at once.
        """
        asked, window_s = self.quiescing.begin(drain_s, abandon=abandon)
        return self.quiescing.drain(asked, window_s, abandon=abandon)

    def resume(self) -> None:
        """Go on after `quiesce`: what came meanwhile is served."""
        self.quiescing.resume()

    def called_off(self) -> bool:
        """Take note that the caller has given up; whether there was a run to end for it."""
        if self._run is None:
            return False
        self._run.cancellation.notice()
        return True

    # --- no stops -------------------------------------------------------------------------------

    def context_restart(self, reason: str = "") -> None:
        """Give up the stream in progress, if there is one; its turn goes on with a new one."""
        if self._run is not None:
            self._run.turns.answering.restart(reason or "context-restart")

    async def ephemeral(self, text: str) -> str:
        """Run one prompt beside the conversation; its answer.

        Raises what made it fail, and `StoppedError` if it was stopped, whoever stopped it.
        """
        self.stops.let_in(aside=True)
        one = self.ephemeral_type(self.aside())
        try:
            return await one.run(text)
        finally:
            self.stops.came_back()
            self.latest = one.agent.latest

    def come_back(self) -> None:
        """The prompt is over for who asked for it; an ephemeral one is when its caller goes on."""
        if self.caller is None:
            self.stops.came_back()

    def asking(self) -> asyncio.Task[Any]:
        """The task that awaits what is asked for in the running one."""
        return (self.caller or Caller.now()).task

    def aside(self) -> ReferenceAgent:
        """An agent for an ephemeral run: all as here, but with nothing said yet or stored."""
        one = self.another()
        one.caller = Caller.now()
        one.settings, one.hooks = self.settings, self.hooks
        one.stops, one.quiescing = self.stops, self.quiescing
        one.journal = one.journal_type(self.world, stored=False)
        one.journal.observers = self.hooks.observer
        one.journal.streak = self.journal.streak
        return one

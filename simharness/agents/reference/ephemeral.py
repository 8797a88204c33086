"""Ephemeral runs: one prompt beside the conversation, whose caller awaits the result.

Each has a history of its own. A driver runs it in a task of its own and settles it exactly once,
whatever happens: nobody may be left waiting, also if who heard of another settling has disposed of
the agent meanwhile.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agents.reference.stopping import StoppedError
from simharness.trace import Outcome

if TYPE_CHECKING:
    from simharness.agents.reference.loop import ReferenceAgent

__all__ = ["Ephemeral"]


class Ephemeral:
    """One run of `agent`, which exists for it alone."""

    def __init__(self, agent: ReferenceAgent) -> None:
        self.agent = agent
        self._result: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def run(self, text: str) -> str:
        """Run `text` to its end: the answer. Raises what failed, and `StoppedError` for a stop.

        The caller's `task.cancel()` stops the run; its end is waited for.
        """
        driver = asyncio.get_running_loop().create_task(self.drive(text))
        try:
            return await asyncio.shield(self._result)
        except asyncio.CancelledError:
            if not self.agent.called_off():
                driver.cancel()  # it waits to be let in
            await asyncio.wait([driver])
            raise

    async def drive(self, text: str) -> None:
        """Run the agent, then settle."""
        try:
            await self.agent.prompt(text)
        except asyncio.CancelledError:
            self.settle(StoppedError("user"))
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller is told
            self.settle(error)
        else:
            self.settle(self.stopped())

    def stopped(self) -> Exception | None:
        """That the run was stopped, if it was."""
        end = self.agent.latest
        if end is None or end.outcome is not Outcome.CANCELLED:
            return None
        return StoppedError(f"stopped: {end.cause}")

    def settle(self, error: Exception | None) -> None:
        """Let the caller go on."""
        if self._result.done():  # its task was cancelled
            return
        if error is not None:
            self._result.set_exception(error)
        else:
            self._result.set_result(self.answer())

    def answer(self) -> str:
        """What the model said last."""
        said = [message for message in self.agent.history() if message.role == "assistant"]
        return said[-1].text if said else ""

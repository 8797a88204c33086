"""Stopping: what the framework asks of an agent and of its ephemeral runs, whoever called them.

Shutdown, dispose and quiesce reach every run in progress by its cancellation, as a caller's cancel
does, but leave a mark there that outranks the callers' reasons. What a stopped run leaves is the
loop's business.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import attrs

from simharness.agents.reference.cancelling import Caller
from simharness.agents.reference.gate import Gate

if TYPE_CHECKING:
    from simharness.agents.reference.loop import Run

__all__ = ["Asked", "GoneError", "StoppedError", "Stops"]


class StoppedError(Exception):
    """What the caller of an ephemeral run gets if it was stopped; the text is the cause."""


class GoneError(Exception):
    """A prompt came to an agent that had been shut down or disposed of."""


@attrs.define(eq=False)
class Asked:
    """A prompt that a task has called and that has not come back; `aside`: of an ephemeral run.

    `run` is the latest of its runs. Until there is one, `early` is a caller's cancel of it, with
    what becomes of the queue.
    """

    task: asyncio.Task[Any]
    aside: bool = False
    run: Run | None = None
    early: tuple[str, str] | None = None


class Stops:
    """What was asked for, the runs in progress, and what stops all of them.

    `gone`: why no new one may begin.
    """

    gate_type = Gate

    def __init__(self) -> None:
        self.gone = ""
        self.gate = self.gate_type()
        self._asked: dict[asyncio.Task[Any], Asked] = {}
        self._running: list[Run] = []
        self._waiters: list[asyncio.Future[None]] = []

    # --- runs come and go -----------------------------------------------------------------------

    def let_in(self, *, aside: bool = False) -> None:
        """Know of a prompt of the running task, or refuse it if the agent is gone."""
        self.check()
        task = Caller.now().task
        self._asked[task] = Asked(task, aside)

    def came_back(self) -> None:
        """Forget the prompt of the running task."""
        self._asked.pop(Caller.now().task, None)

    def meant(self) -> Asked | None:
        """What a caller's cancel means: the conversation's prompt, the oldest if others wait.

        Only while the conversation is idle the oldest ephemeral run: who cancels from beside it
        stops what the user sees at work.
        """
        return min(self._asked.values(), key=lambda asked: asked.aside, default=None)

    def check(self) -> None:
        """Refuse a new run if the agent is gone."""
        if self.gone:
            raise GoneError(f"the agent is gone: {self.gone}")

    def began(self, run: Run, task: asyncio.Task[Any]) -> tuple[str, str] | None:
        """Know of a run that `task` has asked for; what cancelled it before there was one.

        One that was let in before the agent was gone is stopped at once.
        """
        self._running.append(run)
        if self.gone:
            run.cancellation.mark(self.gone)
        asked = self._asked.setdefault(task, Asked(task))
        asked.run, early, asked.early = run, asked.early, None
        return early

    def ended(self, run: Run) -> None:
        """Forget a run; who waits for the last one goes on."""
        self._running.remove(run)
        if not self._running:
            self.wake()

    @property
    def running(self) -> tuple[Run, ...]:
        """The runs in progress, in the order in which they began."""
        return tuple(self._running)

    # --- what stops them ------------------------------------------------------------------------

    def leave(self, why: str) -> None:
        """Let no new run begin. What waited at the gate begins, to find that it is stopped.

        Who waits in `idle` goes on waiting: a window that somebody else was given is still theirs.
        """
        self.gone = self.gone or why
        self.gate.open()

    def stop(self, mark: str) -> None:
        """Stop every run in progress."""
        for run in self.running:
            run.cancellation.mark(mark)

    # --- waiting for them -----------------------------------------------------------------------

    async def idle(self, seconds: float) -> None:
        """Wait until nothing runs, for at most `seconds`, or until somebody wakes all who wait."""
        if not self._running or seconds <= 0:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            async with asyncio.timeout(seconds):
                await waiter
        except TimeoutError:
            pass
        finally:
            if waiter in self._waiters:
                self._waiters.remove(waiter)

    def wake(self) -> None:
        """Let everybody go on who waits in `idle`."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

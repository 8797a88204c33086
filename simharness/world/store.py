"""The session store of a trial: one append-only text file that outlives the agent's process.

Every write and every flush is a delivery, so that a kill or a cancel can come before it, in one
batch with it, or behind it. Which line means what is the agent's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from simharness.agent import StoreError
from simharness.scenario.model import AnchorKind
from simharness.scenario.stores import Store, StoreFault
from simharness.storing import StoreFlushed, StoreWrite
from simharness.world.clock import INFINITY
from simharness.world.runs import RUN
from simharness.world.sources import Source

if TYPE_CHECKING:
    from simharness.world.trial import Trial

__all__ = ["ScriptedStore"]


class _Delivery(Source):
    """A write or a flush on its way. It happens whether or not somebody still waits for it."""

    __slots__ = ("_happen", "outcome")

    def __init__(
        self, trial: Trial, label: str, delay_s: float, happen: Callable[[], int | OSError]
    ) -> None:
        super().__init__(trial.loop, label)
        self.due = trial.loop.clock.now + delay_s
        self.outcome: asyncio.Future[int | OSError] = trial.loop.create_future()
        self._happen = happen
        trial.loop.boundaries.sources.append(self)

    def deliver(self) -> None:
        """Let it happen."""
        self.due = INFINITY
        self.loop.boundaries.remove(self)
        self.loop.from_outside(self._deliver)

    def _deliver(self) -> None:
        happened = self._happen()
        if not self.outcome.done():
            self.outcome.set_result(happened)


class ScriptedStore:
    """The store of a case, handed to the agent as `World.store`."""

    def __init__(self, trial: Trial, script: Store) -> None:
        self._trial = trial
        self._script = script
        self.text = script.holds
        self._safe = len(self.text)  # what survives a kill of a buffered store
        self._writes = 0
        self._pending: dict[int, tuple[str, int]] = {}  # write -> line and run

    async def append(self, line: str) -> None:
        """Write `line` and a newline at the end of the file. Raises `StoreError`."""
        self._writes += 1
        number, run = self._writes, RUN.get()
        self._pending[number] = (line, run)
        await self._wait("store write", number, lambda: self._write(number))

    async def flush(self) -> int:
        """Make sure that what was written stays; the size of the file in characters."""
        run = RUN.get()

        def happen() -> int:
            self._safe = len(self.text)
            self._trial.recorder.add(StoreFlushed(self._safe), run)
            return self._safe

        return await self._wait("store flush", 0, happen)

    def load(self) -> str:
        """The whole file."""
        return self.text

    # --- for our own parts -----------------------------------------------------------------------

    @property
    def unflushed(self) -> int:
        """How many characters a kill would take, besides what is still being written."""
        return len(self.text) - self._safe if self._script.buffered else 0

    def crash(self) -> None:
        """The process that writes is gone: what it had not written is lost, or half of it stays."""
        self.text = self.text[: len(self.text) - self.unflushed]
        for number, (line, run) in self._pending.items():
            torn = self._strikes(self._script.torn, number)
            if torn:
                self.text += line[: len(line) // 2]
            self._note(number, line, "torn" if torn else "lost", run)
        self._pending.clear()
        self._safe = len(self.text)

    def replace(self, lines: list[str]) -> None:
        """Go on with another file, which holds `lines`."""
        self.text = "".join(f"{line}\n" for line in lines)
        self._safe = len(self.text)

    async def _wait(self, name: str, number: int, happen: Callable[[], int | OSError]) -> int:
        trial, run = self._trial, RUN.get()
        line = self._pending.get(number, ("", run))[0]
        label = f"{name} {number}" if number else name
        delivery = _Delivery(trial, label, self._script.slow_s, happen)
        trial.user.appeared(delivery)
        trial.user.began(AnchorKind.WAIT, name, run, delivery)
        try:
            happened = await delivery.outcome
        except asyncio.CancelledError:  # it happens or has happened, and nobody will know
            late = delivery.outcome.cancelled()
            self._note(number, line, "abandoned" if late else "unheard", run)
            raise
        finally:
            trial.user.ended(AnchorKind.WAIT, name, run)
        if isinstance(happened, OSError):
            raise happened
        return happened

    def _write(self, number: int) -> int | OSError:
        line, run = self._pending.pop(number)
        if self._strikes(self._script.fails, number):
            self._note(number, line, "failed", run)
            return StoreError(f"write {number} failed")
        if self._strikes(self._script.drops, number):
            self._note(number, line, "dropped", run)
        else:
            self.text += f"{line}\n"
            self._note(number, line, "saved", run)
        return 0

    def _strikes(self, fault: StoreFault | None, number: int) -> bool:
        """Whether a fault hits this write; then it has been played."""
        hit = fault is not None and fault.hits(number)
        if fault is not None and hit:
            self._trial.recorder.play(fault.key)
        return hit

    def _note(self, number: int, line: str, how: str, run: int) -> None:
        self._trial.recorder.add(StoreWrite(number, line, how), run)

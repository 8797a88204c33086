"""The relay: hands batches to an executor, and notices which of them end their worker.

A pool may lose all its batches with one worker and not say whose fault it was. So each batch that
was lost is run again with nothing beside it; what then dies is at fault.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from typing import TYPE_CHECKING

from simharness.batches.batch import Batch, Done

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from simharness.batches.ledger import Ledger
    from simharness.batches.means import Means

__all__ = ["Relay", "Work"]

Work = tuple["Ledger", Batch]
"""A batch and the case it is counted for."""


class Relay:
    """The batches that are out. `remarks` has a line for each worker that died."""

    def __init__(self, means: Means) -> None:
        self.remarks: list[str] = []
        self._means = means
        self._executor: Executor | None = None
        self._out: dict[Future[Done], Work] = {}
        self._lost: deque[Work] = deque()  # to be run again, each alone
        self._alone = False  # whether what is out is one of those

    @property
    def has_room(self) -> bool:
        """Whether another batch would keep a worker busy."""
        return not self._lost and not self._alone and len(self._out) < self._means.ahead

    def give(self, work: Work) -> None:
        """Hand a batch out."""
        self._out[self._submitted(work[1])] = work

    def landed(self) -> list[tuple[Work, Done]]:
        """Wait until one of the batches that are out is back; those that are, with their results.

        Raises what the executor raises, unless it means that a worker died.
        """
        if self._lost and not self._out:
            self._alone = True
            self.give(self._lost.popleft())
        back, _ = wait(self._out, return_when=FIRST_COMPLETED)
        found = []
        for future in back:
            work = self._out.pop(future)
            error = future.exception()
            if error is None:
                found.append((work, future.result()))
            elif not isinstance(error, self._means.deaths):
                raise error
            elif (dead := self._after_death(work, error)) is not None:
                found.append((work, dead))
        self._alone = self._alone and bool(self._out)
        return found

    def forget(self) -> None:
        """Nobody waits for what is out any more."""
        for future in self._out:
            future.cancel()
        self._out.clear()
        self._lost.clear()

    def close(self) -> None:
        """End the executor, without waiting for what it is doing."""
        self.forget()
        if self._executor is not None:
            self._means.close(self._executor)

    def _submitted(self, batch: Batch) -> Future[Done]:
        if self._executor is None:
            self._executor = self._means.make()
        try:
            return self._executor.submit(self._means.call, batch)
        except BrokenExecutor:
            self._means.close(self._executor)
            self._executor = self._means.make()
            return self._executor.submit(self._means.call, batch)

    def _after_death(self, work: Work, error: BaseException) -> Done | None:
        """Have the batch run again; what is to be counted for it if it was alone already."""
        _, batch = work
        where = f"batch {batch.number} of {batch.case.id}"
        how = str(error) or type(error).__name__
        if self._alone:
            self.remarks.append(f"{where} was run again alone, and its worker died again: {how}")
            return Done.dead(batch.case, f"{where} ends its worker process: {how}")
        self.remarks.append(f"a worker died: {how}; {where} was run again")
        self._lost.append(work)
        return None

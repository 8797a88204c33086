"""The profile `iterated`: the loop handed out as an iterator of what it reports.

Many libraries give their users a run to iterate over, within `async with`. Who leaves it early, by
`break` or by closing it, stops the run and awaits its end. The run is a task of its own, which
begins with the first item that is asked for; a cancel of the consumer's task is handed on to it.
"""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any

from simharness.agents.profiles.profile import Profile
from simharness.agents.reference import CONTRACT, ReferenceAgent
from simharness.contract import Contract
from simharness.trace import Outcome, Reported

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence

    from simharness.trace import Record

    Begin = Callable[[], Coroutine[Any, Any, None]]
    Items = AsyncGenerator[Reported, None]

__all__ = ["ITERATED", "Iterating"]


class Iterating(ReferenceAgent):
    """The loop as an iterator. A loop with a fault stands behind it, unless the fault is here."""

    def prompt(self, text: str, *, stream: bool = True) -> Any:
        """The items of a run, to be read within `async with`. A run aside is awaited."""
        begin = partial(super().prompt, text, stream=stream)
        return self.opened(begin) if self.caller is None else begin()

    @contextlib.asynccontextmanager
    async def opened(self, begin: Begin) -> AsyncIterator[Items]:
        """The items of a run, which has ended when they are left."""
        async with contextlib.aclosing(self.items(begin)) as items:
            yield items

    async def items(self, begin: Begin) -> Items:
        """Hand out each record of a run; raises what made it fail."""
        items: asyncio.Queue[Reported | None] = asyncio.Queue()
        observers = self.journal.observers
        observers.append(items.put_nowait)
        run = asyncio.create_task(begin())
        run.add_done_callback(lambda _: items.put_nowait(None))
        try:
            while (item := await items.get()) is not None:
                yield item
            run.result()
        finally:
            observers.remove(items.put_nowait)
            await self.leave(run)

    async def leave(self, run: asyncio.Task[None]) -> None:
        """Stop a run that nobody listens to any more, and await its end, whoever cancels."""
        run.cancel()
        while not run.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({run})
        if not run.cancelled():
            run.exception()  # nobody is there to be told

    def outcome_of(self, exc: BaseException | None) -> Outcome | None:
        """What a run came to; that its consumer was cancelled says nothing of it."""
        return None if isinstance(exc, asyncio.CancelledError) else super().outcome_of(exc)


def projection(records: Sequence[Record]) -> list[str]:
    """Write records as the items that the consumer gets: their kinds."""
    return [type(record).__name__ for record in records if isinstance(record, Reported)]


ITERATED = Profile(
    name="iterated",
    about="handed out as an iterator; who leaves it stops the run",
    contract=CONTRACT.overridden(Contract(disconnect="stops")),
    projection=projection,
    front=Iterating,
)

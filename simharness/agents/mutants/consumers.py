"""Mutants that hand their items out, and get the consumer's leaving wrong."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.loop import ReferenceAgent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["MUTANTS"]

_ITEM_S = 0.05  # virtual seconds between two items


class _ClosingRaises(ReferenceAgent):
    """The iterator of its items raises when the consumer closes or drops it."""

    async def prompt(self, text: str, *, stream: bool = True) -> AsyncIterator[str]:  # type: ignore[override]
        run: asyncio.Task[Any] = asyncio.ensure_future(super().prompt(text, stream=stream))
        try:
            while not run.done():
                await asyncio.wait({run}, timeout=_ITEM_S)
                yield "progress"
            run.result()
        except GeneratorExit:
            run.cancel()
            raise RuntimeError("closed too early") from None


MUTANTS = (mutant("closing-raises", "close-is-clean", _ClosingRaises),)

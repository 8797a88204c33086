"""Deferring: a prompt that comes in a quiesce is written down, so that a kill does not take it.

It is acknowledged when the store has it for good, and heard once: by its own run after the resume,
or, if the process was killed, with the next prompt to the one that took up the session. Where
prompts wait is the gate's business. Without a store they wait in memory and nothing is said.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import attrs

from simharness.agents.reference.cancelling import Caller, Cancellation
from simharness.agents.reference.entries import Deferred, Withdrawn
from simharness.trace import PromptDeferred

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from simharness.agents.reference.calling import HookCalls, Ruling
    from simharness.agents.reference.journal import Journal
    from simharness.agents.reference.stopping import Stops

__all__ = ["deferring", "left_over", "text_of", "with_text"]


@contextlib.asynccontextmanager
async def deferring(text: str, journal: Journal, stops: Stops) -> AsyncIterator[str | Deferred]:
    """Run a block that waits for its turn with a prompt and does it; what it is to hear.

    The prompt is written beside the block: its place among those that wait must not depend on how
    long a store takes. If the block ends and has not heard it, it is withdrawn.
    """
    if stops.gone or not stops.gate.closed or not journal.session.stored:
        yield text
        return
    caller = Caller.now()
    deferred = journal.session.defer(text)
    writing = asyncio.create_task(_acknowledge(deferred, journal))
    try:
        yield deferred
    finally:
        writing.cancel()
        await asyncio.wait([writing])
        if journal.session.waits(deferred):
            journal.session.note(Withdrawn(deferred.number))
            await journal.settle(Cancellation(caller))


async def _acknowledge(deferred: Deferred, journal: Journal) -> None:
    """Write a prompt down; say so once it is safe, if it still waits then."""
    safe = await journal.session.secure(deferred)
    if safe and journal.session.waits(deferred):
        journal.report(PromptDeferred(deferred.text))


async def left_over(
    journal: Journal, hooks: HookCalls, accepted: Callable[[Ruling], str]
) -> list[Deferred]:
    """The prompts that a killed process left waiting, as the filters let them pass.

    One that they reject is withdrawn, with a notice: nobody is there any more who could be told.
    """
    passed: list[Deferred] = []
    for deferred in journal.session.left_over():
        ruling = await hooks.rule("input_filter", deferred.text)
        if ruling.denied is None:
            passed.append(attrs.evolve(deferred, text=accepted(ruling)))
        else:
            journal.session.note(Withdrawn(deferred.number))
            journal.tell("rejected", deferred.text)
    return passed


def text_of(said: str | Deferred) -> str:
    """What the user said."""
    return said if isinstance(said, str) else said.text


def with_text(said: str | Deferred, text: str) -> str | Deferred:
    """The same in other words."""
    return text if isinstance(said, str) else attrs.evolve(said, text=text)

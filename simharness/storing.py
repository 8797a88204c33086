"""Records about a session store: what was written, what a kill left, what was read back.

All of them are witnessed. They stand beside `trace` because only trials with a store have any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.trace import Message, Witnessed

if TYPE_CHECKING:
    from attrs import frozen as _record
else:
    _record = attrs.define(unsafe_hash=True)  # as in `trace`, frozen for the type checker only

__all__ = ["Forked", "Killed", "SessionLoaded", "SessionRead", "StoreFlushed", "StoreWrite"]


@_record
class StoreWrite(Witnessed):
    """What became of write `number` (from 1, over all processes) of the line `text`.

    `how` is saved, failed (the agent was told), dropped (the store says saved and wrote nothing),
    torn (a kill left half of the line), lost (a kill came before the line was written), abandoned
    (the agent does not wait for it any more; it is on its way) or unheard (it gave up waiting in
    the moment in which it happened). A flush that was abandoned or unheard is number 0.
    """

    number: int
    text: str
    how: str


@_record
class StoreFlushed(Witnessed):
    """Everything written so far survives whatever happens; the file holds `size` characters."""

    size: int


@_record
class Killed(Witnessed):
    """The process of the agent is gone, in the middle of the runs `runs`; the store is left.

    `unflushed` characters of it were in buffers only and are gone as well.
    """

    runs: tuple[int, ...] = ()
    unflushed: int = 0


@_record
class Forked(Witnessed):
    """The user goes on in a copy of the session as it was after turn `turn`; None: as it is.

    `runs` were in progress and are left behind.
    """

    turn: int | None = None
    runs: tuple[int, ...] = ()


@_record
class SessionLoaded(Witnessed):
    """A fresh agent has loaded the store, or raised `error`. `messages` is its history then."""

    messages: tuple[Message, ...] = ()
    error: str = ""


@_record
class SessionRead(Witnessed):
    """What the store holds where a run has settled or a session was loaded: the agent reads it."""

    messages: tuple[Message, ...] = ()

"""Records about what ends or restarts a stream or turn, and about what stands around a stop.

`trace` hands them on beside all others.
"""

from __future__ import annotations

from typing import ClassVar

from simharness.records import Reported, Witnessed, record

__all__ = [
    "AnswerReturned",
    "BatchPending",
    "BatchSettled",
    "ClientRenewed",
    "ClientUnusable",
    "LogLost",
    "PromptDeferred",
    "ReplayTaken",
    "StreamRestarted",
    "TurnEndAsked",
]


@record
class AnswerReturned(Witnessed):
    """Who awaited a run beside the conversation was given this answer."""

    text: str


@record
class TurnEndAsked(Witnessed):
    """The body of call `call_id` returned, and its tool is one that ends the turn."""

    call_id: str


@record
class ReplayTaken(Witnessed):
    """The agent took word that the answer begins anew: what was sent before counts no more."""

    request: int


@record
class LogLost(Witnessed):
    """The log refused the row of attempt `attempt`: its write raised, and nothing was written."""

    attempt: int
    usage: tuple[int, int] | None = None


@record
class ClientRenewed(Witnessed):
    """The agent made itself a new model client in the place of one that was of no more use."""


@record
class ClientUnusable(Witnessed):
    """Request `request` was made by a client that a cut stream had left of no more use."""

    request: int


@record
class PromptDeferred(Reported):
    """The prompt `text` has to wait, and is acknowledged: a kill does not take it any more."""

    family: ClassVar[str] = "notice"
    text: str


@record
class StreamRestarted(Reported):
    """A stream was given up for `reason` and the turn goes on with a new one: no end of anything.

    `attempt` is the one that was given up.
    """

    family: ClassVar[str] = "stream"
    attempt: int
    reason: str


@record
class BatchPending(Reported):
    """The results of these calls are held back until they are settled."""

    family: ClassVar[str] = "tool"
    calls: tuple[str, ...]


@record
class BatchSettled(Reported):
    """The results of these calls are held back no more; `aborted`: because the run was stopped."""

    family: ClassVar[str] = "tool"
    calls: tuple[str, ...]
    aborted: bool = False

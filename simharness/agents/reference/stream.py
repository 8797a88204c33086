"""One attempt: reading a model stream to its end, showing what comes.

Whatever a stream does, an attempt ends in one of three ways: finished, cut by a cancel, or broken.
What that means for the history is the loop's business.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import attrs

from simharness.agent import (
    Aborted,
    BlockEnd,
    BlockStart,
    CallDelta,
    Chunk,
    Failed,
    Finish,
    ModelStream,
    OpaqueDelta,
    ProviderError,
    ReasoningDelta,
    Retrying,
    StreamStart,
    TextDelta,
    UsageReport,
)
from simharness.agents.reference.assembler import Assembler
from simharness.agents.reference.contract import CANCEL_BOUND_S
from simharness.agents.reference.guarding import Guard
from simharness.agents.reference.restarting import Restart
from simharness.agents.reference.silence import Silence
from simharness.trace import Message, MessageEnd, MessageStart, MessageUpdate

if TYPE_CHECKING:
    from simharness.agent import World
    from simharness.agents.reference.cancelling import Cancellation
    from simharness.agents.reference.journal import Journal
    from simharness.agents.reference.silence import Heard
    from simharness.contract import Contract

__all__ = ["Attempt", "Broken", "Cut", "Ending", "Finished", "GivenUp"]

_CONTENT = (
    StreamStart | BlockStart | BlockEnd | TextDelta | ReasoningDelta | OpaqueDelta | CallDelta
)
_TERMINAL = Finish | Failed | Aborted
_KINDS: dict[type, str] = {
    TextDelta: "text",
    ReasoningDelta: "reasoning",
    OpaqueDelta: "opaque",
    CallDelta: "args",
}
_UNUSABLE = frozenset({"incomplete", "content_filter"})
"""Finish reasons with which a provider takes its answer back."""


@attrs.frozen
class Finished:
    """The provider finished, and its answer counts."""

    reason: str


@attrs.frozen
class Cut:
    """The run was cancelled while the stream was read, whatever the stream then said."""


@attrs.frozen
class Broken:
    """The attempt failed. `despite_cancel`: a cancel that came before does not change that."""

    error: ProviderError
    despite_cancel: bool = False


@attrs.frozen
class GivenUp:
    """The stream was given up for another one; `reason` is why. Neither a stop nor a failure."""

    reason: str


Ending = Finished | Cut | Broken | GivenUp


class Attempt:
    """One model stream and the message it becomes. `number` counts from 1 within the run."""

    assembler_type = Assembler
    restart_type = Restart

    def __init__(
        self,
        world: World,
        journal: Journal,
        cancellation: Cancellation,
        contract: Contract,
        number: int,
        guard: Guard,
    ) -> None:
        self.number = number
        self.restart = self.restart_type(cancellation)
        self.streaming = True
        self.reads_on = False
        self.silence = Silence(None)
        self.assembler = self.assembler_type()
        self.begun = False
        self.shown = ""
        self.ended_first = False
        self._world = world
        self._journal = journal
        self._cancellation = cancellation
        self._contract = contract
        self._guard = guard
        self._opened = asyncio.get_running_loop().time()
        self._timed: list[tuple[float, str, str]] = []
        self._kept: list[Chunk] = []  # of a plain answer that is not whole yet

    @property
    def timed(self) -> tuple[tuple[float, str, str], ...]:
        """What came before any cancel, and when: seconds since the request, kind, text."""
        return tuple(self._timed)

    async def read(self, stream: ModelStream) -> Ending:
        """Read to the end; after a cancel only until the stream reacts or the bound is over."""
        error: ProviderError | None = None
        try:
            async with self._cancellation.bounded(CANCEL_BOUND_S) as scope:
                with self.restart.within(scope, CANCEL_BOUND_S):
                    await self._read(stream)
        except ProviderError as raised:
            error = raised
        except Exception as raised:  # noqa: BLE001 - a client library may raise anything
            error = ProviderError(f"{type(raised).__name__}: {raised}")
        return self.ending(error)

    async def _read(self, stream: ModelStream) -> None:
        async with self.silence.bounded() as heard:
            async for chunk in stream:
                self.hear(chunk, heard)
                self._cancellation.notice()
                if self.read_enough():
                    return
                if self.assembler.terminal is not None:
                    heard.only(CANCEL_BOUND_S)  # an end that was reported is not waited for again
                else:
                    await self._held(chunk, heard)
        self.unwrap()  # an answer that just ends is whole as well

    async def _held(self, chunk: Chunk, heard: Heard) -> None:
        """Hold a refusal back; the stream is not silent meanwhile."""
        if isinstance(chunk, Retrying):
            with heard.paused():
                await self._guard.replay(self.restart)

    def hear(self, chunk: Chunk, heard: Heard) -> None:
        """Take a chunk, which is a sign of life.

        One that comes too late tells only the usage, or that what came before it is void.
        """
        if isinstance(chunk, UsageReport | Retrying):
            self.receive(chunk)
            heard()
        else:
            heard()
            self.receive(chunk)

    def receive(self, chunk: Chunk) -> None:
        """Take a chunk at once, or keep it: a plain answer is there whole, or not at all.

        What it used is used in any case, and nothing else comes behind its end.
        """
        if self.streaming or isinstance(chunk, UsageReport):
            self.take(chunk)
        elif self.assembler.terminal is None:
            self._kept.append(chunk)
            if isinstance(chunk, _TERMINAL):
                self.unwrap()

    def unwrap(self) -> None:
        """Take what was kept of a plain answer."""
        kept, self._kept = self._kept, []
        for chunk in kept:
            self.take(chunk)

    def read_enough(self) -> bool:
        """Whether nothing of the stream matters any more, as its end was reported."""
        return self.assembler.terminal is not None and not self.reads_on

    def take(self, chunk: Chunk) -> None:
        """Add a chunk to the message and show it; after a cancel content is neither.

        Usage and terminals always count. The cancel may come from inside any report. An answer
        whose end was reported does not begin anew.
        """
        if isinstance(chunk, Retrying) and self.assembler.terminal is None:
            self.start_over()
        elif not isinstance(chunk, _CONTENT):
            self.assembler.add(chunk)
            self.note_end()
        elif self.wanted():
            self.begin()
            if self.wanted() and self.assembler.add(chunk):
                self.note_time(chunk)
                self.show(chunk)

    def wanted(self) -> bool:
        """Whether content still counts: not behind a cancel, nor of a stream that is given up."""
        return not (self._cancellation.called or self.restart.reason)

    def note_end(self) -> None:
        """Note whether the end that the stream has reported came before any cancel."""
        if not self._cancellation.called:
            self.ended_first = self.assembler.terminal is not None

    def start_over(self) -> None:
        """Discard what was streamed so far; its usage was used all the same."""
        if self.begun:
            self._journal.report(MessageEnd(self.assembler.message(), discarded=True))
        used = self.assembler.usage
        self.assembler = self.assembler_type()
        self.assembler.usage = used
        self.begun, self.shown = False, ""
        self._timed.clear()

    def note_time(self, chunk: Chunk) -> None:
        """Note when content came."""
        if isinstance(chunk, TextDelta | ReasoningDelta | OpaqueDelta | CallDelta):
            seconds = round(asyncio.get_running_loop().time() - self._opened, 6)
            text = chunk.args if isinstance(chunk, CallDelta) else chunk.text
            self._timed.append((seconds, _KINDS[type(chunk)], text))

    def begin(self) -> None:
        """Report the start of the message, once."""
        if not self.begun:
            self.begun = True
            self._journal.report(MessageStart(Message("assistant")))

    def show(self, chunk: Chunk) -> None:
        """Hand text to the consumer: first hand it over, then say so."""
        if isinstance(chunk, TextDelta | ReasoningDelta) and chunk.text:
            reasoning = isinstance(chunk, ReasoningDelta)
            self.shown += chunk.text
            self._world.shown(chunk.text, reasoning=reasoning)
            self._journal.report(MessageUpdate(chunk.text, reasoning))

    def ending(self, error: ProviderError | None) -> Ending:
        """What the end of the stream means; after a cancel it was cut, whatever was reported.

        A restart that meets a cancel is none: who asked to stop wants no other stream. An error
        behind a reported end comes too late.
        """
        if self._cancellation.called:
            return self.failed_first() or self.foreign_abort() or Cut()
        if self.restart.reason:
            return GivenUp(self.restart.reason)
        if error is not None and self.assembler.terminal is None:
            return Broken(error)
        return self.reported()

    def failed_first(self) -> Ending | None:
        """The failure that the stream had reported before the cancel, which met who reads on."""
        reported = self.reported() if self.ended_first else None
        return reported if isinstance(reported, Broken) else None

    def foreign_abort(self) -> Ending | None:
        """The failure of a provider that aborts for a reason of its own, though a caller cancels.

        Where the contract tells it from a stop. A mark of the framework outranks it, and after
        `task.cancel()` the caller gets CancelledError in any case.
        """
        if self._contract.foreign_abort_after_cancel != "failure":
            return None
        if self._cancellation.marked or self._cancellation.by_task:
            return None
        match self.assembler.terminal:
            case Aborted(reason) if reason not in {"", "user"}:
                return Broken(aborted(reason), despite_cancel=True)
        return None

    def reported(self) -> Ending:
        """What the end means that the stream itself reported, nobody having cancelled."""
        match self.assembler.terminal:
            case Finish(reason) if reason not in _UNUSABLE:
                return Finished(reason)
            case Finish(reason):
                return Broken(ProviderError(f"answer withdrawn: {reason}"))
            case Failed(error):
                return Broken(error)
            case Aborted(reason):
                return Broken(aborted(reason))
            case None:
                return self.silent_close()

    def silent_close(self) -> Ending:
        """What it means that a stream just ended."""
        if self._contract.silent_close == "completed":
            return Finished("stop")
        return Broken(ProviderError("stream ended without finish"))


def aborted(reason: str) -> ProviderError:
    """The error of a provider that says that it aborted."""
    return ProviderError(f"provider aborted: {reason}", kind="abort")

"""One scripted model stream: emits, reacts to being told of a cancel, and ends as written.

What has arrived is taken without suspending, as a socket buffer behaves: a check that sits only
behind an await misses exactly this. The stream witnesses what arrived, what was taken, how it was
told and how it was closed; the agent cannot forget any of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Protocol

from simharness.agent import (
    Chunk,
    Flag,
    ProviderError,
    Retrying,
    UsageReport,
)
from simharness.provider.compile import (
    Delivery,
    Item,
    compile_steps,
    compile_stream,
    end_item,
    raised_error,
)
from simharness.scenario.model import EndKind, EndStep, Report, Stream, WireFaults
from simharness.trace import (
    ChunkArrived,
    ChunkTaken,
    ReplayTaken,
    SignTaken,
    StreamClosed,
    StreamTold,
    TerminalTaken,
    UsageTaken,
)
from simharness.world.blocking import block_until
from simharness.world.clock import INFINITY
from simharness.world.eventloop import SimLoop
from simharness.world.recorder import Recorder
from simharness.world.sources import Source, Wait

_SWALLOWS = {Report.ABORTED, Report.ERROR, Report.CLOSE, Report.FINISH}
"""Reactions for which a stream that is told by CancelledError goes on to report."""


class Anchors(Protocol):
    """What a stream asks of and tells the user's script (world/user.py)."""

    def chunk_delivered(self, stream: ScriptedStream, chunk: int) -> None:
        """A chunk is on its way into the stream object."""
        ...

    def chunk_taken(self, run: int, request: int, chunk: int) -> None:
        """The agent took a chunk."""
        ...

    def terminal_taken(self, run: int, request: int) -> None:
        """The agent took the end of a stream."""
        ...


class ScriptedStream(Source):
    """A `ModelStream` that plays one `Stream` script for request `request` of run `run`."""

    __slots__ = (
        "_anchors",
        "_answering",
        "_buffer",
        "_ended",
        "_fresh_id",
        "_left",
        "_open",
        "_recorder",
        "_script",
        "_signal",
        "_told",
        "_waiter",
        "_wired",
        "request",
        "run",
    )

    def __init__(
        self,
        loop: SimLoop,
        recorder: Recorder,
        anchors: Anchors,
        script: Stream,
        *,
        run: int,
        request: int,
        fresh_id: Callable[[], str],
        signal: Flag | None = None,
        wired: bool = False,
    ) -> None:
        super().__init__(loop, f"request {request}")
        self.run = run
        self.request = request
        self._recorder = recorder
        self._anchors = anchors
        self._script = script
        self._fresh_id = fresh_id
        self._signal = signal
        self._wired = wired
        self._left: deque[Delivery] = deque(compile_stream(script, fresh_id))
        self._buffer: deque[Item] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._told = False
        self._answering: EndStep | None = None
        self._open = True  # not closed by its reader
        self._ended = False  # an end was taken
        self._schedule()
        loop.boundaries.sources.append(self)
        if signal is not None:
            loop.boundaries.polls.append(self._look_at_signal)

    # --- what the world calls -------------------------------------------------------------

    def deliver(self) -> None:
        """Hand over the next delivery, or several in a burst, up to the next anchored action."""
        arriving = [self._left.popleft()]
        self._anchors.chunk_delivered(self, arriving[0].number)
        while (
            len(arriving) < self._script.burst
            and self._left
            and self._left[0].number
            and not self.holds
        ):
            arriving.append(self._left.popleft())
            self._anchors.chunk_delivered(self, arriving[-1].number)
        self._schedule()
        items = tuple(item for delivery in arriving for item in delivery.items)
        self.loop.from_outside(self._arrive, items)

    def _arrive(self, items: tuple[Item, ...]) -> None:
        if not self._open:
            return
        for item in items:
            self._buffer.append(item)
            if item.number:
                self._recorder.add(_noted(ChunkArrived, self.request, item), self.run)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _schedule(self) -> None:
        """Set when the next delivery is due and what it is called."""
        if not self._left:
            self.due = INFINITY
            return
        head = self._left[0]
        end = head.items[-1].end
        if end is not None and end.kind is EndKind.HANG:
            self._recorder.play(end.key)
            self.due = INFINITY
            return
        self.due = self.loop.clock.now + head.delay_s
        what = f"chunk {head.number}" if head.number else "end"
        self.relabel(f"{what} of request {self.request}")

    def _look_at_signal(self) -> None:
        if self._signal is not None and self._signal.is_set():
            self._tell("signal")

    # --- what the agent calls ---------------------------------------------------------------

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self

    async def __anext__(self) -> Chunk:
        """The next chunk; suspends only if nothing has arrived."""
        while not self._buffer:
            if not self._open or (not self._left and self._ended):
                self._finish_reading()
                raise StopAsyncIteration
            await self._wait()
        return self._take(self._buffer.popleft())

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        """The next chunk, for synchronous agents: blocks their thread until it arrives."""
        while not self._buffer:
            if not self._open or (not self._left and self._ended):
                self._finish_reading()
                raise StopIteration
            block_until(lambda: bool(self._buffer) or not self._open)
        try:
            return self._take(self._buffer.popleft())
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        """Close the stream at once, for synchronous agents."""
        if self._open:
            if not self._ended:
                self._recorder.add(StreamTold(self.request, "aclose()"), self.run)
            self._shut("aclose")

    def cancel(self) -> None:
        """Tell the stream that its reader does not want it any more."""
        self._tell("cancel()")

    async def aclose(self) -> None:
        """Close the stream, as slowly and rudely as the script says. Closing twice is allowed."""
        if not self._open:
            return
        reaction = self._script.reaction
        if not self._ended:
            self._recorder.add(StreamTold(self.request, "aclose()"), self.run)
        hung_up = self._wired and not self._ended
        if reaction.close_takes_s or reaction.close_raises or hung_up:
            self._recorder.play(reaction.key)
        self._shut("aclose")
        if reaction.close_takes_s:
            await Wait(self.loop, f"close of request {self.request}", reaction.close_takes_s).done
        if reaction.close_raises:
            raise ProviderError("closing the stream failed")

    @property
    def wire(self) -> WireFaults:
        """What goes wrong on the wire."""
        return self._script.wire

    @property
    def chunks(self) -> int:
        """How many chunks are left to come."""
        return sum(bool(delivery.number) for delivery in self._left)

    @property
    def opens(self) -> bool:
        """Whether an answer begins before anything fails; without, there is only a status."""
        first = next(iter(self._left), None)
        end = None if first is None else first.items[-1].end
        fails = end is not None and end.kind in {EndKind.ERROR, EndKind.RAISE}
        return first is None or bool(first.number) or not fails

    @property
    def cut(self) -> bool:
        """Told of a cancel, or closed before its end."""
        return self._told or not (self._open or self._ended)

    @property
    def abandoned(self) -> bool:
        """Neither closed nor read to an end."""
        return self._open and not self._ended

    # --- inside -----------------------------------------------------------------------------

    async def _wait(self) -> None:
        self._waiter = self.loop.create_future()
        try:
            await self._waiter
        except asyncio.CancelledError:
            if self._swallows_cancel():
                return
            self._recorder.add(StreamTold(self.request, "CancelledError"), self.run)
            if self._script.reaction.report is Report.RAISE:
                self._recorder.play(self._script.reaction.key)
            self._shut("cancelled")
            raise
        finally:
            self._waiter = None

    def _swallows_cancel(self) -> bool:
        """Whether an answer comes in the place of the cancel; an end that was taken is no other."""
        reaction = self._script.reaction
        if self._told or self._ended or not reaction.written or reaction.report not in _SWALLOWS:
            return False
        if self._wired:  # who hangs up hears nothing more
            self._recorder.play(reaction.key)
            return False
        self._tell("CancelledError")
        return True

    def _take(self, item: Item) -> Chunk:
        self._recorder.took_from(self.run, self.request)
        if item.number:
            self._recorder.add(_noted(ChunkTaken, self.request, item), self.run)
            self._anchors.chunk_taken(self.run, self.request, item.number)
        if isinstance(item.chunk, Retrying):
            self._recorder.add(ReplayTaken(self.request), self.run)
        if isinstance(item.chunk, UsageReport):
            usage = item.chunk
            self._recorder.add(UsageTaken(self.request, usage.input, usage.output), self.run)
        if item.sign:
            self._recorder.add(SignTaken(self.request), self.run)
        if item.end is not None:
            self._take_end(item.end)
        if item.chunk is None:
            raise StopAsyncIteration
        return item.chunk

    def _take_end(self, end: EndStep) -> None:
        detail = end.reason or (end.error.message if end.error else "")
        names = {EndKind.ABORT: "aborted"}
        if not self._ended:
            self._ended = True
            kind = names.get(end.kind, end.kind.value)
            answering = end is self._answering
            self._recorder.add(TerminalTaken(self.request, kind, detail, answering), self.run)
            self._anchors.terminal_taken(self.run, self.request)
        self._recorder.play(end.key)
        if end.kind is EndKind.CLOSE:
            self._finish_reading()
        if end.kind is EndKind.RAISE:
            self._finish_reading()
            raise raised_error(end.error, end.reason or "the stream broke")

    def _finish_reading(self) -> None:
        if self._open:
            self._shut("end")

    def _shut(self, by: str) -> None:
        self._open = False
        self._left.clear()
        self._buffer.clear()
        self.due = INFINITY
        self._recorder.add(StreamClosed(self.request, by), self.run)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)  # another task reads it: nothing more comes
        self._retire()

    def _retire(self) -> None:
        boundaries = self.loop.boundaries
        boundaries.remove(self)
        if self._signal is not None and self._look_at_signal in boundaries.polls:
            boundaries.polls.remove(self._look_at_signal)

    def _tell(self, how: str) -> None:
        """Replace what was still to be delivered by the reaction; once per stream."""
        if self._told or not self._open or self._ended:
            return
        self._told = True
        reaction = self._script.reaction
        self._recorder.add(StreamTold(self.request, how), self.run)
        if reaction.report is Report.IGNORE:
            self._recorder.play(reaction.key)
            return
        kept = [left for left in self._left if left.number][: reaction.keeps_sending]
        self._left = deque([*kept, *self._answer()])
        if reaction.report is Report.HANG:
            self._recorder.play(reaction.key)
        self._schedule()

    def _answer(self) -> list[Delivery]:
        reaction = self._script.reaction
        late = compile_steps(reaction.late, self._fresh_id)
        if reaction.report is Report.HANG:
            return late
        kinds = {
            Report.ABORTED: EndKind.ABORT,
            Report.ERROR: EndKind.ERROR,
            Report.CLOSE: EndKind.CLOSE,
            Report.FINISH: EndKind.FINISH,
            Report.RAISE: EndKind.RAISE,
        }
        reason = {Report.ABORTED: reaction.reason, Report.FINISH: "stop"}
        end = EndStep(
            kinds[reaction.report],
            reason.get(reaction.report, "the request was cancelled"),
            key=reaction.key,
        )
        self._answering = end
        answer = [Delivery((end_item(end),), reaction.latency_s), *late]
        if reaction.ends_after_s:
            close = EndStep(EndKind.CLOSE, key=reaction.key)
            answer.append(Delivery((Item(end=close),), reaction.ends_after_s))
        return answer


def _noted(
    record: type[ChunkArrived | ChunkTaken], request: int, item: Item
) -> ChunkArrived | ChunkTaken:
    """What is noted of a chunk, alike when it arrives and when it is taken."""
    return record(request, item.number, item.kind, item.text, item.call_id, item.name, item.index)

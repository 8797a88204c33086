"""The turns of one trial with one child: what it asks for is done in the world of the trial.

An exchange tells the child one thing, takes everything it says until it is idle, and is over before
anything else happens: to the loop it is one step. So nothing races with the child, and nothing of
it can be forgotten: requests, reads and tools are witnessed where they are for any other agent.
"""

from __future__ import annotations

import asyncio
import contextvars
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from simharness.agent import LogWriteError, NotApplicable
from simharness.bridges import down, up
from simharness.bridges.lines import BadLine, down_line, read_up
from simharness.bridges.playing import Bodies, Streams
from simharness.trace import LoopBlocked, LoopError
from simharness.world.childprocess import ChildFault, ChildLimits
from simharness.world.runs import RUN

if TYPE_CHECKING:
    from collections.abc import Callable

    from simharness.bridges.down import Down
    from simharness.bridges.up import Up
    from simharness.trace import Reported
    from simharness.world.handles import Timer
    from simharness.world.trial import Trial

__all__ = ["Channel", "Link", "converse"]

A = TypeVar("A", bound="Up")


class Channel(Protocol):
    """Lines to and from a child. Each call may raise `ChildFault`."""

    def allow(self, seconds: float) -> None:
        """Set when all that follows has to be over, in real seconds from now."""
        ...

    def send(self, line: bytes) -> None:
        """Write one line."""
        ...

    def receive(self) -> bytes:
        """The next line, without its end."""
        ...


class Link:
    """One trial with one child."""

    def __init__(
        self,
        channel: Channel,
        limits: ChildLimits,
        world: Trial,
        on_fault: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_fault` is called when the child breaks the rules, before the trial ends."""
        self._on_fault = on_fault
        self._channel = channel
        self._limits = limits
        self._world = world
        self._loop = world.loop
        self._lines = 0
        self._answer: Up | None = None
        self._expected: type[object] | None = None
        self._runs: dict[int, asyncio.Future[up.Settled]] = {}
        self._streams = Streams(world, self.tell)
        self._bodies = Bodies(world, self.tell)
        self._wake: Timer | None = None
        self._open = False
        self._unable = ""
        self.broken = False
        """Whether nothing can be said to the child any more."""

    # --- exchanges ------------------------------------------------------------------------------

    def tell(self, message: Down) -> None:
        """Tell the child something and do what it asks for, until it is idle."""
        if self.broken or self._loop.boundaries.closing:
            return  # what the teardown unwinds is nobody's business any more
        try:
            if not self._open:
                self._open = True
                self._exchange(self._opening())
            self._exchange(message)
        except ChildFault as fault:
            self.broken = True
            self._on_fault()
            raise self._loop.boundaries.end(fault.limit, fault.detail) from fault
        except BaseException:
            self.broken = True  # in the middle: nobody knows what is left to be heard
            raise
        if self._unable:
            raise self._loop.boundaries.fail(NotApplicable(self._unable))

    def ask(self, message: Down, kind: type[A]) -> A | None:
        """Ask the child something; None if it is gone."""
        self._expected, self._answer = kind, None
        self.tell(message)
        self._expected = None
        if self._answer is None and not (self.broken or self._loop.boundaries.closing):
            self.broken = True
            text = (
                f"line {self._lines} of the trial: idle, and no answer to {type(message).__name__}"
            )
            raise self._loop.boundaries.end("child-garbage", text)
        return cast("A | None", self._answer)

    def run(self, number: int) -> asyncio.Future[up.Settled]:
        """Open a run; the future is done when the child says that it has settled."""
        self._runs[number] = self._loop.create_future()
        return self._runs[number]

    def _opening(self) -> down.Open:
        """What begins the trial: before the first message, so that a fault there has a trial."""
        offered = [
            down.ToolOffered(tool.name, tool.schema, tool.ends_turn) for tool in self._world.tools()
        ]
        return down.Open(tuple(offered))

    def _exchange(self, message: Down) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._channel.allow(self._limits.answer_s)
        self._channel.send(down_line(message, at=self._loop.time()))
        for _ in range(self._limits.messages):
            said = self._hear()
            try:
                if isinstance(said, up.Idle):
                    self._rest(said)
                    return
                self._take(said)
            except BadLine as error:
                raise self._garbage(error) from None
        raise ChildFault("child-flood", f"{self._limits.messages} messages without being idle")

    def _hear(self) -> Up:
        self._lines += 1
        try:
            return read_up(self._channel.receive())
        except BadLine as error:
            raise self._garbage(error) from None

    def _garbage(self, error: BadLine) -> ChildFault:
        return ChildFault("child-garbage", f"line {self._lines} of the trial: {error}")

    def _rest(self, idle: up.Idle) -> None:
        """The child waits; wake it when it asks for it."""
        if idle.wake is None:
            return
        now = self._loop.time()
        if idle.wake <= now:
            raise BadLine(f"wake: found {idle.wake}, expected a time after {now}")
        # in no run's context: it is the child's own clock that wakes it
        self._wake = self._loop.call_at(idle.wake, self._tell_time, context=contextvars.Context())

    def _tell_time(self) -> None:
        self.tell(down.Wake())

    # --- what the child says --------------------------------------------------------------------

    def _take(self, said: Up) -> None:
        match said:
            case up.Request():
                self._streams.request(said, self._in(said.run))
            case up.Read() | up.Abandon() | up.Tell() | up.Shut():
                self._streams.take(said)
            case up.Call():
                self._bodies.call(said, self._in(said.run))
            case up.Flag() | up.Drop():
                self._bodies.take(said)
            case up.Report(run=run, record=record):
                self._report(run, record)
            case up.Shown():
                context = self._in(said.run)
                context.run(self._world.shown, said.text, reasoning=said.reasoning)
            case up.Renew(run=run):
                self._in(run).run(self._world.renew_client)
            case up.Settled():
                self._settled(said)
            case _:
                self._aside(said)

    def _report(self, run: int, record: Reported) -> None:
        try:
            self._in(run).run(self._world.report, record)
        except LogWriteError:
            self._unable = "no log of another process can refuse a row"

    def _aside(self, said: Up) -> None:
        """What is about no run: answers, and what befell the child."""
        match said:
            case up.Blocked(seconds=seconds):
                if seconds < 0:
                    raise BadLine(f"seconds: found {seconds}, expected 0 or more")
                self._loop.clock.now += seconds
                self._world.recorder.add(LoopBlocked(seconds), 0)
            case up.Lost(message=message, error=error):
                self._world.recorder.add(LoopError(message, error), 0)
            case up.Unable(reason=reason):
                self._unable = reason  # once it is idle: what it still says belongs to this turn
            case up.Limit(limit=limit, detail=detail):
                raise ChildFault(limit, detail)
            case _ if self._expected is not None and type(said) is self._expected:
                self._answer, self._expected = said, None
            case _:
                raise BadLine(f"type: {type(said).__name__} answers nothing here")

    def _in(self, run: int) -> contextvars.Context:
        """The context of a run, in which the world notes what is done for it."""
        if run and run not in self._runs:
            known = ", ".join(map(str, self._runs)) or "none"
            raise BadLine(f"run: found {run}, expected 0 or one of the runs ({known})")
        context = contextvars.Context()
        context.run(RUN.set, run)
        return context

    def _settled(self, said: up.Settled) -> None:
        self._in(said.run)
        future = self._runs.get(said.run)
        if future is None or future.done():
            raise BadLine(f"run: found {said.run}, which has settled before")
        future.set_result(said)


def converse(channel: Channel, message: Down, seconds: float) -> Up:
    """Tell a child something outside any trial: the first thing it says in answer.

    Raises `ChildFault`.
    """
    channel.allow(seconds)
    channel.send(down_line(message, at=0.0))
    try:
        return read_up(channel.receive())
    except BadLine as error:
        raise ChildFault("child-garbage", f"line 1: {error}") from None

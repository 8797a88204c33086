"""Streams that a child reads and tools that it runs: the scripts of the world, at its request.

Each read and each body is a task of ours. It hands its result over in the step in which it has it,
so that a chunk counts as taken when the child gets it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import TYPE_CHECKING, Any

import attrs

from simharness.agent import ModelStream, ProviderError, Request, ToolFailure
from simharness.bridges import down, up
from simharness.bridges.lines import BadLine
from simharness.scenario.vocabulary import EXCEPTIONS

if TYPE_CHECKING:
    from simharness.bridges.down import Down
    from simharness.world.trial import Trial

__all__ = ["Bodies", "Streams"]

Say = Callable[["Down"], None]


@attrs.define(eq=False)
class _Flag:
    """Whether the child has told a stream, or a tool, that it is to stop."""

    up: bool = False

    def is_set(self) -> bool:
        """Whether it was told."""
        return self.up


@attrs.define(eq=False)
class _Doing:
    """Something in progress for the child, and whether it waits for it no longer."""

    task: asyncio.Task[None] | None = None
    given_up: bool = False

    def start(
        self, doing: Coroutine[Any, Any, None], context: Context, say: Say, dropped: Down
    ) -> None:
        """Do it; when it was cancelled, because it was given up, say `dropped`."""

        def over(task: asyncio.Task[None]) -> None:
            if task.cancelled() and self.given_up:
                self.task, self.given_up = None, False
                say(dropped)

        self.given_up = False
        self.task = asyncio.get_running_loop().create_task(doing, context=context)
        self.task.add_done_callback(over)

    def give_up(self) -> None:
        """Cancel it, as the child's own task was; it may end otherwise all the same."""
        if self.task is not None:
            self.given_up = True
            self.task.cancel()


@attrs.define(eq=False)
class _Stream:
    """A stream that the child reads, and the read in progress."""

    source: ModelStream
    context: Context
    flag: _Flag
    reading: _Doing = attrs.Factory(_Doing)


class Streams:
    """All streams of one trial, by the numbers that the child gave them."""

    def __init__(self, world: Trial, say: Say) -> None:
        self._world = world
        self._say = say
        self._streams: dict[int, _Stream] = {}

    def request(self, said: up.Request, context: Context) -> None:
        """Make a model request for a run."""
        if said.stream in self._streams:
            raise BadLine(f"stream: found {said.stream}, which is taken")
        flag = _Flag()
        asked = Request(said.messages, said.tools, said.streaming)
        source = context.run(lambda: self._world.stream(asked, signal=flag))
        self._streams[said.stream] = _Stream(source, context, flag)

    def take(self, said: up.Read | up.Abandon | up.Tell | up.Shut) -> None:
        """Do what the child wants of a stream."""
        number = said.stream
        if number not in self._streams:
            raise BadLine(f"stream: found {number}, for which no request was made")
        stream = self._streams[number]
        busy = stream.reading.task is not None
        match said:
            case up.Read():
                if busy:
                    raise BadLine(f"stream: found {number}, which is being read")
                reading = self._read(number, stream)
                stream.reading.start(reading, stream.context, self._say, down.Unread(number))
            case up.Abandon():
                if not busy:
                    raise BadLine(f"stream: found {number}, which is not being read")
                stream.reading.give_up()
            case up.Tell(how="signal"):
                stream.flag.up = True
            case up.Tell():
                stream.context.run(stream.source.cancel)
            case up.Shut():
                asyncio.get_running_loop().create_task(
                    self._close(number, stream.source), context=stream.context
                )

    async def _read(self, number: int, stream: _Stream) -> None:
        answer: Down
        try:
            answer = down.Deliver(number, await stream.source.__anext__())
        except StopAsyncIteration:
            answer = down.End(number)
        except ProviderError as error:
            answer = down.Break(number, error)
        except tuple(EXCEPTIONS.values()) as error:  # the child has other exceptions
            answer = down.Break(number, ProviderError(str(error), kind=type(error).__name__))
        stream.reading.task = None
        self._say(answer)

    async def _close(self, number: int, source: ModelStream) -> None:
        failed: ProviderError | None = None
        try:
            await source.aclose()
        except ProviderError as error:
            failed = error
        self._say(down.Closed(number, failed))


@attrs.define(eq=False)
class _Body:
    """The body of a tool."""

    flag: _Flag = attrs.Factory(_Flag)
    running: _Doing = attrs.Factory(_Doing)


class Bodies:
    """The bodies of tools that run in one trial, by the numbers that the child gave them."""

    def __init__(self, world: Trial, say: Say) -> None:
        self._tools = {tool.name: tool for tool in world.tools()}
        self._say = say
        self._bodies: dict[int, _Body] = {}

    def call(self, said: up.Call, context: Context) -> None:
        """Run a tool for a run."""
        if said.call in self._bodies:
            raise BadLine(f"call: found {said.call}, which is taken")
        if said.name not in self._tools:
            known = ", ".join(self._tools) or "none"
            raise BadLine(f"name: found {said.name!r}, expected a tool ({known})")
        body = self._bodies[said.call] = _Body()
        body.running.start(self._run(said, body), context, self._say, down.Dropped(said.call))

    def take(self, said: up.Flag | up.Drop) -> None:
        """Let a body see that it is to stop, or stop it."""
        if said.call not in self._bodies:
            raise BadLine(f"call: found {said.call}, which was not made")
        body = self._bodies[said.call]
        if isinstance(said, up.Flag):
            body.flag.up = True
        else:
            body.running.give_up()

    async def _run(self, said: up.Call, body: _Body) -> None:
        answer: Down
        try:
            tool = self._tools[said.name]
            text = await tool.call(said.args, call_id=said.call_id, cancelled=body.flag)
            answer = down.Result(said.call, text)
        except ToolFailure as failure:
            answer = down.Failure(said.call, str(failure))
        body.running.task = None
        self._say(answer)

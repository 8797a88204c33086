"""The world that an agent gets in the child: everything is asked of the harness.

The same protocol as `World`, so that an adapter runs here unchanged. What is not there says so as
`NotApplicable`: transports, stores and tools for synchronous agents.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from simharness.agent import Chunk, Flag, NotApplicable, Request, ToolFailure
from simharness.bridges import down, up
from simharness.trace import Reported
from simharness.world.cancels import Token
from simharness.world.runs import RUN
from simharness.world.tools import args_text

if TYPE_CHECKING:
    from simharness.bridges.python.desk import Desk
    from simharness.world.eventloop import SimLoop

__all__ = ["ChildWorld"]


class ChildWorld:
    """The world of one trial in the child."""

    store = None

    def __init__(self, loop: SimLoop, desk: Desk, tools: Sequence[down.ToolOffered]) -> None:
        self._loop = loop
        self._desk = desk
        self._tools = [_Tool(self, tool) for tool in tools]
        self.cancelled = Token()

    def stream(self, request: Request, *, signal: Flag | None = None) -> _Stream:
        """Make a model request."""
        number = self._desk.number("stream")
        self._desk.say(
            up.Request(
                RUN.get(),
                number,
                tuple(request.messages),
                tuple(request.tools),
                request.streaming,
            )
        )
        return _Stream(self, self._desk, number, signal)

    def tools(self) -> Sequence[_Tool]:
        """The scenario's tools."""
        return self._tools

    def transport(self, library: str) -> NoReturn:
        """Refused: over the bridge there are streams only."""
        raise NotApplicable(f"there is no {library} transport in another process")

    def renew_client(self) -> None:
        """Use a new model client from now on."""
        self._desk.say(up.Renew(RUN.get()))

    def report(self, record: Reported) -> None:
        """Say what the agent says about itself."""
        self._desk.say(up.Report(RUN.get(), record))

    def shown(self, text: str, *, reasoning: bool = False) -> None:
        """Text was handed to the consumer."""
        if text:
            self._desk.say(up.Shown(RUN.get(), text, reasoning))

    async def wait(self, name: str, seconds: float) -> None:  # noqa: ARG002 - no anchor here
        """Wait; scenarios cannot place anything in it."""
        await asyncio.sleep(seconds)

    def hook(self, name: str, number: int = 0) -> None:
        """Nothing: hook positions are for loops written for us."""

    # --- for the parts of this file ---------------------------------------------------------------

    @contextlib.contextmanager
    def watching(self, flag: Flag | None, message: up.Up) -> Iterator[None]:
        """Say `message` once `flag` is set, looked at between two steps of the loop."""
        polls = self._loop.boundaries.polls
        drop = poll_for(flag, lambda: self._desk.say(message), polls)
        try:
            yield
        finally:
            drop()

    def watch(self, flag: Flag | None, message: up.Up) -> Callable[[], None]:
        """The same without an end; call what it returns to stop."""
        return poll_for(flag, lambda: self._desk.say(message), self._loop.boundaries.polls)


def poll_for(
    flag: Flag | None, call: Callable[[], None], polls: list[Callable[[], None]]
) -> Callable[[], None]:
    """Call once when `flag` is found set; returns what stops looking."""

    def look() -> None:
        if flag is not None and flag.is_set():
            drop()
            call()

    def drop() -> None:
        if look in polls:
            polls.remove(look)

    if flag is not None:
        polls.append(look)
    return drop


class _Stream:
    """A `ModelStream` whose chunks come from the harness."""

    def __init__(self, world: ChildWorld, desk: Desk, number: int, signal: Flag | None) -> None:
        self._desk = desk
        self._number = number
        self._stop = world.watch(signal, up.Tell(number))

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self

    async def __anext__(self) -> Chunk:
        """The next chunk; raises `ProviderError` where the script says `raise`."""
        self._desk.say(up.Read(self._number))
        key = ("stream", self._number)
        match await self._desk.answer(key, up.Abandon(self._number)):
            case down.Deliver(chunk=chunk):
                return chunk
            case down.Break(error=error):
                self._stop()
                raise error
            case down.Unread():
                raise asyncio.CancelledError
            case _:
                self._stop()
                raise StopAsyncIteration

    def cancel(self) -> None:
        """Tell the stream that its reader does not want it any more."""
        self._desk.say(up.Tell(self._number, "call"))

    async def aclose(self) -> None:
        """Close the stream; closing twice is allowed."""
        self._stop()
        self._desk.say(up.Shut(self._number))
        closed = await self._desk.answer(("close", self._number))
        if isinstance(closed, down.Closed) and closed.error is not None:
            raise closed.error


class _Tool:
    """A `ToolSpec` whose body runs in the harness."""

    def __init__(self, world: ChildWorld, tool: down.ToolOffered) -> None:
        self._world = world
        self._tool = tool

    @property
    def name(self) -> str:
        """The tool's name."""
        return self._tool.name

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the arguments."""
        return self._tool.schema

    @property
    def ends_turn(self) -> bool:
        """Whether a result of it ends the turn."""
        return self._tool.ends_turn

    async def call(self, args: object, *, call_id: str, cancelled: Flag | None = None) -> str:
        """Run the body; raises `ToolFailure` where the script says so."""
        desk = self._world._desk
        number = desk.number("call")
        desk.say(up.Call(RUN.get(), number, self.name, args_text(args), call_id))
        with self._world.watching(cancelled, up.Flag(number)):
            answer = await desk.answer(("call", number), up.Drop(number))
        match answer:
            case down.Result(text=text):
                return text
            case down.Failure(text=text):
                raise ToolFailure(text)
            case _:
                raise asyncio.CancelledError

    def call_sync(self, args: object, *, call_id: str) -> NoReturn:  # noqa: ARG002
        """Refused: a body in the harness cannot hold a thread of the child."""
        raise NotApplicable(f"tool {self.name} has no body for threads of another process")

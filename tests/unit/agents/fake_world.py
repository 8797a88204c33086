"""A world on stock asyncio for tests of adapters: plays chunks, writes down what it saw."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

import attrs

from simharness.agent import Chunk, Flag, ProviderError, Request, ToolFailure

if TYPE_CHECKING:
    from simharness.trace import Reported

Script = list[Chunk | ProviderError]


class FakeStream:
    """One stream: a chunk per loop iteration; an exception in the script is raised."""

    def __init__(self, script: Script, signal: Flag | None) -> None:
        self.script = list(script)
        self.signal = signal
        self.closed = False

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self

    async def __anext__(self) -> Chunk:
        await asyncio.sleep(0)
        if not self.script:
            raise StopAsyncIteration
        item = self.script.pop(0)
        if isinstance(item, ProviderError):
            raise item
        return item

    def cancel(self) -> None:
        """Not used by the adapters under test."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Note that the stream was closed."""
        self.closed = True


@attrs.define
class FakeTool:
    """A tool that returns `returns`, or raises it if it is a failure."""

    name: str
    returns: str | ToolFailure = "ok"
    started: list[tuple[str, object]] = attrs.field(factory=list)
    schema: Mapping[str, object] = {"type": "object", "properties": {"q": {"type": "string"}}}

    ends_turn = False

    async def call(self, args: object, *, call_id: str, cancelled: Flag | None = None) -> str:
        """Run the body."""
        self.started.append((call_id, args))
        await asyncio.sleep(0)
        if isinstance(self.returns, ToolFailure):
            raise self.returns
        return self.returns

    def call_sync(self, args: object, *, call_id: str) -> str:
        """Not used by the adapters under test."""
        raise NotImplementedError


class FakeToken:
    """The token of a TOKEN cancel."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    def __call__(self) -> bool:
        return self.event.is_set()

    def is_set(self) -> bool:
        """Whether it was cancelled."""
        return self.event.is_set()

    async def wait(self) -> None:
        """Wait for the cancel."""
        await self.event.wait()


class FakeWorld:
    """Answers request k with script k."""

    def __init__(self, *scripts: Script, tools: tuple[FakeTool, ...] = ()) -> None:
        self.scripts = list(scripts)
        self.requests: list[Request] = []
        self.streams: list[FakeStream] = []
        self.reports: list[Reported] = []
        self.texts: list[str] = []
        self.cancelled = FakeToken()
        self.store = None
        self._tools = tools

    def stream(self, request: Request, *, signal: Flag | None = None) -> FakeStream:
        """Answer a request."""
        self.requests.append(request)
        self.streams.append(FakeStream(self.scripts.pop(0), signal))
        return self.streams[-1]

    def transport(self, library: str) -> object:
        """Not used by the adapters under test."""
        raise NotImplementedError

    def tools(self) -> tuple[FakeTool, ...]:
        """The tools."""
        return self._tools

    def renew_client(self) -> None:
        """The client of this world is always as good as new."""

    def report(self, record: Reported) -> None:
        """Keep a report."""
        self.reports.append(record)

    def shown(self, text: str, *, reasoning: bool = False) -> None:
        """Keep what was shown; reasoning in brackets."""
        self.texts.append(f"({text})" if reasoning else text)

    async def wait(self, name: str, seconds: float) -> None:
        """Not used by the adapters under test."""
        raise NotImplementedError

    def hook(self, name: str, number: int = 0) -> None:
        """Not used by the adapters under test."""
        raise NotImplementedError


async def drain(answer: object) -> list[object]:
    """Consume what `prompt()` returned, to its end."""
    if isinstance(answer, AbstractAsyncContextManager):
        async with answer as items:
            return await drain(items)
    assert isinstance(answer, AsyncIterator)
    return [item async for item in answer]

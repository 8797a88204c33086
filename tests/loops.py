"""Tiny agents for tests of the flow and the front ends: one loop, a few ways to be wrong."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING

from simharness.agent import CallDelta, CancelWay, NotApplicable, Request, Style, TextDelta, World
from simharness.contract import Contract
from simharness.trace import Call, Message, assistant, tool_result, user

if TYPE_CHECKING:
    from collections.abc import Mapping

_made = itertools.count()


class Loop:
    """A plain loop: ask, run the tools, ask again. `loses_results` forgets what tools returned."""

    name = "loop"
    version = "1.0"
    contract = Contract()
    seam = "stream"
    style = Style.ASYNC
    cancel_ways: frozenset[CancelWay] = frozenset()

    def __init__(self, world: World, *, loses_results: bool = False, greeting: str = "") -> None:
        self.world = world
        self.loses_results = loses_results
        self.messages: list[Message] = [user(greeting)] if greeting else []

    async def prompt(self, text: str) -> None:
        self.messages.append(user(text))
        while calls := await self._ask():
            for call in calls:
                tool = next(tool for tool in self.world.tools() if tool.name == call.name)
                result = await tool.call(call.args, call_id=call.id)
                if not self.loses_results:
                    self.messages.append(tool_result(call.id, result))

    async def _ask(self) -> list[Call]:
        said = ""
        calls: dict[int, Call] = {}
        async for chunk in self.world.stream(Request(tuple(self.messages))):
            if isinstance(chunk, TextDelta):
                said += chunk.text
            elif isinstance(chunk, CallDelta):
                old = calls.get(chunk.index, Call(chunk.id, chunk.name, ""))
                calls[chunk.index] = Call(old.id, old.name, old.args + chunk.args)
        self.messages.append(assistant(said, *calls.values()))
        return list(calls.values())


class Picky(Loop):
    """Cannot apply any setting."""

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        return set(settings)


def good(world: World) -> Loop:
    """The loop as it should be."""
    return Loop(world)


def forgetful(world: World) -> Loop:
    """Loses every tool result, so that each call stays without one."""
    return Loop(world, loses_results=True)


def moody(world: World) -> Loop:
    """Forgetful, and never the same twice: the first message counts the agents made so far."""
    return Loop(world, loses_results=True, greeting=f"agent {next(_made)}")


def picky(world: World) -> Picky:
    """Refuses all settings."""
    return Picky(world)


def unable(world: World) -> Loop:
    """Cannot be made at all."""
    raise NotApplicable("no such feature")


def broken(world: World) -> Loop:
    """An adapter with a fault of its own."""
    raise ZeroDivisionError("adapter fault")


class Shielded(Loop):
    """Goes on with its tools after its task was cancelled, and then lets the cancel through."""

    async def prompt(self, text: str) -> None:
        inner = asyncio.ensure_future(super().prompt(text))
        try:
            await asyncio.shield(inner)
        except asyncio.CancelledError:
            await inner
            raise


def shielded(world: World) -> Shielded:
    """Works on after a cancel of its task."""
    return Shielded(world)


class Leaving(Loop):
    """Works on after a cancel of its task that comes while a tool runs, for two steps only."""

    async def prompt(self, text: str) -> None:
        try:
            await super().prompt(text)
        except asyncio.CancelledError:
            if self.messages[-1].calls:
                await self._ask()
            raise


def leaving(world: World) -> Leaving:
    """Makes a request after a cancel, if that comes between a call and its result."""
    return Leaving(world)


class Beating(Leaving):
    """The same with a task beside it that has nothing to do with it."""

    beats = 3

    async def prompt(self, text: str) -> None:
        beat = asyncio.ensure_future(self._beat())
        try:
            await super().prompt(text)
        finally:
            beat.cancel()

    async def _beat(self) -> None:
        for _ in range(self.beats):
            await asyncio.sleep(0)
        await asyncio.sleep(0.5)


def beating(world: World) -> Beating:
    """The leaving loop and a heartbeat."""
    return Beating(world)


def unordered(world: World) -> Loop:
    """Greets with the words of a set, whose order is that of their hashes."""
    return Loop(world, greeting=" ".join({f"word-{number}" for number in range(50)}))

"""Agents that behave, unless the prompt is `misbehave`; then each does one thing it must not.

They are as small as an agent can be, so that what is judged is the misbehaviour and nothing else.
Each class is its own factory: `--agent tests.misbehaving.agents:Recurses`.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

from simharness.agent import World
from simharness.contract import Contract
from tests.loops import Loop

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Behaves(Loop):
    """A good loop: what the others are when nobody asks them to misbehave."""

    name = "behaves"
    stuck = False  # whether only real time ends its misbehaviour
    cancelled = False  # whether its misbehaviour shows only when it is cancelled

    async def prompt(self, text: str) -> None:
        """Answer, or misbehave."""
        if text == "misbehave":
            await self.misbehave()
        else:
            await super().prompt(text)

    async def misbehave(self) -> None:
        """Do nothing, which is well-behaved."""


class Sleeps(Behaves):
    """Blocks the thread with a sleep."""

    async def misbehave(self) -> None:
        """Sleep for an hour, in virtual time."""
        time.sleep(3600)


class Locks(Behaves):
    """Blocks the thread with a lock that nobody releases."""

    stuck = True

    async def misbehave(self) -> None:
        """Take the same lock twice."""
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()


class Spins(Behaves):
    """Spins without an await, in Python code."""

    stuck = True
    looked = 0

    async def misbehave(self) -> None:
        """Look at a flag that nobody can set meanwhile."""
        flag = asyncio.Event()
        while not flag.is_set():
            self.looked += 1


class SpinsOn(Behaves):
    """Spins, and swallows whatever is thrown in."""

    stuck = True

    async def misbehave(self) -> None:
        """Begin anew after every exception."""
        while True:
            with contextlib.suppress(BaseException):
                while True:
                    pass


class SpinsInC(Behaves):
    """Spins in code that looks at no signal and lets go of no lock."""

    stuck = True

    async def misbehave(self) -> None:
        """Count to ten to the eighteenth within one call."""
        sum(range(10**18))


class SpinsWithAwait(Behaves):
    """Polls without pause, letting the loop run in between."""

    async def misbehave(self) -> None:
        """Look at a flag that nobody sets."""
        flag = asyncio.Event()
        while not flag.is_set():
            await asyncio.sleep(0)


class WaitsForEver(Behaves):
    """Awaits what never comes."""

    async def misbehave(self) -> None:
        """Wait for an event that nobody sets."""
        await asyncio.Event().wait()


class SwallowsCancel(Behaves):
    """Does not let itself be cancelled."""

    cancelled = True

    async def misbehave(self) -> None:
        """Wait on, whatever is thrown in."""
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue


class LeaksTask(Behaves):
    """Leaves a task behind."""

    async def misbehave(self) -> None:
        """Start a task that never ends."""
        self.task = asyncio.create_task(asyncio.Event().wait())


class LeaksGenerator(Behaves):
    """Leaves an async generator open, and keeps it."""

    contract = Contract(generators="closed")

    async def misbehave(self) -> None:
        """Take one item of two."""

        async def items() -> AsyncGenerator[int, None]:
            yield 1
            yield 2

        self.items = items()
        await anext(self.items)


class StartsThread(Behaves):
    """Starts a thread that does not end, and that Python waits for at its exit."""

    end = threading.Event()  # for tests that run it in their own process

    async def misbehave(self) -> None:
        """Start it."""
        threading.Thread(target=self.end.wait, name="worker").start()


class Exits(Behaves):
    """Ends the process as a script would."""

    async def misbehave(self) -> None:
        """Call sys.exit."""
        sys.exit(7)


class Unheard(BaseException):
    """Not an Exception, so that `except Exception` does not see it."""


class RaisesBase(Behaves):
    """Raises what no `except Exception` catches, in a task that nobody awaits."""

    async def misbehave(self) -> None:
        """Let a helper raise it and go on."""

        async def helper() -> None:
            raise Unheard("from a helper")

        self.task = asyncio.create_task(helper())
        await asyncio.sleep(0)


class Recurses(Behaves):
    """Calls itself without end."""

    async def misbehave(self) -> None:
        """Recurse."""
        await self.misbehave()


class Allocates(Behaves):
    """Takes memory without end."""

    async def misbehave(self) -> None:
        """Keep another sixteen megabytes, and another."""
        self.kept = []
        while True:
            self.kept.append(bytearray(1 << 24))


class Prints(Behaves):
    """Prints more than anybody reads."""

    async def misbehave(self) -> None:
        """Print sixteen megabytes on each stream."""
        for _ in range(16):
            sys.stdout.write("x" * (1 << 20))
            sys.stderr.write("x" * (1 << 20))


class Writes(Behaves):
    """Writes to the standard output of the process, past Python's."""

    async def misbehave(self) -> None:
        """Write a line."""
        os.write(1, b"written past Python\n")


class CancelsItself(Behaves):
    """Cancels the task it runs in, although nobody asked for it."""

    async def misbehave(self) -> None:
        """Answer, cancel, and meet it at the next await."""
        await Loop.prompt(self, "misbehave")
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)


class StopsLoop(Behaves):
    """Stops the event loop it was given."""

    async def misbehave(self) -> None:
        """Call loop.stop."""
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)


class Dies(Behaves):
    """Ends the process without a word."""

    async def misbehave(self) -> None:
        """Call os._exit."""
        os._exit(5)


class DiesOnCancel(Behaves):
    """Ends the process when it is cancelled, and only then."""

    async def prompt(self, text: str) -> None:
        """Answer; a cancel is the end."""
        try:
            await super().prompt(text)
        except asyncio.CancelledError:
            os._exit(6)


class DiesPlain(Behaves):
    """Ends the process when it is asked not to stream."""

    contract = Contract(streaming="both")

    async def prompt(self, text: str, *, stream: bool = True) -> None:
        """Answer, streamed only."""
        if not stream:
            os._exit(8)
        await super().prompt(text)


class DiesAtBirth(Behaves):
    """Ends the process while it is made."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        os._exit(4)


class Crashes(Behaves):
    """Ends the process by a fault in C code."""

    async def misbehave(self) -> None:
        """Read address zero."""
        ctypes.string_at(0)

"""What an agent cannot end: the process, the loop, the memory. Its trial ends, with a name."""

from __future__ import annotations

import asyncio
import sys

import pytest

from simharness.agent import Style
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.trace import LimitHit, RunSettled
from simharness.world.run import batch, run
from tests.loops import Loop
from tests.misbehaving.agents import Exits, StopsLoop

(CASE,) = load_text('scenario: s\nmodel: ["Hi."]\nrun: [{prompt: misbehave}]\n').cases


class ExitsInThread(Loop):
    """A synchronous agent that calls sys.exit."""

    style = Style.SYNC

    def prompt(self, text: str) -> None:  # type: ignore[override]
        """Exit."""
        sys.exit("no")


class OutOfMemory(Loop):
    """Asks for more memory than there is."""

    async def prompt(self, text: str) -> None:
        """Ask for an exabyte."""
        bytearray(1 << 60)


class OutOfMemoryInThread(Loop):
    """The same in a synchronous agent."""

    style = Style.SYNC

    def prompt(self, text: str) -> None:  # type: ignore[override]
        """Ask for an exabyte."""
        bytearray(1 << 60)


class LeavesTask(StopsLoop):
    """Stops the loop while a task of its own waits."""

    unwound = False

    async def misbehave(self) -> None:
        """Let the task begin, then stop the loop."""

        async def helper() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                LeavesTask.unwound = True

        self.task = asyncio.create_task(helper())
        await asyncio.sleep(0)
        await super().misbehave()


@pytest.mark.parametrize(
    ("agent", "limit"),
    [
        (Exits, "agent-exit"),
        (ExitsInThread, "agent-exit"),
        (StopsLoop, "agent-exit"),
        (OutOfMemory, "memory-limit"),
        (OutOfMemoryInThread, "memory-limit"),
    ],
)
def test_the_trial_ends_with_the_name_of_what_happened(agent: type[Loop], limit: str) -> None:
    """No run has settled, since nothing came back to the caller."""
    with batch():
        trace = run(CASE, agent, ScheduleChooser()).trace

    assert [limit] == [hit.limit for hit in trace.of(LimitHit)]
    assert [] == trace.of(RunSettled)


def test_what_is_left_is_still_torn_down() -> None:
    """A trial that was ended from within cancels its tasks as every other does."""
    with batch():
        run(CASE, LeavesTask, ScheduleChooser())

    assert LeavesTask.unwound

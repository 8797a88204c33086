"""Faults in running tools: started too late, twice, or left running."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.loop import ReferenceAgent
from simharness.agents.reference.tools import ToolAnswer, ToolRunner
from simharness.trace import tool_result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simharness.agents.reference.loop import Run
    from simharness.trace import Call, Message

__all__ = ["MUTANTS"]


class ToolsStartAfterTheCancel(ToolRunner):
    """The cancel is not looked at in front of a tool."""

    def may_start(self) -> bool:
        return True


class CutArgumentsBecomeNone(ToolRunner):
    """Arguments that do not parse are replaced by none, and the tool is run."""

    def arguments(self, call: Call) -> Mapping[str, object]:
        return super().arguments(call) or {}


class ToolsAreLeftRunning(ToolRunner):
    """A cancel ends the wait for the tools, not the tools."""

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        group = asyncio.create_task(super().run_group(calls, why_not=why_not))
        async with self._cancellation.bounded(0):
            return await asyncio.shield(group)
        return [tool_result(call.id, "abandoned", is_error=True) for call in calls]


class UnknownToolEndsTheRun(ToolRunner):
    """A call of a tool that does not exist raises instead of being answered."""

    def obstacle(self, call: Call, *, why_not: str) -> ToolAnswer | None:
        self._tools[call.name]
        return super().obstacle(call, why_not=why_not)


class FailedToolsRunAgain(ToolRunner):
    """A tool that fails is run a second time."""

    async def body(self, call: Call, args: Mapping[str, object]) -> ToolAnswer:
        answer = await super().body(call, args)
        return await super().body(call, args) if answer.is_error else answer


class AFailureStopsTheSiblings(ToolRunner):
    """When one tool fails, the results of the others are lost with it."""

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        results = await super().run_group(calls, why_not=why_not)
        if not any(result.is_error for result in results):
            return results
        return [tool_result(call.id, "the batch failed", is_error=True) for call in calls]


class ToolsAreShieldedFromTheTask(ToolRunner):
    """A `task.cancel()` ends the wait for the tools; they are shielded from it and run on."""

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        group = asyncio.create_task(super().run_group(calls, why_not=why_not))
        try:
            return await asyncio.shield(group)
        except asyncio.CancelledError:
            self._cancellation.notice()
            return [tool_result(call.id, "abandoned", is_error=True) for call in calls]


class _ToolsAreWaitedForLater(ToolRunner):
    """Hands a group that a cancel interrupts to `left` instead of waiting for it."""

    left: asyncio.Task[list[Message]] | None = None

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        group = asyncio.create_task(super().run_group(calls, why_not=why_not))
        async with self._cancellation.bounded(0):
            return await asyncio.shield(group)
        self.left = group
        return [tool_result(call.id, "abandoned", is_error=True) for call in calls]


class EndComesBeforeTheTools(ReferenceAgent):
    """A cancelled run reports its end first and waits for its tools then."""

    tools_type = _ToolsAreWaitedForLater

    def open_run(self) -> Run:
        run = super().open_run()
        self.tools = run.turns.tools
        return run

    async def prompt(self, text: str, *, stream: bool = True) -> None:
        try:
            await super().prompt(text, stream=stream)
        finally:
            tools = self.tools
            assert isinstance(tools, _ToolsAreWaitedForLater)
            if tools.left is not None:
                await tools.left


class FailedToolsLookFine(ToolRunner):
    """What a tool raises is stored like a result."""

    async def body(self, call: Call, args: Mapping[str, object]) -> ToolAnswer:
        answer = await super().body(call, args)
        return ToolAnswer("done") if answer.is_error else answer


MUTANTS = (
    mutant("tools-start-after-the-cancel", "no-tool-start-after-cancel", ToolsStartAfterTheCancel),
    mutant("cut-arguments-become-none", "args-complete", CutArgumentsBecomeNone),
    mutant("tools-are-left-running", "no-orphan-work", ToolsAreLeftRunning),
    mutant("unknown-tool-ends-the-run", "bad-tool-answered", UnknownToolEndsTheRun),
    mutant("failed-tools-run-again", "tool-exec-once", FailedToolsRunAgain),
    mutant("a-failure-stops-the-siblings", "sibling-isolation", AFailureStopsTheSiblings),
    mutant("tools-are-shielded-from-the-task", "cancel-scope", ToolsAreShieldedFromTheTask),
    mutant("end-comes-before-the-tools", "settle-order", EndComesBeforeTheTools),
    mutant("failed-tools-look-fine", "result-truthful", FailedToolsLookFine),
)

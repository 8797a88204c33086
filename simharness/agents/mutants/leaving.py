"""Faults of public reports in which work goes on: behind a cancel, a failure, or a consumer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.profiles.iterated import ITERATED, Iterating
from simharness.agents.reference.answering import Answer, Answering
from simharness.agents.reference.stream import Cut
from simharness.agents.reference.tools import ToolRunner
from simharness.trace import Call, Message, tool_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.reference.stream import Attempt, Ending

__all__ = ["MUTANTS"]


class _UntilOne(ToolRunner):
    """Runs the calls of a group in tasks of their own, until one of them ends the wait."""

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        tasks = [asyncio.create_task(self.execute(call, why_not=why_not)) for call in calls]
        while not all(task.done() for task in tasks):
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            done = [task.result() for task in tasks if task.done()]
            if self.ends_the_wait(done):
                return [*done, *self.given_up(calls, done)]
            await asyncio.sleep(0.01)
        return [task.result() for task in tasks]

    def ends_the_wait(self, done: Sequence[Message]) -> bool:
        raise NotImplementedError

    def given_up(self, calls: Sequence[Call], done: Sequence[Message]) -> list[Message]:
        answered = {result.call_id for result in done}
        left = (call for call in calls if call.id not in answered)
        return [tool_result(call.id, "not waited for", is_error=True) for call in left]


class AFailedToolLeavesItsSiblings(_UntilOne):
    """When a tool fails the run fails, and the tools beside it are left to themselves."""

    def ends_the_wait(self, done: Sequence[Message]) -> bool:
        for result in done:
            if result.is_error:
                raise RuntimeError(result.text)
        return False


class AnEndingToolLeavesItsSiblings(_UntilOne):
    """When a tool ends the turn, the tools beside it are left to themselves."""

    def ends_the_wait(self, done: Sequence[Message]) -> bool:
        return bool(done) and self.turn_ended


class CutCallsAreAnswered(Answering):
    """The calls of a cut answer are answered, although the message that is kept has none."""

    def settle(self, attempt: Attempt, ending: Ending) -> Answer:
        answer = super().settle(attempt, ending)
        if isinstance(ending, Cut):
            for call in attempt.assembler.message().calls:
                self._journal.append(tool_result(call.id, "interrupted", is_error=True))
        return answer


class CallsOfBrokenStreamsStay(Answering):
    """What a stream had called before it broke stays in the history, and nobody answers it."""

    def broken_message(self, attempt: Attempt) -> Message:
        calls = attempt.assembler.message().calls
        return Message("assistant", calls)

    def calls(self, attempt: Attempt, message: Message) -> tuple[Call, ...]:
        broken = message == self.broken_message(attempt) and attempt.assembler.terminal is None
        return () if broken else super().calls(attempt, message)


class LeftRunsGoOn(Iterating):
    """Who leaves the items of a run leaves the run to itself."""

    async def leave(self, run: asyncio.Task[None]) -> None:
        """Nothing is done about it."""


MUTANTS = (
    mutant("a-failed-tool-leaves-its-siblings", "no-orphan-work", AFailedToolLeavesItsSiblings),
    mutant(
        "an-ending-tool-leaves-its-siblings",
        "no-event-after-terminal",
        AnEndingToolLeavesItsSiblings,
    ),
    mutant("cut-calls-are-answered", "no-orphan-result", CutCallsAreAnswered),
    mutant("calls-of-broken-streams-stay", "tool-pairing", CallsOfBrokenStreamsStay),
    mutant("left-runs-go-on", "no-orphan-work", LeftRunsGoOn, ITERATED),
)

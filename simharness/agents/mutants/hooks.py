"""Faults around hooks, observers and limits."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.calling import HookCalls
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.stream import Cut
from simharness.agents.reference.tools import (
    NOT_RUN_REFUSED,
    NOT_RUN_REPEATED,
    ToolAnswer,
    ToolRunner,
)
from simharness.agents.reference.turns import End, Turn, Turns
from simharness.trace import Message, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.reference.answering import Answer
    from simharness.agents.reference.hooks import Hook

__all__ = ["MUTANTS"]


class HooksGoOnAfterTheCancel(HookCalls):
    """The rest of a chain is called although the run was cancelled meanwhile."""

    def may_call(self, *, begun: bool) -> bool:  # noqa: ARG002
        return True


class CancelsReachTheErrorHook(Turns):
    """An answer that a cancel cut is told to the error hooks."""

    async def report_failure(self, answer: Answer) -> None:
        await super().report_failure(answer)
        if isinstance(answer.ending, Cut):
            await self.hooks.tell("on_error", RuntimeError("cut"))


class FailingHooksEndTheRun(HookCalls):
    """What a hook raises that is only told goes through the loop."""

    async def told(self, position: str, number: int, hook: Hook, *about: object) -> object:
        return await self.call(position, number, hook, *about)


class ObserversCanBreakTheLoop(Journal):
    """What an observer raises goes through the loop."""

    def observer_failed(self, error: Exception) -> None:
        raise error


class MiddlewareIsTheLastWord(ToolRunner):
    """What came while middleware was deciding is not looked at."""

    def stopped(self) -> ToolAnswer | None:
        return None


class VetoLeavesItsTurnOpen(Turns):
    """A turn that a hook does not want is not closed."""

    vetoed = False

    async def veto(self, turn: Turn) -> End | None:
        end = await super().veto(turn)
        self.vetoed = end is not None
        return end

    def close_turn(self, turn: Turn) -> None:
        if not self.vetoed:
            super().close_turn(turn)


class RejectedRunsHaveNoEnd(ReferenceAgent):
    """A prompt that a filter rejects is answered by the rejection alone."""

    def close_run(self, run: Run, end: End) -> End:
        if end.outcome is not Outcome.REJECTED:
            return super().close_run(run, end)
        self.release(run, end)
        return end


class RefusedCallsStayUnanswered(ToolRunner):
    """The calls of a refusal get no result."""

    def record(self, results: Sequence[Message]) -> None:
        super().record([one for one in results if one.text != NOT_RUN_REFUSED])


class RepeatedCallsStayUnanswered(ToolRunner):
    """The calls that a stop for repetition cuts off get no result."""

    def record(self, results: Sequence[Message]) -> None:
        super().record([one for one in results if one.text != NOT_RUN_REPEATED])


class RepetitionHasNoEvents(Journal):
    """The messages that a stop for repetition adds are stored without their events."""

    def append(self, message: Message) -> None:
        if message.text == NOT_RUN_REPEATED:
            self.store(message)
        else:
            super().append(message)


class HooksAreWaitedFor(HookCalls):
    """A cancel waits for a hook to return."""

    async def call(self, position: str, number: int, hook: Hook, *about: object) -> object:
        self._world.hook(position, number)
        answer = hook(*about)
        return await answer if inspect.isawaitable(answer) else answer


MUTANTS = (
    mutant("hooks-go-on-after-the-cancel", "no-tool-start-after-cancel", HooksGoOnAfterTheCancel),
    mutant("cancels-reach-the-error-hook", "cancel-not-failure", CancelsReachTheErrorHook),
    mutant("failing-hooks-end-the-run", "start-end-paired", FailingHooksEndTheRun),
    mutant("observers-can-break-the-loop", "one-terminal", ObserversCanBreakTheLoop),
    mutant("middleware-is-the-last-word", "no-tool-start-after-cancel", MiddlewareIsTheLastWord),
    mutant("veto-leaves-its-turn-open", "one-terminal", VetoLeavesItsTurnOpen),
    mutant("rejected-runs-have-no-end", "one-terminal", RejectedRunsHaveNoEnd),
    mutant("refused-calls-stay-unanswered", "tool-pairing", RefusedCallsStayUnanswered),
    mutant("repeated-calls-stay-unanswered", "tool-pairing", RepeatedCallsStayUnanswered),
    mutant("repetition-has-no-events", "start-end-paired", RepetitionHasNoEvents),
    mutant("hooks-are-waited-for", "cancel-effective", HooksAreWaitedFor),
)

"""Faults in who goes on when, and for how long: cancels that are lost, runs that never return."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from simharness.agents.mutants.mutant import mutant
from simharness.agents.profiles.iterated import ITERATED, Iterating
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.stream import Attempt, Cut
from simharness.agents.reference.tools import ToolRunner
from simharness.agents.reference.turns import Turns
from simharness.trace import Outcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from simharness.agent import CancelWay, ProviderError
    from simharness.agents.profiles.iterated import Begin, Items
    from simharness.agents.reference.answering import Answer
    from simharness.agents.reference.repetition import Repeated
    from simharness.agents.reference.stream import Ending
    from simharness.agents.reference.turns import End, Turn
    from simharness.trace import Call, Message

__all__ = ["MUTANTS"]


async def _for_ever() -> None:
    await asyncio.get_running_loop().create_future()


# --- what is run again ----------------------------------------------------------------------------


class CallsRunTwice(ToolRunner):
    """Each call is run when it is whole and again when the answer is."""

    async def run(self, calls: Sequence[Call], *, why_not: str = "") -> tuple[Message, ...]:
        await super().run(calls, why_not=why_not)
        return await super().run(calls, why_not=why_not)


class FailedRunsRunTheirToolsAgain(Turns):
    """A run that fails is tried again as a whole, tools that had succeeded included."""

    _calls: Sequence[Call] = ()

    async def run_tools(self, turn: Turn, answer: Answer, repeated: Repeated | None) -> None:
        self._calls = answer.calls
        await super().run_tools(turn, answer, repeated)

    async def work(self, turn: Turn) -> End | None:
        end = await super().work(turn)
        if end is None or end.outcome is not Outcome.FAILED or not self._calls:
            return end
        for call in self._calls:
            await self.tools.body(call, self.tools.arguments(call) or {})
        return await super().work(turn)


class ContinuedRunsRunCallsAgain(ReferenceAgent):
    """Who continues a run that was stopped in its tools has them run again."""

    async def begin_again(self, run: Run) -> End:
        calls = [call for message in self.journal.history[-4:] for call in message.calls]
        for call in calls:
            await run.turns.tools.body(call, run.turns.tools.arguments(call) or {})
        return await super().begin_again(run)


# --- cancels that come to nothing -----------------------------------------------------------------


class TaskCancelsAreSwallowed(ReferenceAgent):
    """A cancel of the task that awaits a run is swallowed: the run goes on."""

    async def prompt(self, text: str, *, stream: bool = True) -> None:
        run = asyncio.ensure_future(super().prompt(text, stream=stream))
        while not run.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({run})
        run.result()


class EarlyCancelsAreLost(ReferenceAgent):
    """A cancel that comes before the first event of the model is acknowledged and forgotten."""

    def cancel_run(self, run: Run, reason: str, queue: str) -> None:
        if run.turns.taken:
            super().cancel_run(run, reason, queue)


class CancelsMeanTheFirstRequest(ReferenceAgent):
    """A cancel is addressed to the first request of a run, also when that has long been over."""

    def cancel_run(self, run: Run, reason: str, queue: str) -> None:
        if run.turns.taken < 2:
            super().cancel_run(run, reason, queue)


class StoppedToolsAreToldToTheModel(Turns):
    """A cancel while tools run ends the tools, and the model is asked what to make of that."""

    async def run_tools(self, turn: Turn, answer: Answer, repeated: Repeated | None) -> None:
        await super().run_tools(turn, answer, repeated)
        if self.cancellation.called:
            await self.answering.attempt(self.answering.request(()))


class CancelsOfNothingRaise(ReferenceAgent):
    """A cancel while there is nothing to cancel reads a session that is not there, and raises."""

    def cancel(self, way: CancelWay, reason: str, queue: str = "") -> None:
        if self.stops.meant() is None and not self.journal.history:
            raise LookupError("no session")
        super().cancel(way, reason, queue)


class ErrorsCloseTheGate(Attempt):
    """A stop that the stream reports as an error closes the queue, as an error would."""

    def ending(self, error: ProviderError | None) -> Ending:
        found = super().ending(error)
        if isinstance(found, Cut) and error is not None:
            self._journal.failed(str(error))
            self._cancellation.mark(self._cancellation.reason)
        return found


# --- runs that never return -----------------------------------------------------------------------


class CancelledRoundsNeverEnd(ToolRunner):
    """A cancel while a tool runs stops the tool, and the round of calls waits for ever."""

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        results = await super().run_group(calls, why_not=why_not)
        if self._cancellation.called and not why_not:
            await _for_ever()
        return results


class FailedRunsNeverReturn(ReferenceAgent):
    """A failed run is reported to end, and its caller is never told."""

    async def one_run(
        self, begin: Callable[[Run], Awaitable[End]], *, stream: bool
    ) -> tuple[Run, End]:
        run, end = await super().one_run(begin, stream=stream)
        if end.outcome is Outcome.FAILED:
            await _for_ever()
        return run, end


class TimedOutRunsNeverReturn(Turns):
    """A run whose time is over stops working and is never reported to end."""

    async def turn(self, turn: Turn) -> End | None:
        end = await super().turn(turn)
        if end is not None and end.cause == "time-limit":
            await _for_ever()
        return end


class CompletedRunsStayOpen(ReferenceAgent):
    """A run that has completed is never over: the next prompt is refused."""

    def release(self, run: Run, end: End) -> None:
        if end.outcome is not Outcome.COMPLETED or self.queue_runs(run, end):
            super().release(run, end)
        else:
            self._run = None


# --- consumers that leave -------------------------------------------------------------------------


class LeftRunsAreNotAwaited(Iterating):
    """Who leaves the iterator of a run stops it, and does not wait until it has stopped."""

    async def leave(self, run: asyncio.Task[None]) -> None:
        run.cancel()


class LeavingNeverEnds(Iterating):
    """Who leaves the iterator of a run waits for an end that he keeps from coming."""

    async def leave(self, run: asyncio.Task[None]) -> None:
        if not run.done():
            await _for_ever()


class LeavingRaises(Iterating):
    """The iterator takes being closed for an error of its own."""

    async def items(self, begin: Begin) -> Items:
        try:
            async for item in super().items(begin):
                yield item
        except GeneratorExit:
            raise RuntimeError("left in the middle of a group") from None


class LeavingYields(Iterating):
    """The iterator hands out one more item while it is closed."""

    async def items(self, begin: Begin) -> Items:
        last: Any = None
        inner = super().items(begin)
        try:
            async for last in inner:
                yield last
        except GeneratorExit:
            await inner.aclose()
            yield last


MUTANTS = (
    mutant("calls-run-twice", "tool-exec-once", CallsRunTwice),
    mutant("failed-runs-run-their-tools-again", "tool-exec-once", FailedRunsRunTheirToolsAgain),
    mutant("continued-runs-run-calls-again", "tool-exec-once", ContinuedRunsRunCallsAgain),
    mutant("task-cancels-are-swallowed", "terminal-kind", TaskCancelsAreSwallowed),
    mutant("early-cancels-are-lost", "no-model-call-after-cancel", EarlyCancelsAreLost),
    mutant("cancels-mean-the-first-request", "terminal-kind", CancelsMeanTheFirstRequest),
    mutant(
        "stopped-tools-are-told-to-the-model",
        "no-model-call-after-cancel",
        StoppedToolsAreToldToTheModel,
    ),
    mutant("cancels-of-nothing-raise", "failure-surfaced", CancelsOfNothingRaise),
    mutant("errors-close-the-gate", "cancel-not-failure", ErrorsCloseTheGate),
    mutant("cancelled-rounds-never-end", "settles", CancelledRoundsNeverEnd),
    mutant("failed-runs-never-return", "settles", FailedRunsNeverReturn),
    mutant("timed-out-runs-never-return", "settles", TimedOutRunsNeverReturn),
    mutant("completed-runs-stay-open", "phase-returns-idle", CompletedRunsStayOpen),
    mutant("left-runs-are-not-awaited", "phase-returns-idle", LeftRunsAreNotAwaited, ITERATED),
    mutant("leaving-never-ends", "settles", LeavingNeverEnds, ITERATED),
    mutant("leaving-raises", "close-is-clean", LeavingRaises, ITERATED),
    mutant("leaving-yields", "close-is-clean", LeavingYields, ITERATED),
)

"""The reference loop: prompt, model answer, tools, and again, until the run is over.

One run at a time. The loop decides how turns and runs end; asking the model, running tools and
writing things down are done by its parts. Every decision is a method of its own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import attrs

from simharness.agent import CancelWay, Style
from simharness.agents.reference.answering import Answer, Answering
from simharness.agents.reference.cancelling import Cancellation
from simharness.agents.reference.contract import CONTRACT
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.retry import Retry
from simharness.agents.reference.settings import Settings
from simharness.agents.reference.stream import Broken, Cut, Finished
from simharness.agents.reference.tools import ToolRunner
from simharness.trace import (
    AgentEnd,
    AgentStart,
    Message,
    Outcome,
    PhaseChanged,
    TurnEnd,
    TurnStart,
    user,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness.agent import World

__all__ = ["BusyError", "End", "ReferenceAgent", "Run", "Turn"]


class BusyError(Exception):
    """A prompt came while a run was in progress."""


@attrs.frozen
class End:
    """How a run ends. `error` is what the caller of `prompt` gets to see."""

    outcome: Outcome
    cause: str = ""
    error: Exception | None = None


@attrs.define(eq=False)
class Run:
    """One prompt in progress. `kept_before`: how long the history was before it."""

    cancellation: Cancellation
    answering: Answering
    tools: ToolRunner
    kept_before: int
    turns: int = 0


@attrs.define
class Turn:
    """What a turn came to, for its end."""

    number: int
    message: Message | None = None
    results: tuple[Message, ...] = ()


class ReferenceAgent:
    """An agent loop that keeps its contract in every interleaving."""

    name = "reference"
    version = "1"
    contract = CONTRACT
    seam = "stream"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.API})

    answering_type = Answering
    cancellation_type = Cancellation
    journal_type = Journal
    retry_type = Retry
    tools_type = ToolRunner

    def __init__(self, world: World) -> None:
        self.world = world
        self.settings = Settings()
        self.journal = self.journal_type(world)
        self._run: Run | None = None
        self._outcome: Outcome | None = None

    # --- what a user calls ----------------------------------------------------------------------

    async def prompt(self, text: str, *, stream: bool = True) -> None:
        """Run one prompt to its end. Raises what made the run fail, and `BusyError` during a run.

        Without `stream` each answer is shown when it is whole.

        A cancelled run just returns, unless it was cancelled by `task.cancel()`: then everything
        is brought to its end first and CancelledError is raised, as asyncio expects.
        """
        if self._run is not None:
            raise BusyError("a run is in progress")
        run = self._run = self.open_run()
        run.answering.streaming = stream
        try:
            end = await self.turns(run, user(text))
        except Exception as error:  # noqa: BLE001 - raised below, once the run is closed
            end = End(Outcome.FAILED, "error", error)
        end = self.close_run(run, end)
        if run.cancellation.by_task and end.outcome is Outcome.CANCELLED:
            raise asyncio.CancelledError(end.cause)
        if end.error is not None:
            raise end.error

    def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - there is one way
        """Cancel the run in progress. Without one this does nothing, to the next run either."""
        if self._run is not None:
            self._run.cancellation.set(reason)

    def history(self) -> list[Message]:
        """The messages the next request would hold, without the system prompt."""
        return list(self.journal.history)

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Apply `settings`; return the names of those that mean nothing to this loop."""
        self.settings, unknown = self.settings.updated(settings)
        return unknown

    def outcome_of(self, exc: BaseException | None) -> Outcome | None:
        """The outcome that the return of `prompt`, or its exception, stands for."""
        match exc:
            case None:
                return self._outcome
            case BusyError():
                return Outcome.REJECTED
            case asyncio.CancelledError():
                return Outcome.CANCELLED
        return Outcome.FAILED

    # --- a run ----------------------------------------------------------------------------------

    def open_run(self) -> Run:
        """Start with nothing left of earlier runs but the history and the failure streak."""
        cancellation = self.new_cancellation()
        answering = self.answering_type(
            self.world,
            self.journal,
            cancellation,
            retry=self.retry_type(self.settings.retry),
            system=self.settings.system,
        )
        tools = self.tools_type(self.world, self.journal, cancellation, self.settings)
        return Run(cancellation, answering, tools, kept_before=len(self.journal.history))

    def new_cancellation(self) -> Cancellation:
        """One per run: a cancel of this run, or of none, must not touch another."""
        return self.cancellation_type()

    async def turns(self, run: Run, prompt: Message) -> End:
        """Take turns until one of them ends the run, or a cancel between them does."""
        self.journal.report(AgentStart())
        if run.cancellation.called:
            self.journal.append(prompt)
            return self.cancelled(run)
        turn = self.open_turn(run)
        self.journal.append(prompt)
        while True:
            end = await self.turn(run, turn)
            if end is not None:
                return end
            if run.cancellation.called:
                return self.cancelled(run)
            turn = self.open_turn(run)

    def close_run(self, run: Run, end: End) -> End:
        """Become idle, settle the outcome, report the end: nothing of the run follows it."""
        self.become_idle(end)
        end = self.last_word(run, end)
        self._outcome = end.outcome
        self.release(end)
        messages = tuple(self.journal.history[run.kept_before :])
        self.journal.report(AgentEnd(end.outcome, end.cause, messages))
        return end

    def become_idle(self, end: End) -> None:  # noqa: ARG002 - however it ended
        """Report that nothing is being done any more."""
        self.journal.report(PhaseChanged("idle"))

    def release(self, end: End) -> None:  # noqa: ARG002 - however it ended
        """Be ready for the next prompt."""
        self._run = None

    def last_word(self, run: Run, end: End) -> End:
        """A cancel outranks every end but a completed one, for which it came too late.

        After `task.cancel()` the caller gets CancelledError in any case; then the run says so too.
        """
        too_late = end.outcome is Outcome.COMPLETED and not run.cancellation.by_task
        return end if too_late or not run.cancellation.called else self.cancelled(run)

    def cancelled(self, run: Run) -> End:
        """The end of a cancelled run."""
        return End(Outcome.CANCELLED, run.cancellation.reason)

    # --- a turn ---------------------------------------------------------------------------------

    def open_turn(self, run: Run) -> Turn:
        """Begin the next turn; turns count from 1 within the run."""
        run.turns += 1
        self.journal.report(TurnStart(run.turns))
        return Turn(run.turns)

    async def turn(self, run: Run, turn: Turn) -> End | None:
        """One model answer and its tools. None: another turn follows. Closed on every path."""
        try:
            if self.over_limit(run, turn):
                return self.stop_at_limit(turn)
            answer = await run.answering.ask()
            turn.message = answer.message
            if answer.calls:
                self.journal.report(PhaseChanged("tools"))
                turn.results = await run.tools.run(answer.calls, refused=self.refused(answer))
            return self.verdict(run, answer)
        finally:
            self.close_turn(turn)

    def close_turn(self, turn: Turn) -> None:
        """End a turn, whatever it came to."""
        self.journal.report(TurnEnd(turn.number, turn.message, turn.results))

    def over_limit(self, run: Run, turn: Turn) -> bool:
        """Whether this turn is one too many. A cancel comes first."""
        limit = self.settings.turn_limit
        return limit is not None and turn.number > limit and not run.cancellation.called

    def stop_at_limit(self, turn: Turn) -> End:
        """Leave a marker, so that the next prompt's model sees why there was no answer."""
        limit = self.settings.turn_limit
        turn.message = user(f"[Agent stopped: turn limit ({limit}/{limit})]")
        self.journal.append(turn.message)
        return End(Outcome.LIMIT, "turn-limit")

    def refused(self, answer: Answer) -> bool:
        """Whether the model refused; its calls are then answered but not run."""
        return answer.ending == Finished("refusal")

    def verdict(self, run: Run, answer: Answer) -> End | None:
        """What an answer, its tools done, means for the run."""
        match answer.ending:
            case Cut():
                return self.cancelled(run)
            case Broken(error):
                return End(Outcome.FAILED, "error", error)
            case Finished("length"):
                return End(Outcome.LIMIT, "length")
        if answer.calls and not self.refused(answer):
            return None
        return End(Outcome.COMPLETED)

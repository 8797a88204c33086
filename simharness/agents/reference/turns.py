"""Turns: one model answer and its tools, and again, until something ends the run.

Every decision is a method of its own. Asking the model, running tools and writing things down are
done by other parts; how a run as a whole begins and ends is the agent's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agents.reference.stream import Broken, Cut, Finished
from simharness.agents.reference.tools import NOT_RUN_REFUSED, NOT_RUN_REPEATED
from simharness.trace import (
    LoopDetected,
    Message,
    Outcome,
    PhaseChanged,
    TurnEnd,
    TurnStart,
    user,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.reference.answering import Answer, Answering
    from simharness.agents.reference.calling import HookCalls
    from simharness.agents.reference.cancelling import Cancellation
    from simharness.agents.reference.entries import Deferred
    from simharness.agents.reference.journal import Journal
    from simharness.agents.reference.limits import Limits
    from simharness.agents.reference.queues import Queues
    from simharness.agents.reference.repetition import Repeated, Repetition
    from simharness.agents.reference.tools import ToolRunner
    from simharness.contract import Contract

__all__ = ["End", "Turn", "Turns"]

NUDGE = "You have made the same calls {times} times in a row. Do something else, or answer."


@attrs.frozen
class End:
    """How a run ends. `error` is what the caller of `prompt` gets to see.

    `stands`: a cancel that came before it does not outrank it.
    """

    outcome: Outcome
    cause: str = ""
    error: Exception | None = None
    stands: bool = False


@attrs.define
class Turn:
    """What a turn came to, for its end."""

    number: int
    message: Message | None = None
    results: tuple[Message, ...] = ()


@attrs.define(eq=False)
class Turns:
    """The turns of one run, and the parts that they are made of."""

    journal: Journal
    cancellation: Cancellation
    answering: Answering
    tools: ToolRunner
    hooks: HookCalls
    queues: Queues
    limits: Limits
    repetition: Repetition
    contract: Contract
    used_before: int
    taken: int = 0

    async def take(self, incoming: Sequence[str | Deferred]) -> End:
        """Take turns until one of them ends the run, or a cancel between them does.

        `incoming` is what the user has said.
        """
        if self.cancellation.called:
            self.hear(incoming)
            return self.cancelled()
        while True:
            turn = self.open_turn()
            self.hear(incoming)
            end = await self.turn(turn)
            if not self.goes_on(end):
                assert end is not None, "only an end ends a run"
                return end
            if self.cancellation.called:
                self.mark_cancel()
                return self.cancelled()
            incoming = self.next_incoming(end)

    def hear(self, incoming: Sequence[str | Deferred]) -> None:
        """Add to the history what the user has said."""
        for said in incoming:
            self.journal.hear(said)

    def goes_on(self, end: End | None) -> bool:
        """Whether another turn follows: there are results to send, or the user has said more."""
        return end is None or (end.outcome is Outcome.COMPLETED and self.queues.waiting)

    def next_incoming(self, end: End | None) -> list[str]:
        """What the user has said meanwhile; follow-ups wait until there is nothing else to do."""
        steering = self.queues.take_steering()
        return steering if steering or end is None else self.queues.take_follow_up()

    def cancelled(self) -> End:
        """The end of a cancelled run."""
        return End(Outcome.CANCELLED, self.cancellation.reason)

    # --- one turn -------------------------------------------------------------------------------

    def open_turn(self) -> Turn:
        """Begin the next turn; turns count from 1 within the run."""
        self.taken += 1
        self.journal.report(TurnStart(self.taken))
        return Turn(self.taken)

    async def turn(self, turn: Turn) -> End | None:
        """One model answer and its tools. None: another turn follows. Closed on every path."""
        try:
            return self.limit(turn) or await self.veto(turn) or await self.work(turn)
        finally:
            self.close_turn(turn)

    def close_turn(self, turn: Turn) -> None:
        """End a turn, whatever it came to."""
        self.journal.turn_over()
        self.journal.report(TurnEnd(turn.number, turn.message, turn.results))

    def limit(self, turn: Turn) -> End | None:
        """Stop a turn that is beyond a limit, before anything of it is done. A cancel comes first.

        A marker stays, so that the next prompt's model sees why there was no answer.
        """
        if self.cancellation.called:
            return None
        reached = self.limits.reached(turn=turn.number, tokens=self.tokens())
        if reached is None:
            return None
        name, how_far = reached
        turn.message = self.mark(f"{name} limit ({how_far})")
        return End(Outcome.LIMIT, f"{name}-limit")

    def tokens(self) -> int:
        """What the run has used so far, as far as its streams said."""
        return sum(self.journal.usage_since(self.used_before) or ())

    def mark(self, why: str) -> Message:
        """Leave a marker of a stop in the history."""
        marker = user(f"[Agent stopped: {why}]")
        self.journal.append(marker)
        return marker

    def mark_cancel(self) -> None:
        """Tell the model, if it is promised, that it was stopped between two of its answers."""
        text = self.contract.text_in("cancel_marker")
        if text and not self.contract.stop_note:
            self.journal.append(user(text))

    def leave_note(self, end: End) -> None:
        """Note at the end of a run that it was interrupted, or failed, where that is promised."""
        text = self.note(end) if self.taken else ""
        if text:
            self.journal.append(user(text))

    def note(self, end: End) -> str:
        """The text of the note of an end; "" for none.

        Only a caller's stop leaves one: no history may claim a stop that nobody asked for.
        """
        if end.outcome is Outcome.FAILED:
            return self.contract.text_in("failed_final")
        by_caller = end.outcome is Outcome.CANCELLED and not self.cancellation.marked
        return self.contract.stop_note if by_caller else ""

    async def veto(self, turn: Turn) -> End | None:
        """Stop a turn that a hook does not want. It leaves no marker: the hook knows why."""
        ruling = await self.hooks.rule("before_turn", turn.number)
        if ruling.denied is None:
            return None
        turn.message = self.journal.history[-1]
        return End(Outcome.LIMIT, "before-turn")

    async def work(self, turn: Turn) -> End | None:
        """Ask the model, run what it calls, and tell the hooks, however it went."""
        before = len(self.journal.history)
        answer = await self.answering.ask(turn.number)
        turn.message = answer.message
        repeated = self.repetition.seen(answer.calls) if answer.calls else None
        if answer.calls:
            await self.run_tools(turn, answer, repeated)
            if self.tools.round_dropped() and len(turn.results) < len(answer.calls):
                self.drop_round(turn, before)
        await self.report_failure(answer)
        end = self.ended_by_tool(answer) or self.verdict(answer, repeated)
        await self.hooks.tell("after_turn", turn.number)
        return end

    async def run_tools(self, turn: Turn, answer: Answer, repeated: Repeated | None) -> None:
        """Answer the calls of a response; if they were repeated, say so to the model."""
        if repeated is not None:
            self.journal.report(LoopDetected(repeated.tool, repeated.times, repeated.again))
        self.journal.report(PhaseChanged("tools"))
        turn.results = await self.tools.run(answer.calls, why_not=self.why_not(answer, repeated))
        if repeated is not None and not self.cancellation.called:
            self.answer_repetition(repeated)

    def drop_round(self, turn: Turn, before: int) -> None:
        """Take an answer back whose calls have no results: `before` was the history without it.

        A history holds a round as a whole or not at all.
        """
        self.journal.forget_behind(before)
        self.journal.tell("round-dropped", "the calls of a cancelled run are forgotten")
        turn.message, turn.results = None, ()

    def why_not(self, answer: Answer, repeated: Repeated | None) -> str:
        """Why the calls of a response are answered but not run; "" if they are run."""
        if self.refused(answer):
            return NOT_RUN_REFUSED
        return "" if repeated is None else NOT_RUN_REPEATED

    def answer_repetition(self, repeated: Repeated) -> None:
        """First nudge the model; if it goes on, leave a marker of the stop."""
        if repeated.again:
            self.mark(f"the same calls were repeated {repeated.times} times")
        else:
            self.journal.append(user(NUDGE.format(times=repeated.times)))

    async def report_failure(self, answer: Answer) -> None:
        """Tell the hooks of a failure that ends the run. A cancel is none."""
        if isinstance(answer.ending, Broken) and not self.cancellation.called:
            await self.hooks.ask_ahead("on_error", answer.ending.error)

    def ended_by_tool(self, answer: Answer) -> End | None:
        """The end that a tool asked for: the model is asked no more. A cancel before it counts."""
        ended = bool(answer.calls) and self.tools.turn_ended
        if not ended or self.cancellation.called:
            return None
        return End(Outcome.COMPLETED, "end-turn")

    def refused(self, answer: Answer) -> bool:
        """Whether the model refused; its calls are then answered but not run."""
        return answer.ending == Finished("refusal")

    def verdict(self, answer: Answer, repeated: Repeated | None) -> End | None:
        """What an answer, its tools done, means for the run."""
        match answer.ending:
            case Cut():
                return self.cancelled()
            case Broken(error, stands):
                cause = "provider-abort" if error.kind == "abort" else "error"
                return End(Outcome.FAILED, cause, error, stands)
            case Finished("length"):
                return End(Outcome.LIMIT, "length")
        if repeated is not None and repeated.again:
            return End(Outcome.LIMIT, "loop")
        if answer.calls and not self.refused(answer):
            return None
        return End(Outcome.COMPLETED)

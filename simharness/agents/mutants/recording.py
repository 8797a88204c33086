"""Faults of public reports in what is recorded of calls and turns: results, starts and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agent import TextDelta
from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent
from simharness.agents.reference.stream import Attempt
from simharness.agents.reference.tools import ABORTED, ToolAnswer, ToolRunner
from simharness.agents.reference.turns import Turns
from simharness.trace import (
    AgentEnd,
    Call,
    Message,
    MessageStart,
    Outcome,
    ToolExecutionStart,
    TurnEnd,
    tool_result,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simharness.agent import Chunk
    from simharness.agents.reference.answering import Answer
    from simharness.agents.reference.repetition import Repeated
    from simharness.agents.reference.turns import End, Turn
    from simharness.trace import Reported

__all__ = ["MUTANTS"]


class FailedRunsHaveNoEnd(Journal):
    """A run that fails was reported to begin and is not reported to end."""

    def report(self, record: Reported) -> None:
        if not (isinstance(record, AgentEnd) and record.outcome is Outcome.FAILED):
            super().report(record)


class TurnsEndWithTheirAnswer(Turns):
    """The end of a turn is reported when the answer is there, and its tools run then."""

    _told = 0

    async def run_tools(self, turn: Turn, answer: Answer, repeated: Repeated | None) -> None:
        self._told = turn.number
        self.journal.report(TurnEnd(turn.number, answer.message))
        await super().run_tools(turn, answer, repeated)

    def close_turn(self, turn: Turn) -> None:
        if self._told == turn.number:
            self.journal.turn_over()
        else:
            super().close_turn(turn)


class PreviewsAreStarted(ToolRunner):
    """The start of a call is reported when the call is seen, and again when it is run."""

    async def run(self, calls: Sequence[Call], *, why_not: str = "") -> tuple[Message, ...]:
        for call in calls:
            self._journal.report(ToolExecutionStart(call.id, call.name, call.args))
        return await super().run(calls, why_not=why_not)


class RetriedAnswersStartTwice(Attempt):
    """An answer that takes the place of a failed one is reported to start twice."""

    def begin(self) -> None:
        if self.number > 1 and not self.begun:
            self._journal.report(MessageStart(Message("assistant")))
        super().begin()


class LiveCallsAreRepaired(ReferenceAgent):
    """When the user speaks, every call without a result is answered, also one that still runs."""

    def steer(self, text: str) -> None:
        history = self.journal.history
        answered = {message.call_id for message in history if message.role == "tool"}
        for call in [call for message in history for call in message.calls]:
            if call.id not in answered:
                self.journal.append(tool_result(call.id, "cancelled", is_error=True))
        super().steer(text)


class CutToolsWereRejected(ToolRunner):
    """The result of a tool that a cancel stopped says that the user rejected it."""

    async def body(self, call: Call, args: Mapping[str, object]) -> ToolAnswer:
        answer = await super().body(call, args)
        if answer.is_error and self._cancellation.called:
            return ToolAnswer("The user rejected this tool call.", is_error=True)
        return answer


class ShutdownsAreBlamedOnTheUser(ToolRunner):
    """What did not run because of any stop says that the user cancelled."""

    def stopped(self) -> ToolAnswer | None:
        return self._blamed(super().stopped())

    def obstacle(self, call: Call, *, why_not: str) -> ToolAnswer | None:
        return self._blamed(super().obstacle(call, why_not=why_not))

    def _blamed(self, answer: ToolAnswer | None) -> ToolAnswer | None:
        if answer is None or not self._cancellation.called:
            return answer
        return attrs.evolve(answer, text="not run: cancelled by the user")


class LateResultsAreAddedAsWell(ToolRunner):
    """A call that a cancel finds running is answered at once, and again when its tool returns."""

    def record(self, results: Sequence[Message]) -> None:
        if self._cancellation.called:
            super().record([tool_result(r.call_id, ABORTED, is_error=True) for r in results])
        super().record(results)


class CutResultsDoNotSayWhy(ToolRunner):
    """The calls that a cancel cut are answered by an error that does not say what happened."""

    def record(self, results: Sequence[Message]) -> None:
        if self._cancellation.called:
            results = [
                tool_result(one.call_id, "no output", is_error=True) if one.is_error else one
                for one in results
            ]
        super().record(results)


class EmptyTextIsTheAnswer(Answering):
    """A streamed answer with an empty piece of text is final, and its calls are dropped."""

    class _Noting(Attempt):
        empty = False

        def take(self, chunk: Chunk) -> None:
            self.empty = self.empty or (isinstance(chunk, TextDelta) and not chunk.text)
            super().take(chunk)

    attempt_type = _Noting

    def finished_message(self, attempt: Attempt, reason: str) -> Message:
        message = super().finished_message(attempt, reason)
        if not (self.streaming and getattr(attempt, "empty", False)):
            return message
        return Message("assistant", tuple(b for b in message.blocks if not isinstance(b, Call)))


class EndedTurnsLeaveAnEmptyMessage(Turns):
    """A tool that ends the turn leaves an empty message behind its result."""

    def ended_by_tool(self, answer: Answer) -> End | None:
        end = super().ended_by_tool(answer)
        if end is not None:
            self.journal.append(Message("assistant"))
        return end


MUTANTS = (
    mutant("failed-runs-have-no-end", "start-end-paired", FailedRunsHaveNoEnd),
    mutant("turns-end-with-their-answer", "nested-order", TurnsEndWithTheirAnswer),
    mutant("previews-are-started", "start-end-paired", PreviewsAreStarted),
    mutant("retried-answers-start-twice", "start-end-paired", RetriedAnswersStartTwice),
    mutant("live-calls-are-repaired", "result-truthful", LiveCallsAreRepaired),
    mutant("cut-tools-were-rejected", "result-truthful", CutToolsWereRejected),
    mutant("shutdowns-are-blamed-on-the-user", "result-truthful", ShutdownsAreBlamedOnTheUser),
    mutant("late-results-are-added-as-well", "tool-pairing", LateResultsAreAddedAsWell),
    mutant("cut-results-do-not-say-why", "abort-visible", CutResultsDoNotSayWhy),
    mutant("empty-text-is-the-answer", "streaming-parity", EmptyTextIsTheAnswer),
    mutant("ended-turns-leave-an-empty-message", "no-empty-message", EndedTurnsLeaveAnEmptyMessage),
)

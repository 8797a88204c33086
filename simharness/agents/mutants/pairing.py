"""Faults of public reports that separate calls and results: lost, doubled, or out of order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answer, Answering
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.stream import Broken
from simharness.agents.reference.tools import ToolRunner
from simharness.agents.reference.turns import End, Turn, Turns
from simharness.trace import Message, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.reference.stream import Attempt, Ending
    from simharness.trace import Call

__all__ = ["MUTANTS"]


def _results_at_the_end(journal: Journal) -> list[Message]:
    """Take the results that the history ends with out of it; what they were."""
    kept = len(journal.history)
    while kept and journal.history[kept - 1].role == "tool":
        kept -= 1
    results = journal.history[kept:]
    journal.forget_behind(kept)
    return results


class VetoesTakeResultsBack(Turns):
    """A hook that does not want another turn takes the results of the last one back."""

    async def veto(self, turn: Turn) -> End | None:
        end = await super().veto(turn)
        if end is not None:
            _results_at_the_end(self.journal)
        return end


class ResultsOfOneMomentAreOne(ToolRunner):
    """Results are kept by the time at which they come: of two at once the first is lost."""

    async def run(self, calls: Sequence[Call], *, why_not: str = "") -> tuple[Message, ...]:
        self.came: dict[float, Message] = {}
        return await super().run(calls, why_not=why_not)

    async def execute(self, call: Call, *, why_not: str) -> Message:
        result = await super().execute(call, why_not=why_not)
        self.came[asyncio.get_running_loop().time()] = result
        return result

    def record(self, results: Sequence[Message]) -> None:
        super().record([result for result in results if result in self.came.values()])


class ResultsAreSentAgain(ToolRunner):
    """The first result of a run is recorded again with those of each later turn."""

    first: Message | None = None

    def record(self, results: Sequence[Message]) -> None:
        super().record(results)
        if self.first is not None:
            self._journal.append(self.first)
        elif results:
            self.first = results[0]


class ResultsBehindTextAreLost(ToolRunner):
    """A response that ends with text is taken for the answer, so its results are not recorded."""

    def record(self, results: Sequence[Message]) -> None:
        last = self._journal.history[-1]
        if last.role != "assistant" or not isinstance(last.blocks[-1], Text):
            super().record(results)


class BrokenStreamsRepeatTheResult(Answering):
    """When a stream breaks, the result that it was to answer is recorded once more."""

    def settle(self, attempt: Attempt, ending: Ending) -> Answer:
        answer = super().settle(attempt, ending)
        last = self._journal.history[-1]
        if isinstance(ending, Broken) and last.role == "tool":
            self._journal.append(last)
        return answer


class DenialsAreSystemMessages(ToolRunner):
    """That a call was denied is written down as a system message, in the middle of the history."""

    def record(self, results: Sequence[Message]) -> None:
        super().record(results)
        for result in results:
            if result.text.startswith("denied"):
                self._journal.append(Message("system", result.blocks))


class CutAnswersComeBeforeResults(Journal):
    """An answer that a cancel cut is put in front of the results that it was an answer to."""

    def store(self, message: Message) -> None:
        results = _results_at_the_end(self) if message.interrupted else []
        for one in (message, *results):
            super().store(one)


MUTANTS = (
    mutant("vetoes-take-results-back", "tool-pairing", VetoesTakeResultsBack),
    mutant("results-of-one-moment-are-one", "tool-pairing", ResultsOfOneMomentAreOne),
    mutant("results-are-sent-again", "request-wellformed", ResultsAreSentAgain),
    mutant("results-behind-text-are-lost", "tool-pairing", ResultsBehindTextAreLost),
    mutant("broken-streams-repeat-the-result", "tool-pairing", BrokenStreamsRepeatTheResult),
    mutant("denials-are-system-messages", "request-wellformed", DenialsAreSystemMessages),
    mutant("cut-answers-come-before-results", "request-wellformed", CutAnswersComeBeforeResults),
)

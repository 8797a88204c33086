"""Faults that TunaCode had or has, on the loop that behaves like it.

The first two are of its releases 0.1.48 and 0.1.49, the third of 0.1.49 to 0.1.61, the last one of
0.2.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.profiles.tunacode import INTERRUPTED, TUNACODE
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.tools import ToolRunner
from simharness.trace import Message, Outcome, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.reference.stream import Attempt
    from simharness.agents.reference.turns import End

__all__ = ["MUTANTS"]


class CutTurnsAreForgotten(ReferenceAgent):
    """Only a run that succeeds is kept; a cancel takes the prompt and the answer along."""

    def last_word(self, run: Run, end: End) -> End:
        end = super().last_word(run, end)
        if end.outcome is Outcome.CANCELLED:
            self.journal.forget_behind(run.kept_before)
        return end


class FirstChunkIsNotAccumulated(Answering):
    """What opens a block is shown by another path and is missing in what a cancel keeps."""

    def cut_message(self, attempt: Attempt) -> Message:
        first = next((text for _, kind, text in attempt.timed if kind == "text"), "")
        text = super().cut_message(attempt).text.removeprefix(INTERRUPTED)
        kept = text.removeprefix(first)
        blocks = (Text(INTERRUPTED + kept),) if kept else ()
        return Message("assistant", blocks, interrupted=True)


class AccumulatorIsNotReset(Answering):
    """A cancel before any output keeps the text of the answer before: the buffer still holds it."""

    def cut_message(self, attempt: Attempt) -> Message:
        message = super().cut_message(attempt)
        said = [one.text for one in self._journal.history if one.role == "assistant" and one.text]
        if not message.empty or not said:
            return message
        return Message("assistant", (Text(INTERRUPTED + said[-1]),), interrupted=True)


class RunningCallsAreLeftOpen(ToolRunner):
    """A cancel while a tool runs leaves its call without a result."""

    def record(self, results: Sequence[Message]) -> None:
        if not self._cancellation.called:
            super().record(results)


MUTANTS = (
    mutant("cut-turns-are-forgotten", "user-input-durable", CutTurnsAreForgotten, TUNACODE),
    mutant(
        "first-chunk-is-not-accumulated",
        "delivered-prefix-kept",
        FirstChunkIsNotAccumulated,
        TUNACODE,
    ),
    mutant("accumulator-is-not-reset", "persist-eq-delivered", AccumulatorIsNotReset, TUNACODE),
    mutant("running-calls-are-left-open", "tool-pairing", RunningCallsAreLeftOpen, TUNACODE),
)

"""Faults with calls that must not run: of an answer that was too long, or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.turns import Turns

if TYPE_CHECKING:
    from simharness.agents.reference.answering import Answer
    from simharness.agents.reference.repetition import Repeated
    from simharness.agents.reference.stream import Attempt
    from simharness.trace import Message

__all__ = ["MUTANTS"]


class RefusedCallsAreRun(Turns):
    """The calls of an answer are run although the model refused in it; breaks `unrun-calls`."""

    def why_not(self, answer: Answer, repeated: Repeated | None) -> str:
        return "" if self.refused(answer) else super().why_not(answer, repeated)


class CallsAtTheOutputLimitAreRun(Answering):
    """An answer that was cut at the output limit keeps its calls; breaks `unrun-calls`."""

    def finished_message(self, attempt: Attempt, reason: str) -> Message:
        return super().finished_message(attempt, "stop" if reason == "length" else reason)


MUTANTS = (
    mutant("refused-calls-are-run", "unrun-calls", RefusedCallsAreRun),
    mutant("calls-at-the-output-limit-are-run", "unrun-calls", CallsAtTheOutputLimitAreRun),
)

"""Faults in what is kept: the history is not what happened, or not what a provider takes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.tools import NOT_RUN_CANCELLED, ToolRunner
from simharness.trace import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.reference.stream import Attempt
    from simharness.trace import Call

__all__ = ["MUTANTS"]


class UnrunCallsStayUnanswered(ToolRunner):
    """Calls that a cancel kept from running get no result."""

    def record(self, results: Sequence[Message]) -> None:
        super().record([one for one in results if one.text != NOT_RUN_CANCELLED])


class FailedCallsStayUnanswered(ToolRunner):
    """Only tools that succeed get a result."""

    def record(self, results: Sequence[Message]) -> None:
        super().record([one for one in results if not one.is_error])


class ResultsAreRecordedTwice(ToolRunner):
    """Results are appended as they come and again at the end when a call failed."""

    def record(self, results: Sequence[Message]) -> None:
        super().record(results)
        super().record([one for one in results if one.is_error])


class DroppedCallsAreRun(Answering):
    """Calls that were dropped from a message at the output limit are run all the same."""

    def calls(self, attempt: Attempt, message: Message) -> tuple[Call, ...]:  # noqa: ARG002
        return attempt.assembler.message().calls


class OnlyTextIsStored(Journal):
    """Answers enter the history without their calls, results as they are."""

    def store(self, message: Message) -> None:
        blocks = message.blocks if not message.text else message.blocks[:1]
        super().store(attrs.evolve(message, blocks=blocks))


class BrokenArgumentsAreSentBack(Answering):
    """Arguments that do not parse enter the history as the model wrote them."""

    def stored(self, message: Message) -> Message:
        return message


class EmptyMessagesAreKept(Answering):
    """An answer without content becomes a message."""

    def worth_keeping(self, message: Message) -> bool:  # noqa: ARG002
        return True


class CutTextIsLost(Answering):
    """A cancel in the middle of an answer leaves nothing of it.

    So it was in DeepSeek Harness 0.1.0-rc.6 (A42).
    """

    def cut_message(self, attempt: Attempt) -> Message:  # noqa: ARG002
        return Message("assistant")


class BeginningOfACutAnswerIsLost(Answering):
    """Of a cut answer only the block that was being written is kept."""

    def cut_message(self, attempt: Attempt) -> Message:
        message = super().cut_message(attempt)
        return attrs.evolve(message, blocks=message.blocks[-1:])


class CutMessageRepeatsTheLastAnswer(Answering):
    """A cancel before any output keeps the text of an earlier answer: the buffer was not reset."""

    def cut_message(self, attempt: Attempt) -> Message:
        message = super().cut_message(attempt)
        earlier = [one for one in self._journal.history if one.role == "assistant" and one.text]
        return earlier[-1] if message.empty and earlier else message


class FailedTextIsKept(Answering):
    """What a failed attempt had streamed stays in the history."""

    def broken_message(self, attempt: Attempt) -> Message:
        return Message("assistant", attempt.assembler.interrupted_blocks())


MUTANTS = (
    mutant("unrun-calls-stay-unanswered", "tool-pairing", UnrunCallsStayUnanswered),
    mutant("failed-calls-stay-unanswered", "tool-pairing", FailedCallsStayUnanswered),
    mutant("results-are-recorded-twice", "tool-pairing", ResultsAreRecordedTwice),
    mutant("dropped-calls-are-run", "no-orphan-result", DroppedCallsAreRun),
    mutant("only-text-is-stored", "no-orphan-result", OnlyTextIsStored),
    mutant("broken-arguments-are-sent-back", "request-wellformed", BrokenArgumentsAreSentBack),
    mutant("empty-messages-are-kept", "request-wellformed", EmptyMessagesAreKept),
    mutant("cut-text-is-lost", "delivered-prefix-kept", CutTextIsLost),
    mutant("beginning-is-lost", "delivered-prefix-kept", BeginningOfACutAnswerIsLost),
    mutant(
        "cut-message-repeats-the-last-answer",
        "delivered-prefix-kept",
        CutMessageRepeatsTheLastAnswer,
    ),
    mutant("failed-text-is-kept", "error-content-dropped", FailedTextIsKept),
)

"""Faults that DeepSeek Harness had or has, and faults against its invariants, on its profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agent import Aborted, ProviderError
from simharness.agents.mutants.mutant import mutant
from simharness.agents.profiles import DEEPSEEK_HARNESS
from simharness.agents.reference.answering import Answer, Answering
from simharness.agents.reference.assembler import Assembler
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.stream import Attempt, Broken, Cut, Ending
from simharness.agents.reference.tools import ToolAnswer, ToolRunner
from simharness.trace import Call, Message, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agent import CancelWay, Chunk

__all__ = ["MUTANTS"]


# --- what it did or does ----------------------------------------------------------------------


class UsageOfEmptyAttemptsIsLost(Answering):
    """In 0.1.0-rc.8 (A16): usage travels on messages, and what leaves none loses its usage."""

    def settle(self, attempt: Attempt, ending: Ending) -> Answer:
        if self.kept(attempt, ending) is None:
            attempt.assembler.usage = None
        return super().settle(attempt, ending)


class AFailedSchedulerAnswersNothing(ToolRunner):
    """When the scheduler of tools fails (A29), bodies are waited for and no call is answered."""

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        await super().run_group(calls, why_not=why_not)
        raise RuntimeError("the scheduler failed")


# --- against its invariants -------------------------------------------------------------------


class LateResultsCount(ToolRunner):
    """What a tool returns after the cancel is recorded as if there had been none (A26)."""

    def in_time(self, answer: ToolAnswer) -> ToolAnswer:
        return answer


class EveryResultIsAborted(ToolRunner):
    """An error stands for every result of a cancelled batch, also for those that came in time."""

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        results = await super().run_group(calls, why_not=why_not)
        if not self._cancellation.called:
            return results
        aborted = (Text("aborted: the batch was cancelled"),)
        return [attrs.evolve(one, blocks=aborted, is_error=True) for one in results]


class CutCallsStay(Answering):
    """A cut message keeps the calls that it held so far, and nobody answers them (I-A7)."""

    def cut_message(self, attempt: Attempt) -> Message:
        return Message("assistant", attempt.assembler.blocks(), interrupted=True)

    def calls(self, attempt: Attempt, message: Message) -> tuple[Call, ...]:
        return () if message.interrupted else super().calls(attempt, message)


class AttemptsShareABuffer(Answering):
    """The message of a repeated attempt begins with what the failed one had said (I-A10)."""

    _failed = ""

    def broken_message(self, attempt: Attempt) -> Message:
        self._failed += attempt.assembler.message().text
        return super().broken_message(attempt)

    def finished_message(self, attempt: Attempt, reason: str) -> Message:
        whole = super().finished_message(attempt, reason)
        return attrs.evolve(whole, blocks=(Text(self._failed), *whole.blocks))


class RetriesWinOverCancels(Answering):
    """A retry that was decided on is announced although the run was cancelled since (I-A16)."""

    def passing_error(self, answer: Answer, tried: int) -> ProviderError | None:
        if isinstance(answer.ending, Broken):
            error = answer.ending.error
            return error if self._retry.wanted(error, attempt=tried, shown=answer.shown) else None
        return None


class AbortsAreStops(Attempt):
    """A stream that says aborted is taken for a cancel, though nobody cancelled (A20)."""

    def reported(self) -> Ending:
        return Cut() if isinstance(self.assembler.terminal, Aborted) else super().reported()


class SilentClosesFail(Attempt):
    """A stream that just ends is a failure, although it is declared to be an answer (A30)."""

    def silent_close(self) -> Ending:
        return Broken(ProviderError("stream ended without finish"))


class ContentBehindTheFinishCounts(Assembler):
    """What a stream sends behind its finish is added to the message (A31)."""

    def add(self, chunk: Chunk) -> bool:
        return self._add(chunk)


class IdleCancelsArm(ReferenceAgent):
    """A cancel while nothing runs is kept for the next turn (A35)."""

    armed: tuple[str, str] | None = None

    def cancel(self, way: CancelWay, reason: str, queue: str = "") -> None:
        if self.stops.running:
            super().cancel(way, reason, queue)
        else:
            self.armed = (reason, queue)

    def open_run(self) -> Run:
        run = super().open_run()
        if self.armed is not None:
            self.cancel_run(run, *self.armed)
            self.armed = None
        return run


class TheLatchIsLost(ReferenceAgent):
    """What is sent between a cancel and the end of its turn goes nowhere (A39)."""

    def follow_up(self, text: str) -> None:
        if not any(run.cancellation.called for run in self.stops.running):
            super().follow_up(text)


class CutAttemptsAreSilent(Journal):
    """A cut message is appended without its end (I-A6)."""

    def keep(self, attempt: Attempt, message: Message) -> None:
        if message.interrupted:
            self.store(message)
        else:
            super().keep(attempt, message)


MUTANTS = (
    mutant(
        "usage-of-empty-attempts-is-lost",
        "usage-once",
        UsageOfEmptyAttemptsIsLost,
        DEEPSEEK_HARNESS,
    ),
    mutant(
        "a-failed-scheduler-answers-nothing",
        "tool-pairing",
        AFailedSchedulerAnswersNothing,
        DEEPSEEK_HARNESS,
    ),
    mutant("late-results-count", "result-truthful", LateResultsCount, DEEPSEEK_HARNESS),
    mutant("every-result-is-aborted", "result-truthful", EveryResultIsAborted, DEEPSEEK_HARNESS),
    mutant("cut-calls-stay", "tool-pairing", CutCallsStay, DEEPSEEK_HARNESS),
    mutant(
        "attempts-share-a-buffer", "error-content-dropped", AttemptsShareABuffer, DEEPSEEK_HARNESS
    ),
    mutant(
        "retries-win-over-cancels", "cancel-not-failure", RetriesWinOverCancels, DEEPSEEK_HARNESS
    ),
    mutant("aborts-are-stops", "terminal-kind", AbortsAreStops, DEEPSEEK_HARNESS),
    mutant("silent-closes-fail", "terminal-kind", SilentClosesFail, DEEPSEEK_HARNESS),
    mutant(
        "content-behind-the-finish-counts",
        "streaming-parity",
        ContentBehindTheFinishCounts,
        DEEPSEEK_HARNESS,
    ),
    mutant("idle-cancels-arm", "cancel-flag-reset", IdleCancelsArm, DEEPSEEK_HARNESS),
    mutant("the-latch-is-lost", "queue-progress", TheLatchIsLost, DEEPSEEK_HARNESS),
    mutant("cut-attempts-are-silent", "start-end-paired", CutAttemptsAreSilent, DEEPSEEK_HARNESS),
)

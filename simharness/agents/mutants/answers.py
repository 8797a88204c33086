"""Faults in asking the model: a stop that is taken for a failure, a stream that is misread."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from simharness.agent import ProviderError, ReasoningDelta, TextDelta, UsageReport
from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.answering import Answer, Answering
from simharness.agents.reference.assembler import Assembler
from simharness.agents.reference.retry import Retry
from simharness.agents.reference.silence import Silence
from simharness.agents.reference.stream import Attempt, Broken, Cut, Ending, Finished
from simharness.trace import Call, Message, MessageUpdate

if TYPE_CHECKING:
    from simharness.agent import Chunk, ModelStream

__all__ = ["MUTANTS"]


class AsksAfterTheCancel(Answering):
    """The cancel is not looked at in front of a request."""

    def may_ask(self) -> bool:
        return True


class CancelsAreCounted(Answering):
    """A cut attempt counts as a failure."""

    def account(self, attempt: Attempt, ending: Ending) -> None:
        super().account(attempt, ending)
        if isinstance(ending, Cut):
            self._journal.failed("cut")


class CutStreamsAreRetried(Answering):
    """A stream that a cancel cut is announced as an error that will be tried again."""

    def passing_error(self, answer: Answer, tried: int) -> ProviderError | None:
        if isinstance(answer.ending, Cut):
            return ProviderError("cut")
        return super().passing_error(answer, tried)


class TheReportDecides(Attempt):
    """What a stream reports counts, not that the run was cancelled."""

    def ending(self, error: ProviderError | None) -> Ending:
        return Broken(error) if error else self.reported()


class SilentCloseCounts(Attempt):
    """A stream that just ends is taken for a finished one."""

    def reported(self) -> Ending:
        return Finished("stop") if self.assembler.terminal is None else super().reported()


class IncompleteCounts(Attempt):
    """A finish counts whatever its reason."""

    def reported(self) -> Ending:
        found = super().reported()
        return Finished("stop") if isinstance(found, Broken) and self.shown else found


class FirstChunkIsSwallowed(Attempt):
    """The chunk that opens a message is kept but not shown."""

    def show(self, chunk: Chunk) -> None:
        if self.shown or not isinstance(chunk, TextDelta):
            super().show(chunk)
        else:
            self.shown = chunk.text


class ChunksAreShownTwice(Attempt):
    """Each chunk is shown when it comes and when its block is looked at."""

    def show(self, chunk: Chunk) -> None:
        super().show(chunk)
        super().show(chunk)


class UpdatesAreHeldBack(Attempt):
    """Updates are throttled: each is reported a moment after it was shown."""

    def show(self, chunk: Chunk) -> None:
        if isinstance(chunk, TextDelta | ReasoningDelta):
            self.shown += chunk.text
            self._world.shown(chunk.text)
            update = MessageUpdate(chunk.text)
            asyncio.get_running_loop().call_later(0.05, self._journal.report, update)


class VisibleOutputIsRetried(Retry):
    """An attempt is repeated although the user saw it begin."""

    def wanted(self, error: ProviderError, *, attempt: int, shown: str) -> bool:  # noqa: ARG002
        return super().wanted(error, attempt=attempt, shown="")


class UsageIsAddedUp(Assembler):
    """Usage reports are added although they are cumulative."""

    def add(self, chunk: Chunk) -> bool:
        if isinstance(chunk, UsageReport) and self.usage:
            chunk = UsageReport(chunk.input + self.usage[0], chunk.output + self.usage[1])
        return super().add(chunk)


class _StopsReading(Attempt):
    """Leaves its stream at the first chunk after a cancel."""

    async def _read(self, stream: ModelStream) -> None:
        async for chunk in stream:
            self.take(chunk)
            if self.assembler.terminal is not None or self._cancellation.called:
                return


class StreamsAreLeftOpen(Answering):
    """A cancelled run leaves its stream without closing it."""

    attempt_type = _StopsReading

    async def close(self, stream: ModelStream) -> None:
        if not self._cancellation.called:
            await super().close(stream)


class NobodyAwaitsTheClose(Answering):
    """Streams are closed by a task that nobody awaits, so their errors are lost."""

    async def close(self, stream: ModelStream) -> None:
        self._closing = asyncio.create_task(_close(stream))


class PlainAnswersEndWithTheirText(Answering):
    """Text in a whole response is taken for the final answer, and the calls behind it are lost."""

    def finished_message(self, attempt: Attempt, reason: str) -> Message:
        message = super().finished_message(attempt, reason)
        if self.streaming or not message.text:
            return message
        return Message("assistant", tuple(b for b in message.blocks if not isinstance(b, Call)))


class SilenceIsWaitedOut(Silence):
    """The limit on silence is not kept."""

    def __init__(self, limit_s: float | None) -> None:  # noqa: ARG002
        super().__init__(None)


class OnlyTheFirstChunkIsAwaited(Silence):
    """The limit on silence is for the first chunk; a stream that has begun may stall."""

    def end(self) -> float | None:
        return None


async def _close(stream: ModelStream) -> None:
    await stream.aclose()


MUTANTS = (
    mutant("asks-after-the-cancel", "no-model-call-after-cancel", AsksAfterTheCancel),
    mutant("cancels-are-counted", "cancel-not-failure", CancelsAreCounted),
    mutant("cut-streams-are-retried", "cancel-not-failure", CutStreamsAreRetried),
    mutant("the-report-decides", "terminal-kind", TheReportDecides),
    mutant("silent-close-counts", "terminal-kind", SilentCloseCounts),
    mutant("incomplete-counts", "terminal-kind", IncompleteCounts),
    mutant("first-chunk-is-swallowed", "chunk-conservation", FirstChunkIsSwallowed),
    mutant("chunks-are-shown-twice", "chunk-conservation", ChunksAreShownTwice),
    mutant("visible-output-is-retried", "chunk-conservation", VisibleOutputIsRetried),
    mutant("updates-are-held-back", "no-event-after-terminal", UpdatesAreHeldBack),
    mutant("usage-is-added-up", "usage-once", UsageIsAddedUp),
    mutant("streams-are-left-open", "upstream-closed", StreamsAreLeftOpen),
    mutant("nobody-awaits-the-close", "failure-surfaced", NobodyAwaitsTheClose),
    mutant("silence-is-waited-out", "stall-bounded", SilenceIsWaitedOut),
    mutant("only-the-first-chunk-is-awaited", "stall-bounded", OnlyTheFirstChunkIsAwaited),
    mutant("plain-answers-end-with-their-text", "streaming-parity", PlainAnswersEndWithTheirText),
)

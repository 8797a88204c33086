"""Answering: one model answer, with its retries, and what is kept of each attempt.

Finish, error and cancel meet here: each attempt is settled exactly once, before anything else
happens. What an answer means for the run is the loop's business.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import attrs

from simharness.agent import Request
from simharness.agents.reference.contract import CANCEL_BOUND_S
from simharness.agents.reference.sendable import (
    with_notes,
    with_parsable_args,
    with_unique_ids,
)
from simharness.agents.reference.silence import Silence
from simharness.agents.reference.stream import Attempt, Broken, Cut, Ending, Finished, GivenUp
from simharness.trace import (
    Block,
    Call,
    Message,
    Notice,
    PhaseChanged,
    ProviderRetry,
    StreamRestarted,
    Text,
    assistant,
)

if TYPE_CHECKING:
    from simharness.agent import ModelStream, ProviderError, World
    from simharness.agents.reference.calling import HookCalls
    from simharness.agents.reference.cancelling import Cancellation
    from simharness.agents.reference.guarding import Guard
    from simharness.agents.reference.journal import Journal
    from simharness.agents.reference.retry import Retry
    from simharness.contract import Contract

__all__ = ["Answer", "Answering"]


@attrs.frozen
class Answer:
    """What one attempt came to. `message` is what the history got of it, if anything.

    `calls` are as the model sent them, `message` holds them as a provider takes them back.
    """

    ending: Ending
    message: Message | None = None
    calls: tuple[Call, ...] = ()
    shown: str = ""


class Answering:
    """Asks the model on behalf of one run."""

    attempt_type = Attempt
    silence_type = Silence

    def __init__(
        self,
        world: World,
        journal: Journal,
        cancellation: Cancellation,
        hooks: HookCalls,
        contract: Contract,
        *,
        retry: Retry,
        guard: Guard,
        system: str,
        reads_on: bool,
        idle_limit_s: float | None,
    ) -> None:
        self._world = world
        self._journal = journal
        self._cancellation = cancellation
        self._hooks = hooks
        self._contract = contract
        self._retry = retry
        self._guard = guard
        self._system = system
        self._reads_on = reads_on
        self._idle_limit_s = idle_limit_s
        self.streaming = True
        self._attempts = 0  # within the run
        self._current: Attempt | None = None  # the one that is read
        self._tried = 0  # within the turn

    async def ask(self, turn: int) -> Answer:
        """Ask until there is an answer to turn number `turn`; after a cancel not even once."""
        self._tried = 0
        while (request := await self.next_request(turn)) is not None:
            self._tried += 1
            answer = await self.attempt(request)
            if isinstance(answer.ending, GivenUp):
                self._tried = 0
                continue
            error = self.passing_error(answer, self._tried)
            if error is None:
                return self.unasked() if self.overtaken(answer) else answer
            await self.back_off(error, self._tried)
        return self.unasked()

    def restart(self, reason: str) -> None:
        """Give up the stream that is asked for or read, if one is; another one takes its place."""
        if self._current is not None:
            self._current.restart.set(reason)

    def overtaken(self, answer: Answer) -> bool:
        """Whether an attempt failed that left nothing, and a cancel came before it was repeated."""
        left_nothing = isinstance(answer.ending, Broken) and answer.message is None
        return left_nothing and not self.failed(answer.ending)

    def failed(self, ending: Ending) -> bool:
        """Whether a stream failed, and no cancel came first that makes it a stop."""
        if not isinstance(ending, Broken):
            return False
        return ending.despite_cancel or not self._cancellation.called

    def unasked(self) -> Answer:
        """The answer of a model that was not asked, or not asked again, because of a cancel."""
        if self._contract.empty_cancel != "empty-message":
            return Answer(Cut())
        message = Message("assistant", interrupted=True)
        self._journal.append(message)
        return Answer(Cut(), message)

    async def next_request(self, turn: int) -> Request | None:
        """The next request of a turn, a retry included; None if it may not be made any more.

        The hooks and the session may wait, so the cancel is looked at behind them.
        """
        notes = await self._hooks.ask_ahead("turn_note", turn)
        await self._journal.save(self._cancellation)
        return self.request(notes) if self.may_ask() else None

    def may_ask(self) -> bool:
        """Whether a request may be made now; asked directly before it would be."""
        if not self._cancellation.called:
            self._journal.report(PhaseChanged("streaming"))
        return not self._cancellation.called

    def passing_error(self, answer: Answer, tried: int) -> ProviderError | None:
        """The error after which to try again. A stop is no error and is never retried."""
        if isinstance(answer.ending, Broken) and not self._cancellation.called:
            error = answer.ending.error
            if self._retry.wanted(error, attempt=tried, shown=answer.shown):
                return error
        return None

    async def back_off(self, error: ProviderError, tried: int) -> None:
        """Announce the retry and wait; a cancel ends the wait at once."""
        delay_s = self._retry.delay_s(error, attempt=tried)
        self._journal.report(ProviderRetry(tried, self._retry.max_attempts, str(error), delay_s))
        self._journal.report(PhaseChanged("backoff"))
        async with self._cancellation.bounded(0):
            if not self._cancellation.called:
                await self._world.wait("backoff", delay_s)

    async def attempt(self, request: Request) -> Answer:
        """Read one stream, settle what is kept of it, close it."""
        self._attempts += 1
        attempt = self.attempt_type(
            self._world,
            self._journal,
            self._cancellation,
            self._contract,
            self._attempts,
            self._guard,
        )
        attempt.streaming = self.streaming
        attempt.reads_on = self._reads_on
        attempt.silence = self.silence_type(self._idle_limit_s)
        self._current = attempt
        stream = self.open(request, attempt)
        try:
            ending = await attempt.read(stream)
            self._current = None
            return self.settle(attempt, ending)
        finally:
            await self.close(stream)

    def open(self, request: Request, attempt: Attempt) -> ModelStream:
        """Make a request. The stream can see for itself that it is not wanted any more."""
        self.renew()
        return self._world.stream(request, signal=attempt.restart)

    def renew(self) -> None:
        """Have a client that can be used, whatever became of the streams that it has read."""
        self._world.renew_client()

    def request(self, notes: tuple[str, ...]) -> Request:
        """A request: the system prompt, then the history as it is, with notes for this once."""
        head = (Message("system", (Text(self._system),)),) if self._system else ()
        tools = tuple(tool.name for tool in self._world.tools())
        return Request(head + with_notes(self._journal.history, notes), tools, self.streaming)

    async def close(self, stream: ModelStream) -> None:
        """Close a stream, whoever cancels meanwhile; after a cancel not for longer than the bound.

        That it cannot be closed changes nothing that is settled, but is worth a notice.
        """
        await self._cancellation.patiently(self._close(stream), grace_s=CANCEL_BOUND_S)

    async def _close(self, stream: ModelStream) -> None:
        try:
            await stream.aclose()
        except asyncio.CancelledError:
            self._journal.report(Notice("close-failed", "closing took too long"))
        except Exception as error:  # noqa: BLE001 - a client library may raise anything
            self._journal.report(Notice("close-failed", str(error)))

    # --- what is kept ---------------------------------------------------------------------------

    def settle(self, attempt: Attempt, ending: Ending) -> Answer:
        """Keep or discard what was streamed, then account for it."""
        whole = self.kept(attempt, ending)
        if whole is None:
            self._journal.discard(attempt, self.taken_back(attempt, ending))
            answer = Answer(ending, shown=attempt.shown)
        else:
            message = self.stored(whole)
            self._journal.keep(attempt, message)
            answer = Answer(ending, message, self.calls(attempt, whole), attempt.shown)
        self.account(attempt, ending)
        return answer

    def kept(self, attempt: Attempt, ending: Ending) -> Message | None:
        """The message that enters the history; None: the attempt leaves nothing there."""
        match ending:
            case Finished(reason):
                message = self.finished_message(attempt, reason)
            case Cut():
                message = self.cut_message(attempt)
            case Broken():
                message = self.broken_message(attempt)
            case GivenUp():
                return None  # the next stream says it all anew
        kept = self.worth_keeping(message) or self.kept_empty(attempt, ending)
        return message if kept else None

    def worth_keeping(self, message: Message) -> bool:
        """Whether there is anything in it. Providers refuse a history with empty messages."""
        return not message.empty

    def kept_empty(self, attempt: Attempt, ending: Ending) -> bool:
        """Whether the contract wants a message even if there is nothing in it."""
        match ending:
            case Finished():
                return self._contract.empty_answer == "kept"
            case Broken(error):
                final = not self.tried_again(error, attempt)
                return final and self._contract.failed_final == "empty-message"
            case Cut():
                if attempt.assembler.interrupted_blocks():
                    return self._contract.cut_message == "emptied"
                return self._contract.empty_cancel == "empty-message"
            case GivenUp():
                return False

    def tried_again(self, error: ProviderError, attempt: Attempt) -> bool:
        """Whether a failed attempt will be repeated, unless a cancel comes first."""
        return self._retry.wanted(error, attempt=self._tried, shown=attempt.shown)

    def taken_back(self, attempt: Attempt, ending: Ending) -> Message:
        """What the end of a discarded message tells: what was streamed, or why it is void."""
        announced = self._contract.retried_attempt == "announced"
        announced &= not self._cancellation.called
        if announced and isinstance(ending, Broken) and self.tried_again(ending.error, attempt):
            which = f"attempt {self._tried} of {self._retry.max_attempts}"
            return assistant(f"{which} failed: {ending.error}; it will be repeated")
        return attempt.assembler.message()

    def cut_message(self, attempt: Attempt) -> Message:
        """What stays of an answer that a cancel cut: what the user saw, if the contract says so."""
        blocks = attempt.assembler.interrupted_blocks()
        match self._contract.cut_message:
            case "kept":
                blocks = self.marked(blocks)
            case "text-only":
                text = "".join(block.text for block in blocks if isinstance(block, Text))
                blocks = self.marked((Text(text),)) if text.strip() else ()
            case _:
                blocks = ()
        return Message("assistant", blocks, interrupted=True)

    def marked(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        """The blocks of a cut message behind the text that marks it as cut, if one does."""
        mark = self._contract.text_in("cut_mark")
        return (Text(mark), *blocks) if mark and blocks else blocks

    def broken_message(self, attempt: Attempt) -> Message:  # noqa: ARG002 - the decision is: nothing
        """What a failed attempt leaves: nothing in it. The answer never was one."""
        return Message("assistant")

    def finished_message(self, attempt: Attempt, reason: str) -> Message:
        """The whole message; at the output limit without its calls, as the last may be cut."""
        message = with_unique_ids(attempt.assembler.message(), self._journal.history)
        if reason != "length":
            return message
        return Message("assistant", tuple(b for b in message.blocks if not isinstance(b, Call)))

    def stored(self, message: Message) -> Message:
        """The form in which a message enters the history, and so the next request."""
        return with_parsable_args(message)

    def calls(self, attempt: Attempt, message: Message) -> tuple[Call, ...]:  # noqa: ARG002
        """The calls to run: those of the kept message and no others."""
        return message.calls

    def account(self, attempt: Attempt, ending: Ending) -> None:
        """Write the log row and count a failure, unless the run was cancelled meanwhile."""
        match ending:
            case Finished():
                self._journal.log(attempt)
                self._journal.succeeded()
            case Broken(error) if self.failed(ending):
                self._journal.log(attempt, str(error))
                self._journal.failed(str(error))
            case GivenUp(reason):
                self._journal.log(attempt, reason=reason)
                self._journal.report(StreamRestarted(attempt.number, reason))
            case _:
                self._journal.log(attempt, f"cancelled: {self._cancellation.reason}")

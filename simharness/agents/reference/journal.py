"""Journal: the history, and what the loop says about it and about its streams.

Whatever enters the history enters it here, with its events, and becomes an entry of the session.
What is kept of a stream and how a run ends is decided by the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.reference.contract import CANCEL_BOUND_S
from simharness.agents.reference.entries import Began, Deferred, Kept, TakenBack, TurnOver
from simharness.agents.reference.session import Session
from simharness.agents.reference.streak import Streak
from simharness.trace import (
    AttemptKept,
    FailureCounted,
    LogRow,
    Message,
    MessageEnd,
    MessageStart,
    Notice,
    Reported,
    StreamEnd,
    user,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from simharness.agent import World
    from simharness.agents.reference.cancelling import Cancellation
    from simharness.agents.reference.stream import Attempt

__all__ = ["Journal"]


class Journal:
    """Everything that outlives a run: the history, the usage and the failure streak."""

    session_type = Session
    streak_type = Streak

    def __init__(self, world: World, *, stored: bool = True) -> None:
        self._world = world
        self.session = self.session_type(world.store if stored else None, self.tell)
        self.history = self.session.history
        self.observers: list[Callable[[Reported], object]] = []
        self.streak = self.streak_type()
        self.used: list[tuple[int, int]] = []
        self._settled = 0  # how many entries were noted when the session was settled last

    def report(self, record: Reported) -> None:
        """Tell everybody who listens. One who raises spoils nothing for the others or the loop."""
        self._world.report(record)
        for observer in self.observers:
            try:
                observer(record)
            except Exception as error:  # noqa: BLE001 - an observer may raise anything
                self.observer_failed(error)

    def observer_failed(self, error: Exception) -> None:
        """Tell the operator, and not the observers: one that raises would raise again."""
        self._world.report(Notice("observer-failed", str(error)))

    def append(self, message: Message) -> None:
        """Add a whole message to the history."""
        self.report(MessageStart(message))
        self.store(message)
        self.report(MessageEnd(message))

    def hear(self, said: str | Deferred) -> None:
        """Add what the user has said. If it was deferred, it waits no more from here on."""
        if isinstance(said, str):
            self.append(user(said))
            return
        message = user(said.text)
        self.report(MessageStart(message))
        self.session.note(Kept(message, said.number))
        self.report(MessageEnd(message))

    def store(self, message: Message) -> None:
        """Make a message part of the history."""
        self.session.note(Kept(message))

    def began(self, call_id: str) -> None:
        """Say that the body of a call may run from now on."""
        self.session.note(Began(call_id))

    def turn_over(self) -> None:
        """Say that a turn has ended."""
        self.session.note(TurnOver())

    def forget_behind(self, length: int) -> None:
        """Take everything behind the first `length` messages back."""
        self.session.note(TakenBack(length))

    def tell(self, kind: str, text: str) -> None:
        """Tell an operator."""
        self.report(Notice(kind, text))

    async def save(self, cancellation: Cancellation) -> None:
        """Write what the session does not have yet; after a cancel not for longer than the bound.

        What may not be lost waits for this: a prompt is acknowledged when its first request is
        made.
        """
        if self.session.unsaved:
            await cancellation.patiently(self.session.save(), grace_s=CANCEL_BOUND_S)

    async def settle(self, cancellation: Cancellation) -> None:
        """Write, flush and check at the end of a run; say so if something is not saved even then.

        That a store fails changes nothing else about how the run ends.
        """
        self._settled = self.session.noted
        if self.session.pending:
            await cancellation.patiently(self.session.settle(), grace_s=CANCEL_BOUND_S)
            if self.session.unsaved:
                self.tell("not-saved", f"{self.session.unsaved} lines of the session")

    @property
    def news(self) -> bool:
        """Whether anything was noted since the session was settled; what failed then is no news."""
        return self.session.noted > self._settled

    def keep(self, attempt: Attempt, message: Message) -> None:
        """Add what an attempt streamed to the history, with its start if nothing was streamed."""
        if not attempt.begun:
            self.report(MessageStart(message))
        self.store(message)
        self.report(MessageEnd(message))
        self.report(StreamEnd(attempt.number, attempt.timed if message.interrupted else ()))

    def discard(self, attempt: Attempt, message: Message) -> None:
        """Keep an attempt beside the history instead; `message` is what its end tells."""
        usage = attempt.assembler.usage
        self.report(AttemptKept(attempt.number, attempt.shown, usage, attempt.timed))
        if attempt.begun:
            self.take_back(message)
        self.report(StreamEnd(attempt.number))

    def take_back(self, message: Message) -> None:
        """End the message of a discarded attempt."""
        self.report(MessageEnd(message, discarded=True))

    def log(self, attempt: Attempt, error: str = "", *, reason: str = "") -> None:
        """Write the one log row of an attempt; its usage is counted here and nowhere else.

        A log that cannot be written is worth a notice and changes nothing else.
        """
        usage = attempt.assembler.usage
        if usage is not None:
            self.used.append(usage)
        try:
            self.write(LogRow(attempt.number, not error, error, usage, reason))
        except Exception as failure:  # noqa: BLE001 - a log may raise anything
            self.log_failed(failure)

    def write(self, row: LogRow) -> None:
        """Add a row to the log."""
        self.report(row)

    def log_failed(self, error: Exception) -> None:
        """Tell an operator of a row that could not be written."""
        self.tell("log-failed", str(error))

    def usage_since(self, start: int) -> tuple[int, int] | None:
        """Tokens in and out of the streams logged with usage from `start` on; None: unknown."""
        counted = self.used[start:]
        return (sum(i for i, _ in counted), sum(o for _, o in counted)) if counted else None

    def succeeded(self) -> None:
        """End the failure streak."""
        self.streak.succeeded()

    def failed(self, error: str) -> None:
        """Count a failure of the provider. A stop is none."""
        alert = self.streak.failed()
        self.report(FailureCounted(self.streak.length))
        if alert:
            self.report(Notice("alert", f"{self.streak.length} failures in a row: {error}"))

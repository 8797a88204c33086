"""A protocol bridge: what the loop reports as updates for a client, in the manner of ACP.

The Agent Client Protocol wants every update of a prompt on the wire before the answer to it, a
cancelled one included. Updates go out one after the other while the run goes on; a slow client
delays its answer and nothing of the run. Only the shape of the protocol is here, no wire.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import attrs

from simharness.agent import CancelWay
from simharness.trace import (
    Message,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    Outcome,
    Reasoning,
    Reported,
    Text,
    ToolExecutionEnd,
    ToolExecutionStart,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from simharness.agents.reference.loop import ReferenceAgent

__all__ = ["Bridge", "Update", "View", "updates_of"]

_STOP_REASONS = {
    Outcome.COMPLETED: "end_turn",
    Outcome.CANCELLED: "cancelled",
    Outcome.LIMIT: "max_turn_requests",
    Outcome.REJECTED: "refusal",
}


@attrs.frozen
class Update:
    """One `session/update`. Kinds that the protocol does not have begin with an underscore.

    `call_id`, `name` and `status` (in_progress, completed, failed) belong to tool calls, `text` is
    a chunk or what a tool returned. `_message_start` opens a message of the model, `_message_end`
    closes it; with `status` discarded the client takes back what it shows of it.
    """

    kind: str
    text: str = ""
    call_id: str = ""
    name: str = ""
    status: str = ""


def updates_of(record: Reported) -> Iterator[Update]:
    """What a client is told of a record; nothing of most."""
    match record:
        case MessageStart(message=message) if message.role == "user":
            yield Update("user_message_chunk", message.text)
        case MessageStart(message=message) if message.role == "assistant":
            yield Update("_message_start")
        case MessageUpdate(text=text, reasoning=reasoning):
            yield Update("agent_thought_chunk" if reasoning else "agent_message_chunk", text)
        case MessageEnd(message=message, discarded=discarded) if message.role == "assistant":
            yield Update("_message_end", status="discarded" if discarded else "")
        case ToolExecutionStart(call_id=call_id, name=name):
            yield Update("tool_call", call_id=call_id, name=name, status="in_progress")
        case ToolExecutionEnd(call_id=call_id, name=name, result=text, is_error=is_error):
            status = "failed" if is_error else "completed"
            yield Update("tool_call_update", text, call_id, name, status)


def _replayed(message: Message) -> Iterator[Reported]:
    """The records by which a message would have been reported."""
    if message.role == "tool":
        yield ToolExecutionStart(message.call_id, "", "")
        yield ToolExecutionEnd(message.call_id, "", message.text, is_error=message.is_error)
        return
    yield MessageStart(message)
    for block in message.blocks if message.role == "assistant" else ():
        if isinstance(block, Text | Reasoning):
            yield MessageUpdate(block.text, isinstance(block, Reasoning))
    yield MessageEnd(message)


class Bridge:
    """Serves one agent to one client. `send` puts an update on the wire."""

    def __init__(self, agent: ReferenceAgent, send: Callable[[Update], Awaitable[None]]) -> None:
        self._agent = agent
        self._send = send
        self._waiting: asyncio.Queue[Update | None] = asyncio.Queue()

    async def load(self) -> None:
        """Take up the session of the agent, and show the client what it holds."""
        await self._agent.load()
        for message in self._agent.history():
            for record in _replayed(message):
                for update in updates_of(record):
                    await self._send(update)

    async def prompt(self, text: str) -> str:
        """Run a prompt; the stop reason, once every update is on the wire.

        Raises what made the run fail, as an error response, behind the updates as well, and so a
        CancelledError.
        """
        observers = self._agent.journal.observers
        observers.append(self._hear)
        sender = asyncio.create_task(self._drain())
        try:
            await self._agent.prompt(text)
        finally:
            observers.remove(self._hear)
            self._waiting.put_nowait(None)
            await _patiently(sender)
        return self.stop_reason()

    def stop_reason(self) -> str:
        """Why the latest run ended, in the words of the protocol."""
        end = self._agent.latest
        assert end is not None, "a run that has returned has an end"
        return "max_tokens" if end.cause == "length" else _STOP_REASONS[end.outcome]

    def cancel(self) -> None:
        """A `session/cancel`: a notification, which is answered by the answer to the prompt."""
        self._agent.cancel(CancelWay.API, "user")

    async def _drain(self) -> None:
        """Send what is waiting, until the run has said its last word."""
        while (update := await self._waiting.get()) is not None:
            await self._send(update)

    def _hear(self, record: Reported) -> None:
        for update in updates_of(record):
            self._waiting.put_nowait(update)


async def _patiently(sender: asyncio.Task[None]) -> None:
    """Wait for the sender, whoever cancels meanwhile: an update that is half sent would be lost."""
    cancelled = None
    while not sender.done():
        try:
            await asyncio.wait({sender})
        except asyncio.CancelledError as error:
            cancelled = error
    sender.result()
    if cancelled is not None:
        raise cancelled


@attrs.define
class View:
    """What a client has on its screen, from updates alone: lines of (who, text).

    A tool call has its line where it was announced, whenever its result comes.
    """

    lines: list[tuple[str, str]] = attrs.field(factory=list)
    _open: str | None = None
    _calls: dict[str, int] = attrs.field(factory=dict)

    def take(self, update: Update) -> None:
        """Show one more update."""
        match update.kind:
            case "user_message_chunk":
                self.lines.append(("user", update.text))
            case "_message_start":
                self._open = ""
            case "agent_message_chunk":
                self._open = (self._open or "") + update.text
            case "_message_end":
                if update.status != "discarded" and self._open is not None:
                    self.lines.append(("assistant", self._open))
                self._open = None
            case "tool_call":
                self._calls[update.call_id] = len(self.lines)
                self.lines.append(("tool", ""))
            case "tool_call_update":
                self.lines[self._calls[update.call_id]] = ("tool", update.text)

    @classmethod
    def of(cls, messages: list[Message]) -> list[tuple[str, str]]:
        """The lines that a history would have."""
        return [(message.role, message.text) for message in messages]

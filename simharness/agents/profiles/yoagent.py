"""yoagent: the loop of the Rust crate of that name, its promises and its words.

Its state after change #244, as its hook-order test pins it. What it did before, and what it still
does wrong, are mutants. The words are those of that test: MS, MU and ME are the start, an update
and the end of a message, TES and TEE those of a tool, `A(Stop)` an assistant message and why it
stopped, `TR(true)` a result that is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simharness.agents.profiles.profile import Profile
from simharness.agents.reference.contract import CONTRACT
from simharness.contract import Contract
from simharness.trace import (
    AgentEnd,
    AgentStart,
    HookCalled,
    InputRejected,
    LoopDetected,
    Message,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ProviderRetry,
    Record,
    RequestMade,
    TerminalTaken,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolStarted,
    TurnEnd,
    TurnStart,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CANCELLED", "YOAGENT", "projection"]

CANCELLED = "[Agent stopped: cancelled]"
"""What the model reads of a run that was stopped between two of its answers."""

_LIMITS = {"turn limit": "Max turns reached"}
"""Its words for a limit, where they are known and differ from those of the loop."""

_STOPS: Mapping[str, str] = {
    "stop": "Stop",
    "tool_calls": "ToolUse",
    "length": "Length",
    "refusal": "Refusal",
}
"""Its stop reasons by those of a finish."""

_HOOKS: Mapping[str, str] = {
    "turn_note": "turn_hook",
    "on_error": "on_error",
    "after_turn": "on_after_turn",
}
_CHAINS = frozenset({"input_filter", "middleware"})


def projection(records: Sequence[Record]) -> list[str]:
    """Write records as the hook-order test of yoagent does."""
    writer = _Writer()
    return [word for record in records for word in writer.words(record)]


class _Writer:
    """Writes one record after the other; what a message does not say follows from those before."""

    def __init__(self) -> None:
        self._turn = 0
        self._terminal: TerminalTaken | None = None  # of the latest request
        self._kept: list[str] = []  # the assistant messages of the run, as they ended

    def words(self, record: Record) -> Iterator[str]:
        """The words for one record, if there are any."""
        match record:
            case AgentStart():
                self._kept.clear()
                yield "tool_source"  # the tools of a run are looked up when it is opened
                yield "AgentStart"
            case TurnStart(turn):
                self._turn = turn
                yield "TurnStart"
            case RequestMade():
                self._terminal = None
                yield "provider.stream"
            case TerminalTaken():
                self._terminal = record
            case HookCalled(name, number):
                yield from self._hook(name, number)
            case AgentEnd(messages=messages):
                yield f"AgentEnd[{', '.join(self._listed(messages))}]"
                self._terminal = None
            case MessageStart(message):
                yield f"MS {self._message(message)}"
            case MessageEnd():
                yield f"ME {self._ended(record)}"
            case _:
                yield from _plain(record)

    def _ended(self, end: MessageEnd) -> str:
        """A message at its end. One that is not kept belongs to an attempt that came to nothing."""
        if end.discarded:
            return "A(Error)"
        said = self._message(end.message)
        if end.message.role == "assistant":
            self._kept.append(said)
        return said

    def _message(self, message: Message) -> str:
        """A message; at its start a streamed one has no other reason yet than Stop."""
        return self._assistant(message) if message.role == "assistant" else _said(message)

    def _assistant(self, message: Message) -> str:
        """An assistant message: it stopped for the reason with which its stream did."""
        terminal = self._terminal
        if message.interrupted:
            return "A(Aborted)"
        if terminal is None:
            return "A(Stop)"
        if terminal.kind == "close":  # an answer all the same
            return "A(ToolUse)" if message.calls else "A(Stop)"
        reason = terminal.detail if terminal.kind == "finish" else ""
        return f"A({_STOPS.get(reason, 'Error')})"

    def _listed(self, messages: Sequence[Message]) -> Iterator[str]:
        """The messages of a run; an assistant message that had no events is the latest one."""
        ended = iter(self._kept)
        for message in messages:
            if message.role == "assistant":
                yield next(ended, None) or self._assistant(message)
            else:
                yield _said(message)

    def _hook(self, name: str, number: int) -> Iterator[str]:
        """A hook; turns and the links of a chain count from 0."""
        if name == "before_turn":
            yield f"on_before_turn {self._turn - 1}"
        elif name in _CHAINS:
            yield f"{name}{number - 1}"
        elif name in _HOOKS:
            yield _HOOKS[name]


def _plain(record: Record) -> Iterator[str]:
    """The words for a record that stands for itself."""
    match record:
        case MessageUpdate():
            yield "MU"
        case ToolExecutionStart(name=name):
            yield f"TES {name}"
        case ToolStarted(name=name, args=args):
            yield f"tool.execute {name}" if not json.loads(args) else f"tool.execute {name} {args}"
        case ToolExecutionEnd(name=name, is_error=is_error):
            yield f"TEE {name} err={_flag(is_error)}"
        case TurnEnd(tool_results=results):
            yield f"TurnEnd {len(results)}"
        case LoopDetected(aborted=aborted):
            yield f"LoopDetected aborted={_flag(aborted)}"
        case ProviderRetry() | InputRejected():
            yield type(record).__name__


def _said(message: Message) -> str:
    """A message of the user or of a tool; what the loop put into the mouth of the user is shown."""
    if message.role == "tool":
        return f"TR({_flag(message.is_error)})"
    if message.text == CANCELLED:
        return "CANC"
    if not message.text.startswith("[Agent stopped: "):
        return message.role
    for ours, theirs in _LIMITS.items():
        if ours in message.text:
            return message.text.replace(ours, theirs)
    return message.text


def _flag(value: bool) -> str:
    return "true" if value else "false"


YOAGENT = Profile(
    name="yoagent",
    about="the loop of the Rust crate yoagent: a cut answer leaves an empty message",
    contract=CONTRACT.overridden(
        Contract(
            cut_message="emptied",
            cut_mark="stop-reason",
            cancel_marker=f"user-message({CANCELLED})",
            cancel_marker_when="calls-cut",
            empty_cancel="empty-message",
            retried_attempt="announced",
            failed_final="empty-message",
            empty_answer="kept",
            silent_close="completed",
            hooks_after_cancel="rest-of-chain",
            retry_after_visible_output="with-boundary",
            abort_visible="yes",
        )
    ),
    projection=projection,
)

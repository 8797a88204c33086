"""The profile `deepseek-harness`: the loop as DeepSeek Harness (dsh) behaves, in its words.

dsh keeps one append-only session log; the projection writes its entries as version 0.1.0-rc.8 does.
A turn there is a run here, and a step there a turn here. What is not durable there (status, inbox,
request headers) is left out, and so is what that version has no entry for: the record of an attempt
that left nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.profiles.profile import Profile
from simharness.agents.reference import CONTRACT
from simharness.agents.reference.repair import NOT_STARTED, OUTCOME_UNKNOWN
from simharness.agents.reference.tools import ABORTED, NO_SUCH_TOOL, NOT_RUN_CANCELLED
from simharness.contract import Contract
from simharness.storing import SessionLoaded
from simharness.trace import (
    AgentEnd,
    AgentStart,
    Call,
    CancelCalled,
    ChunkTaken,
    HookCalled,
    LogRow,
    Message,
    MessageEnd,
    Outcome,
    ProviderRetry,
    Reasoning,
    RequestMade,
    TerminalTaken,
    Text,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
    UsageTaken,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.trace import Record

__all__ = ["DEEPSEEK_HARNESS", "SessionLog", "projection"]

_CHUNKS = {"text": "text-delta", "reasoning": "reasoning-delta", "args": "tool-call-delta"}
_BLOCKS: dict[type, str] = {Text: "text", Reasoning: "reasoning", Call: "tool-call"}
_FINISHES = {"tool_calls": "tool-calls", "length": "max-tokens"}
_LIMITS = {"length": "max-tokens", "before-turn": "blocked"}
_FAILURES = {"error": "{failure}", "aborted": "{ABORTED}", "raise": "{UNKNOWN}"}
"""What is known of a failure, by how its stream reported it; the first brings its own code."""
_CODES = {
    ABORTED: "ABORTED",
    NOT_RUN_CANCELLED: "ABORTED_BEFORE_DISPATCH",
    NOT_STARTED: "TOOL_NOT_STARTED",
    OUTCOME_UNKNOWN: "TOOL_OUTCOME_UNKNOWN",
    NO_SUCH_TOOL: "UNKNOWN_TOOL",
}
"""The code of an error result, by how its text begins. An error that a tool raises has none."""


def projection(records: Sequence[Record]) -> list[str]:
    """The session log that dsh would hold after `records`."""
    log = SessionLog()
    for record in records:
        log.read(record)
    return log.entries


class SessionLog:
    """The entries so far, and what later ones repeat.

    `_opened` are starts that are written with the first entry behind them: a turn that is cancelled
    while it is announced, and a step that is refused, are never written.
    """

    def __init__(self) -> None:
        self.entries: list[str] = []
        self._opened: list[str] = []
        self._run = 0
        self._cancelled = False
        self._retrying = False
        self._committed = False
        self._usage = ""
        self._failure = ""

    def read(self, record: Record) -> None:
        """Write what a record of the life cycle stands for."""
        match record:
            case AgentStart():
                self._run, self._cancelled = record.run, False
                self._opened = ["turn/start"]
            case HookCalled("input_filter"):
                self._write()  # it stands in the turn, in front of the first step
            case CancelCalled() if record.run == self._run:
                self._cancelled = True
            case TurnStart():
                self._write()
                self._opened = ["step/start"]
            case ToolExecutionStart(call_id):
                self._write(f"tool/call {call_id}")
            case MessageEnd(message, discarded=False):
                self._write(self._message(message))
            case ProviderRetry():
                self._retrying = True
                self._write("llm/retry")
            case TurnEnd():
                self._close("step/end")
            case AgentEnd():
                self._end(record)
            case SessionLoaded(messages):
                self._repair(messages)
            case _:
                self._read_stream(record)

    def _read_stream(self, record: Record) -> None:
        """Write what was read of a model stream; nothing of what comes after the cancel."""
        match record:
            case RequestMade():
                self._usage, self._committed = "", False
                self._write(*["llm/retry-started"] * self._retrying)
                self._retrying = False
            case ChunkTaken() if not self._cancelled:
                self._chunk(_CHUNKS.get(record.kind, record.kind))
            case UsageTaken() if not self._cancelled:
                self._usage = f" + usage {record.input}/{record.output}"
                self._chunk("usage")
            case TerminalTaken(kind=kind, detail=detail, answering=False) if not self._cancelled:
                self._failure = _FAILURES.get(kind, "")
                if kind != "close":
                    self._chunk(f"finish {_finish(kind, detail)}")
            case LogRow(success=True) if not self._committed:
                self._write(self._message(Message("assistant")))

    def _write(self, *entries: str) -> None:
        self.entries += [*self._opened, *entries]
        self._opened = []

    def _chunk(self, what: str) -> None:
        self._write(f"assistant/chunk {what}")

    def _close(self, entry: str) -> None:
        """Write an end, unless nothing has been written since its start."""
        if self._opened:
            self._opened = []
        else:
            self._write(entry)

    def _message(self, message: Message) -> str:
        if message.role == "tool":
            return f"tool/result {message.call_id} {_result(message)}"
        if message.role != "assistant":
            return f"{message.role}/message"
        self._committed = True
        blocks = ", ".join(_BLOCKS.get(type(block), "opaque") for block in message.blocks)
        mark = " interrupted" if message.interrupted else ""
        return f"assistant/message[{blocks}]{mark}{self._usage}"

    def _end(self, end: AgentEnd) -> None:
        if end.outcome is Outcome.CANCELLED:
            self._close(f"turn/end aborted{{{end.cause}}}")
        else:
            self._write(f"turn/end {self._reason(end)}")

    def _reason(self, end: AgentEnd) -> str:
        match end.outcome:
            case Outcome.FAILED:
                return f"error{self._failure}"
            case Outcome.REJECTED:
                return "blocked"
            case Outcome.LIMIT:
                return _LIMITS.get(end.cause, end.cause)
        return str(end.outcome)

    def _repair(self, messages: Sequence[Message]) -> None:
        """Close what the program had left open when it ended."""
        self._opened = []
        for message in messages:
            if message.role == "tool" and not self._has(f"tool/result {message.call_id} "):
                self._write(self._message(message))
        for name, end in (("step", "step/end"), ("turn", "turn/end interrupted")):
            if self._has(f"{name}/start", more_than=f"{name}/end"):
                self._write(end)

    def _has(self, begin: str, *, more_than: str = "") -> bool:
        """Whether an entry begins so; or more of them do than begin otherwise."""
        count = sum(entry.startswith(begin) for entry in self.entries)
        least = sum(entry.startswith(more_than) for entry in self.entries) if more_than else 0
        return count > least


def _finish(kind: str, detail: str) -> str:
    """The reason of a finish chunk. What a stream raises becomes one, too."""
    if kind == "finish":
        return _FINISHES.get(detail, detail)
    return "aborted" if kind == "aborted" else "error"


def _result(message: Message) -> str:
    if not message.is_error:
        return "ok"
    codes = (code for text, code in _CODES.items() if message.text.startswith(text))
    return " ".join(["error", *codes])


DEEPSEEK_HARNESS = Profile(
    name="deepseek-harness",
    about="DeepSeek Harness 0.1.0-rc.8: what was shown is kept, late results are aborted errors",
    contract=CONTRACT.overridden(
        Contract(
            empty_cancel="nothing",
            late_tool_result="aborted-error",
            silent_close="completed",
            cause_precedence="first",
            turn_scope="run",
            retry_after_visible_output="with-boundary",
        )
    ),
    projection=projection,
)

"""The profile `tunacode`: the loop as TunaCode 0.2.3 behaves where it does as its own rules say.

TunaCode cancels by `task.cancel()`, keeps what it showed of a cut answer as text behind a mark, and
saves its session after each request. Its loop is that of tinyagent, whose events the projection
writes: MS, MU and ME are the start, an update and the end of a message, TS and TE those of a tool,
`asst/x` an assistant message that stopped with x. What it does wrong are mutants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.profiles.profile import Profile
from simharness.agents.reference import CONTRACT
from simharness.contract import Contract
from simharness.storing import StoreFlushed
from simharness.trace import (
    AgentEnd,
    AgentStart,
    Message,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    TerminalTaken,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simharness.trace import Record

__all__ = ["INTERRUPTED", "TUNACODE", "projection"]

INTERRUPTED = "[INTERRUPTED]\n\n"
"""What stands in front of the text of a cut answer."""

_FINISHES = {"tool_calls": "tool_calls", "length": "length"}
"""Its stop reasons by those of a finish, where they are not `complete`."""


def projection(records: Sequence[Record]) -> list[str]:
    """Write records as the events of tinyagent, and the saves of the session."""
    stopped = "complete"
    words: list[str] = []
    for record in records:
        if isinstance(record, TerminalTaken):
            stopped = _stop_reason(record)
        words += _words(record, stopped)
    return words


def _words(record: Record, stopped: str) -> Iterator[str]:
    match record:
        case AgentStart() | TurnStart():
            yield type(record).__name__
        case MessageStart(message):
            yield f"MS({'asst' if message.role == 'assistant' else _said(message, stopped)})"
        case MessageUpdate():
            yield "MU"
        case MessageEnd(message=message, discarded=False):
            yield f"ME({_said(message, stopped)})"
        case ToolExecutionStart(name=name):
            yield f"TS {name}"
        case ToolExecutionEnd(name=name, is_error=is_error):
            yield f"TE {name}{' error' if is_error else ''}"
        case TurnEnd(tool_results=results):
            yield f"TurnEnd({len(results)})"
        case AgentEnd(messages=messages):
            yield f"AgentEnd[{', '.join(_role(message) for message in messages)}]"
        case StoreFlushed():
            yield "save_session"


def _stop_reason(terminal: TerminalTaken) -> str:
    if terminal.kind == "finish":
        return _FINISHES.get(terminal.detail, "complete")
    return "complete" if terminal.kind == "close" else "error"


def _said(message: Message, stopped: str) -> str:
    if message.role == "assistant":
        return f"asst/{'aborted' if message.interrupted else stopped}"
    return _role(message)


def _role(message: Message) -> str:
    return {"assistant": "asst", "tool": "tr"}.get(message.role, message.role)


TUNACODE = Profile(
    name="tunacode",
    about="TunaCode 0.2.3: the text of a cut answer stays behind a mark, its session is a file",
    contract=CONTRACT.overridden(
        Contract(
            cut_message="text-only",
            cut_mark=f"text({INTERRUPTED})",
            empty_cancel="nothing",
            late_tool_result="aborted-error",
            failed_final="empty-message",
            silent_close="completed",
        )
    ),
    projection=projection,
)

"""The words of Connectome: its trace events, and what it says elsewhere about a stream.

One stream there is one run here, with all its requests: a request behind a round of tools resumes
it. The row of the log is written once for it, behind the terminal. What happens to the context, the
streak, a batch of results and the caller of an ephemeral run stands between the trace events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.trace import (
    ActionTaken,
    AgentEnd,
    AgentStart,
    BatchPending,
    BatchSettled,
    FailureCounted,
    LogLost,
    LogRow,
    MessageEnd,
    MessageUpdate,
    Notice,
    Outcome,
    PhaseChanged,
    PromptCalled,
    ProviderRetry,
    RequestMade,
    RunSettled,
    StreamRestarted,
    TerminalTaken,
    ToolExecutionEnd,
    ToolStarted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simharness.trace import Record

__all__ = ["projection"]

_MARKS = {"shutdown": "shutdown", "disposed": "disposed", "quiesce": "quiesce_abandoned"}
"""Its marks by our causes: who stops a run there on behalf of the framework."""

_REJECTS = {"shutdown": "Framework shutting down", "quiesce": "Turn abandoned by operator quiesce"}
"""What the caller of an ephemeral run is told of a stop by the framework; else it was cancelled."""

_NOTICES = {
    "alert": "ops:alert",
    "interruption": "message:added [turn-interrupted]",
    "round-dropped": "tool:result_dropped",
    "unabandonable": "unabandonable",
}
_HOST = {"quiesce": "host:quiesce", "resume": "host:resume"}
_NOTES = ("[turn-interrupted]", "[inference-failed]")


def projection(records: Sequence[Record]) -> list[str]:
    """Write records in the words of Connectome."""
    streams: dict[int, _Stream] = {}
    words: list[str] = []
    for record in records:
        words += streams.setdefault(record.run, _Stream()).words(record)
    return words


class _Stream:
    """Writes one run; what a record does not say follows from those before."""

    def __init__(self) -> None:
        self._ephemeral = False
        self._resumes = False  # the next request goes on where tools have answered
        self._terminal: TerminalTaken | None = None
        self._end: AgentEnd | None = None
        self._error = ""  # of the last row
        self._used: list[tuple[int, int]] = []
        self._lost = False  # the log could not be written
        self._ran: set[str] = set()  # calls whose bodies began

    def words(self, record: Record) -> Iterator[str]:
        """The words for one record, if there are any."""
        match record:
            case PromptCalled(session=session):
                self._ephemeral = session.startswith("ephemeral")
            case RequestMade():
                yield "inference:stream_resumed" if self._resumes else "inference:started"
                self._resumes = False
            case TerminalTaken():
                self._terminal = record
            case LogRow() | LogLost():
                self._account(record)
            case AgentEnd():
                self._end = record
                yield from self._ended(record)
            case RunSettled() if self._ephemeral:
                yield f"ephemeral {self._settled(record)}"
            case _:
                yield from self._within(record)

    def _within(self, record: Record) -> Iterator[str]:
        """What happens in the middle of a stream."""
        match record:
            case PhaseChanged("tools"):
                self._resumes = True
                yield "inference:tool_calls_yielded"
            case ToolStarted(call_id=call_id, name=name):
                self._ran.add(call_id)
                yield f"tool:started {name}"
            case ToolExecutionEnd(call_id=call_id, name=name) if call_id in self._ran:
                yield f"tool:{'failed' if record.is_error else 'completed'} {name}"
            case FailureCounted(streak):
                if not self._aborted():  # that is traced by the exhaustion alone
                    yield "inference:failed"
                yield f"streak {streak}"
            case ProviderRetry():
                yield self._row(self._reason())
            case StreamRestarted(reason=reason):
                yield f"inference:stream_restarted{{{reason}}}"
                yield self._row("", reason)
            case _:
                yield from _plain(record)

    def _account(self, row: LogRow | LogLost) -> None:
        """Keep what the row of the whole stream will say."""
        self._lost = self._lost or isinstance(row, LogLost)
        if row.usage is not None:
            self._used.append(row.usage)
        if isinstance(row, LogRow):
            self._error = row.error

    def _ended(self, end: AgentEnd) -> Iterator[str]:
        """The one terminal trace of a stream, then its usage and its row in the log."""
        match end.outcome:
            case Outcome.REJECTED:
                return
            case Outcome.CANCELLED:
                yield f"inference:aborted{{{_MARKS.get(end.cause, end.cause)}}}"
                lifecycle, error, reason = "aborted", _stopped(end.cause), ""
            case Outcome.FAILED:
                yield f"inference:exhausted{{{self._reason()}}}"
                lifecycle, error, reason = "failed", self._reason(), ""
            case _:
                reason = "turn_ended" if end.cause == "end-turn" else ""
                if reason:
                    yield "inference:turn_ended"
                yield "inference:completed"
                lifecycle, error = "completed", ""
        if self._used:
            yield "usage:updated"
        yield self._row(error, reason)
        yield f"lifecycle {lifecycle}"

    def _row(self, error: str, reason: str = "") -> str:
        """The row of a stream, with all that it used, which is then booked."""
        used = tuple(map(sum, zip(*self._used, strict=True)))
        lost, self._lost = self._lost, False
        self._used.clear()
        if lost:
            return "log lost"
        said = f"failed {{{error}}}" if error else f"ok {{{reason}}}" if reason else "ok"
        return f"log {said} {list(used)}" if used else f"log {said}"

    def _aborted(self) -> bool:
        return self._terminal is not None and self._terminal.kind == "aborted"

    def _reason(self) -> str:
        """Why a stream failed: in its own words, whether or not they could be logged."""
        match self._terminal:
            case TerminalTaken(kind="aborted", detail=detail):
                return f"Stream aborted: {detail}"
            case TerminalTaken(kind="raise", detail=detail):
                return f"Stream threw: {detail}"
            case TerminalTaken(kind="error", detail=detail):
                return detail
            case TerminalTaken(kind="close"):
                return "Stream ended without an end"
        return self._error

    def _settled(self, settled: RunSettled) -> str:
        """What became of the promise that the caller of an ephemeral run holds."""
        if settled.how == "returned":
            return "resolves"
        end = self._end
        if end is not None and end.outcome is Outcome.FAILED:
            return f"rejects {self._reason()}"
        return f"rejects {_REJECTS.get(end.cause if end else '', 'Stream cancelled')}"


def _stopped(cause: str) -> str:
    """What the row of a stopped stream says."""
    if cause in _MARKS:
        return f"Stream aborted: {_MARKS[cause]}"
    return f"Stream cancelled ({cause})"


def _plain(record: Record) -> Iterator[str]:
    """The words for a record that stands for itself."""
    match record:
        case AgentStart():
            yield "lifecycle started"
        case MessageUpdate():
            yield "inference:tokens"
        case MessageEnd(message=message) if message.text in _NOTES:
            yield f"message:added {message.text}"
        case PhaseChanged("idle"):
            yield "state idle"
        case BatchPending():
            yield "batch pending"
        case BatchSettled(aborted=aborted):
            yield "batch aborted" if aborted else "batch settled"
        case Notice(kind) if kind in _NOTICES:
            yield _NOTICES[kind]
        case ActionTaken(action) if (verb := action.partition(" ")[0]) in _HOST:
            yield _HOST[verb]

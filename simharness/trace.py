"""Records and traces: everything one trial leaves behind.

*Witnessed* records are made by the harness at its own seams. *Reported* records are what the agent
says about itself. A record is built without position; the trace stamps number, virtual time and run
when it is added, exactly once. Records hold numbers and virtual times, never loop iterations or
addresses, so the text form of a trace is the same in every process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeVar

from simharness.messages import (
    Block as Block,
    Call as Call,
    Message as Message,
    Opaque as Opaque,
    Reasoning as Reasoning,
    Role as Role,
    Text as Text,
    assistant as assistant,
    tool_result as tool_result,
    user as user,
)
from simharness.records import (
    Outcome as Outcome,
    Projection as Projection,
    Record as Record,
    Reported as Reported,
    Witnessed as Witnessed,
    record as _record,
)
from simharness.stoprecords import (
    AnswerReturned as AnswerReturned,
    BatchPending as BatchPending,
    BatchSettled as BatchSettled,
    ClientRenewed as ClientRenewed,
    ClientUnusable as ClientUnusable,
    LogLost as LogLost,
    PromptDeferred as PromptDeferred,
    ReplayTaken as ReplayTaken,
    StreamRestarted as StreamRestarted,
    TurnEndAsked as TurnEndAsked,
)


@_record
class PromptCalled(Witnessed):
    """The user prompted the agent; opens run `run`."""

    text: str
    session: str = ""


@_record
class RunSettled(Witnessed):
    """`prompt` returned, raised or was exhausted: the agent itself says that it is finished.

    `how` is returned, raised, cancelled (a CancelledError came out), closed or broke (the consumer
    left). `outcome` is what the agent reported through its return or exception, if anything.
    """

    how: str
    error: str = ""
    outcome: Outcome | None = None


@_record
class RequestMade(Witnessed):
    """A model request arrived, with its exact messages. `request` counts from 1 within the run.

    `told`: made by the very step from inside which the cancel was called. `tools` are the names
    offered to the model.
    """

    request: int
    messages: tuple[Message, ...]
    streaming: bool = True
    told: bool = False
    tools: tuple[str, ...] = ()


@_record
class Unscripted(Witnessed):
    """The request lies beyond the script and was answered with plain text."""

    request: int


@_record
class ChunkArrived(Witnessed):
    """The stream put chunk `chunk` (from 1, as written) into the stream object.

    `kind` is text, reasoning, opaque or args. For args `call_id`, `name` and `index`, the place of
    the call in its message, say whose: one id may be sent for two calls. Index -1: of no call, as
    the one that stood in its place had been ended; then id and name are what was sent.
    """

    request: int
    chunk: int
    kind: str
    text: str
    call_id: str = ""
    name: str = ""
    index: int = 0


@_record
class ChunkTaken(Witnessed):
    """The agent's read returned chunk `chunk`; fields as in `ChunkArrived`."""

    request: int
    chunk: int
    kind: str
    text: str
    call_id: str = ""
    name: str = ""
    index: int = 0


@_record
class Shown(Witnessed):
    """The agent handed text to its consumer. `request` is the stream it last took from."""

    request: int
    text: str
    reasoning: bool = False


@_record
class UsageTaken(Witnessed):
    """The agent took a usage report."""

    request: int
    input: int
    output: int


@_record
class SignTaken(Witnessed):
    """The agent took something without content that came a while after what was before it.

    A sign of life: the start of a message, say, or a keepalive, and a chunk only later or never.
    """

    request: int


@_record
class TerminalTaken(Witnessed):
    """The agent took the end of a stream: finish, error, aborted, raise or close, with its detail.

    `answering`: it is the stream's answer to having been told of a cancel.
    """

    request: int
    kind: str
    detail: str = ""
    answering: bool = False


@_record
class StreamTold(Witnessed):
    """How a stream learned of a cancel: signal, cancel(), CancelledError or aclose()."""

    request: int
    how: str


@_record
class StreamClosed(Witnessed):
    """The stream was closed: by `aclose`, or because it was read to its end (`end`)."""

    request: int
    by: str


@_record
class ToolStarted(Witnessed):
    """A tool body started. `told` as in `RequestMade`. `thread`: in a worker thread, which asyncio
    cannot stop."""

    call_id: str
    name: str
    args: str
    told: bool = False
    thread: bool = False


@_record
class ToolEffect(Witnessed):
    """The running body did something lasting for the n-th time."""

    call_id: str
    number: int


@_record
class ToolEnded(Witnessed):
    """A tool body ended: returned, raised or cancelled (a CancelledError went through it)."""

    call_id: str
    how: str
    result: str = ""


@_record
class HookCalled(Witnessed):
    """A hook position of the reference loop was entered."""

    name: str
    number: int = 0


@_record
class CancelCalled(Witnessed):
    """The cancel's handle ran (or it was called synchronously, `inside`).

    `way` is API, API_AFTER_TURN, TOKEN, TASK, CLOSE or INTERRUPT, or SHUTDOWN or DISPOSE, by which
    the framework stops a run. `run` is the run it is aimed at.
    """

    way: str
    reason: str = ""
    inside: bool = False


@_record
class CancelEffective(Witnessed):
    """The first quiet point after a cancel: what starts from here on is too late."""


@_record
class ActionTaken(Witnessed):
    """Another user action was delivered, by its label.

    `text`: what the user said by it; "abandon" for a quiesce that stops what does not end.
    """

    action: str
    text: str = ""


@_record
class ActionDropped(Witnessed):
    """An action whose anchor was not reached before its run settled."""

    action: str


@_record
class HistoryRead(Witnessed):
    """What the agent displays as its history after a run has settled."""

    messages: tuple[Message, ...]


@_record
class LoopBlocked(Witnessed):
    """The loop thread slept for `seconds` of virtual time."""

    seconds: float


@_record
class LoopError(Witnessed):
    """What reached the loop's exception handler."""

    message: str
    error: str


@_record
class LeftBehind(Witnessed):
    """Something that outlived its run.

    `kind` is leaked-task, leaked-timer, leaked-generator, leaked-thread, unclosed-stream or
    unretrieved-exception. `final` is False at the settling and True 30 virtual seconds after it.
    """

    kind: str
    what: str
    final: bool


@_record
class LimitHit(Witnessed):
    """The trial was ended by a limit: deadlock, livelock, step-limit, virtual-time-limit,
    wall-limit, memory-limit, process-death or agent-exit; of an agent in another process
    child-exit, child-silence, child-garbage or child-flood."""

    limit: str
    detail: str


@_record
class AgentStart(Reported):
    """The run begins."""

    family: ClassVar[str] = "agent"


@_record
class AgentEnd(Reported):
    """The run is over. An adapter leaves `outcome` None if the event does not say.

    `usage` is the sum over the streams of the run that reported any.
    """

    family: ClassVar[str] = "agent"
    outcome: Outcome | None = None
    cause: str = ""
    messages: tuple[Message, ...] = ()
    usage: tuple[int, int] | None = None


@_record
class TurnStart(Reported):
    """A turn begins; `turn` counts from 1 within the run."""

    family: ClassVar[str] = "turn"
    turn: int


@_record
class TurnEnd(Reported):
    """A turn is over."""

    family: ClassVar[str] = "turn"
    turn: int
    message: Message | None = None
    tool_results: tuple[Message, ...] = ()


@_record
class MessageStart(Reported):
    """A message begins; for a streamed one `message` is a placeholder."""

    family: ClassVar[str] = "message"
    message: Message


@_record
class MessageUpdate(Reported):
    """More of the open message was shown."""

    family: ClassVar[str] = "message"
    text: str
    reasoning: bool = False


@_record
class MessageEnd(Reported):
    """A message is complete; `discarded` says that it is not kept."""

    family: ClassVar[str] = "message"
    message: Message
    discarded: bool = False


@_record
class StreamEnd(Reported):
    """The live stream's last frame; `attempt` counts from 1 within the run.

    `stream` as in `AttemptKept`, for a message that was cut.
    """

    family: ClassVar[str] = "stream"
    attempt: int
    stream: tuple[tuple[float, str, str], ...] = ()


@_record
class ToolExecutionStart(Reported):
    """The agent says it begins with a call, run or not."""

    family: ClassVar[str] = "tool"
    call_id: str
    name: str
    args: str


@_record
class ToolExecutionUpdate(Reported):
    """Progress of a call."""

    family: ClassVar[str] = "tool"
    call_id: str
    partial: str


@_record
class ToolExecutionEnd(Reported):
    """The agent says a call is done."""

    family: ClassVar[str] = "tool"
    call_id: str
    name: str
    result: str
    is_error: bool = False


@_record
class ProviderRetry(Reported):
    """A failed attempt will be tried again after `delay_s`."""

    family: ClassVar[str] = "retry"
    attempt: int
    max_attempts: int
    error: str
    delay_s: float


@_record
class InputRejected(Reported):
    """An input filter refused the prompt."""

    family: ClassVar[str] = "notice"
    reason: str


@_record
class LoopDetected(Reported):
    """The same tool call was repeated."""

    family: ClassVar[str] = "notice"
    tool: str
    repetitions: int
    aborted: bool


@_record
class ContextCompacted(Reported):
    """Older messages were summarised away."""

    family: ClassVar[str] = "notice"


@_record
class Notice(Reported):
    """Something an operator or user is told: alert, interruption, torn-log ..."""

    family: ClassVar[str] = "notice"
    kind: str
    text: str


@_record
class PhaseChanged(Reported):
    """The agent's state: idle, running, streaming, tools ..."""

    family: ClassVar[str] = "phase"
    phase: str


@_record
class AttemptKept(Reported):
    """A discarded stream, kept beside the history with what it had shown and used.

    `stream` is what came and when: virtual seconds since the request, kind of chunk, text.
    """

    family: ClassVar[str] = "attempt"
    attempt: int
    text: str
    usage: tuple[int, int] | None = None
    stream: tuple[tuple[float, str, str], ...] = ()


@_record
class LogRow(Reported):
    """One row of the inference log: one per stream. `error` is empty for a success.

    `reason` is why a stream was given up that did not fail.
    """

    family: ClassVar[str] = "log"
    attempt: int
    success: bool
    error: str = ""
    usage: tuple[int, int] | None = None
    reason: str = ""


@_record
class FailureCounted(Reported):
    """The failure streak now stands at `streak`."""

    family: ClassVar[str] = "log"
    streak: int


# --- traces -----------------------------------------------------------------------------------

R = TypeVar("R", bound=Record)


class Trace:
    """The records of one trial in order. Only the world adds to it; rules read it."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._kinds: dict[type[Record], list[Record]] = {}
        self._text: str | None = None  # of the first `_texted` records
        self._texted = 0

    def add(self, record: Record, *, time: float, run: int) -> None:
        """Stamp `record` and append it. Each record is added once."""
        records = self.records
        record.n = len(records)  # type: ignore[misc]
        record.time = time  # type: ignore[misc]
        record.run = run  # type: ignore[misc]
        records.append(record)
        kind = type(record)
        if kind in self._kinds:
            self._kinds[kind].append(record)
        else:
            self._kinds[kind] = [record]

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def of(self, kind: type[R], run: int | None = None) -> list[R]:
        """All records of exactly this class, of one run if given."""
        found: list[R] = self._kinds.get(kind, [])  # type: ignore[assignment]
        return found if run is None else [record for record in found if record.run == run]

    def runs(self) -> range:
        """The numbers of the runs that were prompted."""
        return range(1, len(self.of(PromptCalled)) + 1)

    def between(self, first: int, last: int) -> Sequence[Record]:
        """Records with first < n < last."""
        return self.records[first + 1 : last]

    def text(self) -> str:
        """The byte-exact text form: one line per record, `@seconds` where virtual time moved."""
        if self._text is None or self._texted != len(self.records):
            lines: list[str] = []
            now = -1.0
            for record in self.records:
                if record.time != now:
                    now = record.time
                    lines.append(f"@{now:.6f}")
                lines.append(record.line())
            self._text = "\n".join(lines)
            self._texted = len(self.records)
        return self._text

    def hash(self) -> str:
        """Sixteen hex digits of the text form; equal hashes mean the same interleaving."""
        return hashlib.blake2b(
            self.text().encode("utf-8", "surrogatepass"), digest_size=8
        ).hexdigest()

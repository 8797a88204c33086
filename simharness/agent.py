"""The two protocols between the harness and an agent: what it offers, what the world hands it.

A user brings their own loop under test by implementing `Agent` and a factory
`make(world) -> Agent`; a fresh agent is made for every trial. Everything that must not be forgotten
(which request was made, what a tool body did) is witnessed by the objects of `World`, so an adapter
stays short.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, runtime_checkable

import attrs

from simharness.contract import Contract
from simharness.trace import Message, Outcome, Reported


class CancelWay(enum.StrEnum):
    """How a run is cancelled. The last three are done by the harness, never by an adapter."""

    API = "api"  # the agent's own cancel call
    API_AFTER_TURN = "api-after-turn"  # the agent's graceful cancel
    TOKEN = "token"  # noqa: S105 - a token the agent was handed (World.cancelled)
    TASK = "task"  # task.cancel() on the task that runs prompt()
    CLOSE = "close"  # aclose() on the iterator that prompt() returned
    BREAK = "break"  # the consumer leaves its `async for` without closing
    INTERRUPT = "interrupt"  # Ctrl-C as asyncio.Runner does it


class Style(enum.StrEnum):
    """How the agent runs."""

    ASYNC = "async"
    SYNC = "sync"  # blocking code; runs in a baton thread
    CHILD = "child"  # another process


class NotApplicable(Exception):
    """The agent cannot do what the scenario asks; the case is not applicable, never a failure."""


class AgentUnavailable(Exception):
    """The agent cannot be started here; the text says why, and what to do."""


class ProviderError(Exception):
    """What a scripted stream raises. `retry_after_s` is the provider's own advice, in seconds."""

    def __init__(
        self,
        message: str = "provider error",
        *,
        kind: str = "server",
        retryable: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.retry_after_s = retry_after_s


class StoreError(OSError):
    """What a scripted store raises."""


class ToolFailure(Exception):
    """What a scripted tool raises."""


class LogWriteError(Exception):
    """What `World.report` raises for a row that a scripted log does not take."""


# --- what a model stream yields ---------------------------------------------------------------


@attrs.frozen
class StreamStart:
    """The provider opened the message. May be missing, may come twice."""


@attrs.frozen
class BlockStart:
    """A block opens; `kind` is text, reasoning, opaque or call. Usually left out."""

    kind: str
    index: int


@attrs.frozen
class BlockEnd:
    """A block is complete. Usually left out."""

    kind: str
    index: int


@attrs.frozen
class TextDelta:
    """A piece of visible text. `index` is the block's place in the message."""

    text: str
    index: int = 0


@attrs.frozen
class ReasoningDelta:
    """A piece of reasoning."""

    text: str
    index: int = 0


@attrs.frozen
class OpaqueDelta:
    """A piece of a block of unknown kind."""

    text: str
    index: int = 0


@attrs.frozen
class CallDelta:
    """A piece of a tool call. The first one of a call carries `id` and `name`, later ones none."""

    index: int
    id: str = ""
    name: str = ""
    args: str = ""


@attrs.frozen
class Retrying:
    """The answer begins anew: what the stream sent before is to be discarded."""


@attrs.frozen
class UsageReport:
    """Tokens so far in this stream: cumulative, so a later report overwrites."""

    input: int
    output: int


@attrs.frozen
class KeepAlive:
    """A ping: no content."""


@attrs.frozen
class Malformed:
    """A chunk that a client could not decode."""

    text: str = ""


@attrs.frozen
class Finish:
    """The provider finished: stop, tool_calls, length, refusal, content_filter or incomplete."""

    reason: str = "stop"


@attrs.frozen
class Aborted:
    """The provider says that the stream was aborted. `reason` "user" answers a cancel."""

    reason: str = "user"


@attrs.frozen
class Failed:
    """The provider reports an error inside the stream instead of raising it."""

    error: ProviderError


Chunk = (
    StreamStart
    | BlockStart
    | BlockEnd
    | TextDelta
    | ReasoningDelta
    | OpaqueDelta
    | CallDelta
    | Retrying
    | UsageReport
    | KeepAlive
    | Malformed
    | Finish
    | Aborted
    | Failed
)


@attrs.frozen
class Request:
    """One model request as the agent makes it."""

    messages: tuple[Message, ...]
    tools: tuple[str, ...] = ()
    streaming: bool = True


class Flag(Protocol):
    """Anything that can be asked whether a cancel was called (asyncio.Event, threading.Event)."""

    def is_set(self) -> bool:
        """Whether the cancel was called."""
        ...


class ModelStream(Protocol):
    """One model stream. Reading past its end raises StopAsyncIteration."""

    def __aiter__(self) -> AsyncIterator[Chunk]: ...

    async def __anext__(self) -> Chunk:
        """The next chunk; raises `ProviderError` where the script says `raise`."""
        ...

    def cancel(self) -> None:
        """Tell the stream that its reader does not want it any more."""
        ...

    async def aclose(self) -> None:
        """Close the stream; closing twice is allowed."""
        ...


class ToolSpec(Protocol):
    """One tool of the scenario. Its body witnesses started, effects and ended."""

    @property
    def name(self) -> str:
        """The tool's name."""
        ...

    @property
    def schema(self) -> Mapping[str, object]:
        """JSON Schema of the arguments."""
        ...

    @property
    def ends_turn(self) -> bool:
        """Whether a result of it ends the turn, so that nothing more is asked of the model."""
        ...

    async def call(self, args: object, *, call_id: str, cancelled: Flag | None = None) -> str:
        """The body for async tools; raises `ToolFailure` where the script says `raises`.

        `args` is what the agent decided to pass: a mapping or JSON text. `cancelled` lets the body
        see the cancel through its context, for agents that have such a context.
        """
        ...

    def call_sync(self, args: object, *, call_id: str) -> str:
        """The body for sync tools: blocks its thread for as long as the script says."""
        ...


class CancelView(Flag, Protocol):
    """The token of a TOKEN cancel, in the faces that frameworks ask for."""

    def __call__(self) -> bool:
        """Same as `is_set`, for frameworks that take a callable."""
        ...

    async def wait(self) -> None:
        """Wait until the cancel is called."""
        ...


class SessionStore(Protocol):
    """One append-only text file that outlives the process of the agent."""

    async def append(self, line: str) -> None:
        """Write `line` and a newline at the end. Raises `StoreError` where the script says so."""
        ...

    async def flush(self) -> int:
        """Make sure that what was written stays (fsync); the size of the file in characters."""
        ...

    def load(self) -> str:
        """The whole file. Its last line may lack its newline, after a kill during a write."""
        ...


class World(Protocol):
    """What the harness hands to an agent factory."""

    @property
    def store(self) -> SessionStore | None:
        """The store of the session; None where the scenario has none."""
        ...

    @property
    def cancelled(self) -> CancelView:
        """The token that a TOKEN cancel sets; one for the run in progress."""
        ...

    def stream(self, request: Request, *, signal: Flag | None = None) -> ModelStream:
        """Make a model request. `signal` is looked at once per loop boundary, as by a provider."""
        ...

    def transport(self, library: str) -> Any:
        """An async transport of `library`, httpx or httpx2, behind which the scripts play.

        For agents with a client of their own: give it to `AsyncClient(transport=...)`.
        """
        ...

    def tools(self) -> Sequence[ToolSpec]:
        """The scenario's tools."""
        ...

    def renew_client(self) -> None:
        """Use a new model client from now on; without effect while the old one is as good."""
        ...

    def report(self, record: Reported) -> None:
        """Add what the agent says about itself to the trace.

        Raises `LogWriteError` for a `LogRow` that a scripted log does not take.
        """
        ...

    def shown(self, text: str, *, reasoning: bool = False) -> None:
        """Say that text was handed to the consumer (callback-style agents, and item adapters)."""
        ...

    async def wait(self, name: str, seconds: float) -> None:
        """A wait that scenarios can anchor to (`during: backoff`). For loops written for us."""
        ...

    def hook(self, name: str, number: int = 0) -> None:
        """Witness that a hook position was entered. For loops written for us."""
        ...


@runtime_checkable
class Agent(Protocol):
    """One agent under test. See docs/agents.md for a loop of one's own in forty lines.

    `seam` is "stream", "wire:<kind>" or "child". Optional methods, looked up by name: `cancel`,
    `history`, `configure`, `script_hooks`, `outcome_of`, `steer`, `follow_up`, `continue_`,
    `ephemeral`, `shutdown`, `quiesce`, `resume`, `context_restart`, `dispose`, `approve`, `close`,
    `load`, `stored`, `fork`. Optional attributes, all `True`: `ends_turns` (it looks at
    `ToolSpec.ends_turn`), `renews_client` (it calls `World.renew_client`) and `begins_anew` (it
    knows `Retrying`). A scenario that needs what is missing is not applicable.
    """

    name: str
    version: str
    contract: Contract
    seam: str
    style: Style
    cancel_ways: frozenset[CancelWay]

    def prompt(
        self, text: str
    ) -> (
        Awaitable[None] | AsyncIterator[object] | AbstractAsyncContextManager[AsyncIterator[object]]
    ):
        """Run one prompt until the agent itself says that it is finished; raise what it raises.

        An agent with an iterator gives it to the harness, which is then the consumer. One whose
        iterator has to be used within `async with` gives the context manager. An agent that
        declares `streaming: both` also takes `stream=False`, see `SupportsPlain`.
        """
        ...


AgentFactory = Callable[[World], Agent]


class SupportsPlain(Protocol):
    """An agent that declares `streaming: both`: it can also make plain requests."""

    def prompt(self, text: str, *, stream: bool = True) -> object:
        """As `Agent.prompt`; without `stream` each request asks for the whole answer at once.

        Such requests are made with `Request(streaming=False)`, and their stream is read to its end
        before anything of it is acted on or shown.
        """
        ...


class SupportsCancel(Protocol):
    """An agent with a cancel call of its own."""

    def cancel(self, way: CancelWay, reason: str) -> Awaitable[None] | None:
        """Cancel the run in progress by API, API_AFTER_TURN or TOKEN."""
        ...


class SupportsStops(Protocol):
    """An agent whose framework stops its runs: all of them, those of `ephemeral` included.

    An awaitable is awaited beside the runs, as its caller would. `drain_s` is how long runs may go
    on to their own end first.
    """

    def shutdown(self, drain_s: float = 0.0) -> Awaitable[None] | None:
        """Stop for good; later prompts are refused."""
        ...

    def quiesce(self, drain_s: float | None = None, abandon: bool = False) -> Awaitable[None]:
        """Let no new run begin until `resume`; wait for the others, or at last abandon them."""
        ...

    def resume(self) -> None:
        """Go on after `quiesce`; prompts that came meanwhile are served."""
        ...

    def dispose(self) -> None:
        """Be gone at once."""
        ...


class SupportsRestart(Protocol):
    """An agent that gives up a stream for one with a smaller context."""

    def context_restart(self, reason: str = "") -> None:
        """Give up the stream in progress; its turn goes on with a new one. No stop."""
        ...


class SupportsEphemeral(Protocol):
    """An agent with runs of their own beside the conversation."""

    def ephemeral(self, text: str) -> Awaitable[object]:
        """Run `text` on its own; raise what failed, and where it was stopped that it was."""
        ...


class SupportsHistory(Protocol):
    """An agent that displays its history."""

    def history(self) -> list[Message] | None:
        """The messages it displays; evidence beside the next request. None: it cannot say now."""
        ...


class SupportsSession(Protocol):
    """An agent that keeps its session in `World.store`."""

    def load(self) -> Awaitable[None] | None:
        """Take up the session in the store, repaired; called before anything else is asked."""
        ...

    def stored(self, text: str) -> list[Message]:
        """The history that a store with this text holds. It is not repaired, and never raises."""
        ...


class SupportsFork(Protocol):
    """An agent whose sessions can fork."""

    def fork(self, text: str, turn: int | None) -> list[str]:
        """The lines of a session that goes on behind turn `turn` of the one with this text."""
        ...


class SupportsConfigure(Protocol):
    """An agent that takes the scenario's `agent:` settings."""

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Apply `settings`; return the names of those it could NOT apply."""
        ...


class SupportsHooks(Protocol):
    """An agent whose hooks a scenario can script."""

    def script_hooks(self, hooks: Mapping[str, object]) -> set[str]:
        """Install `hooks`, position by position; return the positions it could NOT apply."""
        ...


class SupportsOutcome(Protocol):
    """An agent whose return or exception names an outcome."""

    def outcome_of(self, exc: BaseException | None) -> Outcome | None:
        """The outcome reported by a return (`exc` None) or exception; None: it reports none."""
        ...

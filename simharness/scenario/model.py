"""The scenario model: what a YAML file means once every `each` is fixed.

Plain frozen values. `load` builds them from YAML, `world` plays them, nothing here runs anything.
All durations are virtual seconds. Every value that promises that something happens (an end, a
reaction, a fault, an action) has a `key`; the world notes the keys it played, and what no trial
played is *not exercised*. Where a value stands in its file does not count when values are compared.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping

import attrs

from simharness.choices import WordedDeviation
from simharness.contract import UNSPECIFIED, Contract
from simharness.scenario.stores import Store


@attrs.frozen
class Place:
    """Where something stands in a file; line and column count from 1."""

    file: str = "<scenario>"
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


# --- steps of a stream ------------------------------------------------------------------------


@attrs.frozen
class TextStep:
    """A text delta; one chunk.

    `index`: the block that it belongs to; None: the one that is open, or a new one.
    """

    text: str
    index: int | None = None


@attrs.frozen
class ReasoningStep:
    """A reasoning delta; one chunk.

    `index`: the block that it belongs to; None: the one that is open, or a new one.
    """

    text: str
    index: int | None = None


@attrs.frozen
class OpaqueStep:
    """A delta of a block of unknown kind; one chunk.

    `index`: the block that it belongs to; None: the one that is open, or a new one.
    """

    text: str
    index: int | None = None


@attrs.frozen
class CallStep:
    """A tool call. Each of `pieces` is one chunk; joined they are the argument text as sent.

    `id` None: a fresh id per attempt. `index` None: the next free one.
    """

    name: str
    pieces: tuple[str, ...]
    id: str | None = None
    index: int | None = None


@attrs.frozen
class ArgsStep:
    """One more piece of arguments for an earlier call (None: the latest); one chunk."""

    text: str
    index: int | None = None


@attrs.frozen
class UsageStep:
    """Cumulative usage; not a chunk, arrives with the next delivery."""

    input: int
    output: int


@attrs.frozen
class WaitStep:
    """The next delivery is due this much later."""

    seconds: float


class Mark(enum.StrEnum):
    """Steps without content; not chunks, they arrive with the next delivery."""

    START = "start"
    TEXT_START = "text_start"
    TEXT_END = "text_end"
    REASONING_START = "reasoning_start"
    REASONING_END = "reasoning_end"
    CALL_END = "call_end"
    RETRYING = "retrying"
    KEEPALIVE = "keepalive"
    MALFORMED = "malformed"


@attrs.frozen
class MarkStep:
    """A start, an end, word that the answer begins anew, a ping or an undecodable chunk.

    `index` is for a start or an end: the block that is meant; None: a new one, or the latest.
    """

    mark: Mark
    index: int | None = None


class EndKind(enum.StrEnum):
    """How a stream ends."""

    FINISH = "finish"  # the provider finished, `reason` says why
    ERROR = "error"  # the provider reports an error inside the stream
    ABORT = "abort"  # the provider says aborted, `reason` says why
    RAISE = "raise"  # the read raises: ProviderError, or what is named
    CLOSE = "close"  # the stream just ends: no finish
    HANG = "hang"  # nothing ever comes again


@attrs.frozen
class ErrorSpec:
    """A scripted provider error.

    `raised_as` is the exception that the read raises in place of a provider's error: the name of
    one of Python's own, as a client library lets them through.
    """

    message: str = "scripted provider error"
    kind: str = "server"
    retryable: bool = False
    retry_after_s: float | None = None
    raised_as: str = ""


@attrs.frozen
class EndStep:
    """An end. More steps may follow one (chunks after a terminal), except after close, raise, hang.

    `written`: the file names it (the default finish is no promise and has no key).
    """

    kind: EndKind
    reason: str = ""
    error: ErrorSpec | None = None
    written: bool = False
    key: str = ""


Step = (
    TextStep
    | ReasoningStep
    | OpaqueStep
    | CallStep
    | ArgsStep
    | UsageStep
    | WaitStep
    | MarkStep
    | EndStep
)


class Report(enum.StrEnum):
    """What a stream reports when it was told of a cancel."""

    ABORTED = "aborted"
    ERROR = "error"
    CLOSE = "close"
    FINISH = "finish"
    RAISE = "raise"
    HANG = "hang"
    IGNORE = "ignore"  # goes on as if it had not been told


@attrs.frozen
class Reaction:
    """What a stream does when it is told of a cancel.

    `latency_s` before the report; `keeps_sending` more of the scripted chunks first; `late` steps
    come with or after the report; the stream ends `ends_after_s` after the report. `close_*` shape
    aclose(). `swallow` False lets a CancelledError through (what `raise` says, and the default).
    """

    report: Report = Report.ABORTED
    reason: str = "user"
    latency_s: float = 0.0
    ends_after_s: float = 0.0
    keeps_sending: int = 0
    late: tuple[Step, ...] = ()
    close_takes_s: float = 0.0
    close_raises: bool = False
    written: bool = False
    key: str = ""


@attrs.frozen
class WireFaults:
    """What goes wrong on the wire alone, for agents with an HTTP client of their own.

    `split`: the bytes come in pieces of at most so many (0: frame by frame). `done` False: the mark
    that the answer is complete never comes. `truncate`: half of the last chunk's frame is missing.
    """

    split: int = 0
    done: bool = True
    truncate: bool = False


SOUND = WireFaults()
"""A wire without faults."""


@attrs.frozen
class Stream:
    """The script of one model stream. The last step is always an `EndStep`.

    `starts`: a StreamStart comes first by itself. `burst` chunks arrive together. `every_s` between
    deliveries. `open_error`: the first read raises, before anything was streamed.
    """

    steps: tuple[Step, ...]
    reaction: Reaction = Reaction()
    starts: bool = True
    burst: int = 1
    every_s: float = 0.0
    wire: WireFaults = SOUND
    place: Place = attrs.field(default=Place(), eq=False)


# --- tools ------------------------------------------------------------------------------------


class ToolReaction(enum.StrEnum):
    """What a tool body does when it sees the cancel (through its context or a CancelledError)."""

    IGNORE = "ignore"  # a token is not looked at; a CancelledError goes through it
    STOP = "stop"  # ends at once, raising ToolFailure("cancelled"), when the token is set
    SWALLOW = "swallow"  # a CancelledError is swallowed and the body goes on to its end


@attrs.frozen
class Tool:
    """A scripted tool. `takes_s` None returns without waiting.

    `effects` lasting effects are spread evenly over `takes_s`. `raises` is the error text.
    `ends_turn`: a result of it ends the turn, and nothing more is asked of the model.
    """

    name: str
    returns: str = "ok"
    raises: str | None = None
    takes_s: float | None = 0.0
    effects: int = 0
    on_cancel: ToolReaction = ToolReaction.IGNORE
    schema: Mapping[str, object] | None = None
    ends_turn: bool = False
    key: str = ""  # of the fault, if it is one
    place: Place = attrs.field(default=Place(), eq=False)


# --- actions ----------------------------------------------------------------------------------


class Relation(enum.StrEnum):
    """Where an anchored action lies to its anchor."""

    AFTER = "after"
    BEFORE = "before"
    DURING = "during"
    AT = "at"  # a virtual time after the prompt


class AnchorKind(enum.StrEnum):
    """What an action is anchored to."""

    CHUNK = "chunk"  # chunk `number` of request `request` (0: the current one)
    TOOL = "tool"  # the body of the tool `name`, its `number`-th run
    REQUEST = "request"  # model request `number` is made
    TERMINAL = "terminal"  # the end of the stream of request `request` (0: the current one)
    WAIT = "wait"  # a named wait: backoff, guard, middleware ...
    RECORD = "record"  # the `number`-th reported record called `name`
    HOOK = "hook"  # the `number`-th call of the hook `name`
    TIME = "time"  # `seconds` of virtual time after the prompt was called


@attrs.frozen
class Anchor:
    """The place of an action. `inside`: called synchronously from that record or tool body."""

    kind: AnchorKind
    relation: Relation
    name: str = ""
    number: int = 1
    request: int = 0
    seconds: float = 0.0
    inside: bool = False


@attrs.frozen
class PromptAction:
    """The user sends a prompt, with the answers to its requests in order.

    `continues`: they send none and let the agent go on from its history; `text` is empty then.
    `ephemeral`: a run of its own beside the conversation, whose caller awaits the result.
    """

    text: str
    model: tuple[Stream, ...] = ()
    continues: bool = False
    ephemeral: bool = False
    meanwhile: bool = False
    session: str = ""
    anchor: Anchor | None = None
    epilogue: bool = False
    key: str = ""
    label: str = "prompt"
    place: Place = attrs.field(default=Place(), eq=False)


@attrs.frozen
class CancelAction:
    """The user cancels. `way` None: the agent's first own way, else TASK.

    `anywhere`: the search places it, the default schedule never makes it. `queue` says what becomes
    of queued messages (run, drop or park), where it is up to the cancel.
    """

    way: str | None = None
    reason: str = "user"
    queue: str | None = None
    anchor: Anchor | None = None
    anywhere: bool = False
    session: str = ""
    key: str = ""
    label: str = "cancel"
    place: Place = attrs.field(default=Place(), eq=False)


@attrs.frozen
class OtherAction:
    """Any other verb: wait, gc, steer, follow_up, shutdown, interrupt ...; `args` are its words.

    `reactions` are the actions of `on_settle`, taken one step after the run settles.
    """

    verb: str
    args: Mapping[str, object] = attrs.field(factory=dict)
    reactions: tuple[CancelAction | OtherAction, ...] = ()
    anchor: Anchor | None = None
    anywhere: bool = False
    session: str = ""
    key: str = ""
    label: str = ""
    place: Place = attrs.field(default=Place(), eq=False)


Action = PromptAction | CancelAction | OtherAction


# --- expectations -----------------------------------------------------------------------------


@attrs.frozen
class MessagePattern:
    """One expected message of a history; None fields are not looked at."""

    role: str
    text: str | None = None
    reasoning: str | None = None
    interrupted: bool | None = None
    is_error: bool | None = None
    calls: tuple[str, ...] | None = None  # tool names
    blocks: tuple[tuple[str, str | None], ...] | None = None  # kind and text, None: any text
    place: Place = attrs.field(default=Place(), eq=False)


@attrs.frozen
class RecordPattern:
    """One expected record of a timeline: a name and fields; name "..." is a gap."""

    name: str
    fields: Mapping[str, object] = attrs.field(factory=dict)


@attrs.frozen
class Expect:
    """What the reference loop does. None: not looked at. Compared by `report`-ready diffs."""

    outcome: tuple[str, ...] | None = None  # one per prompt, the epilogue included
    cause: tuple[str, ...] | None = None
    history: tuple[MessagePattern, ...] | None = None
    timeline: tuple[RecordPattern, ...] | None = None
    requests: int | None = None  # without the epilogue's
    sent: tuple[tuple[MessagePattern, ...], ...] | None = None  # the messages of each of those
    bodies: Mapping[str, int] | None = None  # tool name -> bodies started
    usage: tuple[int, int] | None = None
    notices: tuple[str, ...] | None = None
    rejects: tuple[str, ...] | None = None
    settled: tuple[str, ...] | None = None  # one per prompt, the epilogue included
    one_of: tuple[Expect, ...] | None = None  # at least one holds
    any_agent: bool = False  # `expect_for: any`
    places: Mapping[str, Place] = attrs.field(factory=dict, eq=False)  # key -> where it stands

    def keys(self) -> tuple[str, ...]:
        """The names of the keys that are looked at."""
        names = (
            "outcome",
            "cause",
            "history",
            "timeline",
            "requests",
            "sent",
            "bodies",
            "usage",
            "notices",
            "rejects",
            "settled",
            "one_of",
        )
        return tuple(name for name in names if getattr(self, name) is not None)


# --- cases ------------------------------------------------------------------------------------


@attrs.frozen
class Explore:
    """How far a case is searched; None leaves it to the command."""

    bound: int | None = None
    budget: int | None = None
    strategy: str | None = None


class LogFault(enum.StrEnum):
    """How often the write of a row to the inference log raises."""

    NEVER = "never"
    ONCE = "once"
    ALWAYS = "always"


LOG_KEY = "log: fails"
CLIENT_KEY = "model_client"


@attrs.frozen
class Case:
    """A scenario with its matrix values fixed: what one trial runs.

    `source` is YAML text from which exactly this case can be loaded again.
    """

    id: str
    scenario: str
    about: str = ""
    values: Mapping[str, str] = attrs.field(factory=dict)
    tools: tuple[Tool, ...] = ()
    actions: tuple[Action, ...] = ()
    settings: Mapping[str, object] = attrs.field(factory=dict)
    hooks: Mapping[str, object] = attrs.field(factory=dict)
    expect: Expect = Expect()
    violates: str | None = None
    waive: Mapping[str, str] = attrs.field(factory=dict)
    needs: tuple[str, ...] = ()
    explore: Explore = Explore()
    schedule: tuple[WordedDeviation, ...] = ()
    mode: str | None = None
    profile: str | None = None
    mutant: str | None = None  # the seeded fault of the reference loop that `violates` shows
    contract: Contract = UNSPECIFIED
    log_fails: LogFault = LogFault.NEVER
    client_renewed: bool = False  # a client that read a cut stream must be renewed
    store: Store | None = None
    patience_s: float = 60.0
    tags: tuple[str, ...] = ()
    place: Place = attrs.field(default=Place(), eq=False)
    source: str = ""

    @property
    def prompts(self) -> tuple[PromptAction, ...]:
        """The prompts in order; prompt k opens run k."""
        return tuple(action for action in self.actions if isinstance(action, PromptAction))

    @property
    def begins_anew(self) -> bool:
        """Whether an answer of some stream begins anew."""
        streams = (stream for prompt in self.prompts for stream in prompt.model)
        return any(MarkStep(Mark.RETRYING) in stream.steps for stream in streams)

    def promised(self) -> frozenset[str]:
        """The keys of everything written that must happen in some trial."""
        keys = {action.key for action in with_reactions(self.actions)}
        for prompt in self.prompts:
            for stream in prompt.model:
                keys.add(stream.reaction.key)
                keys.update(step.key for step in stream.steps if isinstance(step, EndStep))
        keys.update(tool.key for tool in self.tools)
        if self.store is not None:
            keys.update(self.store.promised())
        if self.log_fails is not LogFault.NEVER:
            keys.add(LOG_KEY)
        if self.client_renewed:
            keys.add(CLIENT_KEY)
        return frozenset(keys - {""})


def with_reactions(actions: Iterable[Action]) -> Iterator[Action]:
    """All actions, with those that are taken where a run settles."""
    for action in actions:
        yield action
        if isinstance(action, OtherAction):
            yield from action.reactions


@attrs.frozen
class Scenario:
    """One file: a name and its cases."""

    name: str
    cases: tuple[Case, ...]
    file: str = "<scenario>"

"""Short ways to play a script at the reference loop in the simulated world, and to read traces."""

from __future__ import annotations

from collections.abc import Mapping

from simharness.agent import AgentFactory
from simharness.agents.reference import make
from simharness.choices import Chooser, ScheduleChooser
from simharness.scenario.model import (
    Anchor,
    AnchorKind,
    CallStep,
    CancelAction,
    Case,
    EndKind,
    EndStep,
    ErrorSpec,
    OtherAction,
    PromptAction,
    Reaction,
    Relation,
    Report,
    Step,
    Stream,
    TextStep,
    Tool,
)
from simharness.trace import AgentEnd, Message, Outcome, PhaseChanged, Record, Reported, Trace
from simharness.world.run import Run, run

STOP = EndStep(EndKind.FINISH, "stop")
CALLS = EndStep(EndKind.FINISH, "tool_calls")
CLOSE = EndStep(EndKind.CLOSE)
HANG = EndStep(EndKind.HANG)
ABORT = EndStep(EndKind.ABORT, "overloaded")

Said = str | Step
"""A string is a text chunk."""


def finish(reason: str) -> EndStep:
    """The provider finishes for `reason`."""
    return EndStep(EndKind.FINISH, reason)


def error(*, retryable: bool = False, retry_after_s: float | None = None) -> EndStep:
    """The provider reports an error."""
    spec = ErrorSpec("boom", retryable=retryable, retry_after_s=retry_after_s)
    return EndStep(EndKind.ERROR, error=spec)


def stream(*said: Said, end: EndStep | None = None, reaction: Reaction | None = None) -> Stream:
    """A stream of chunks that ends with `end`, by default as a scenario file would."""
    steps = tuple(TextStep(one) if isinstance(one, str) else one for one in said)
    called = any(isinstance(step, CallStep) for step in steps)
    return Stream((*steps, end or (CALLS if called else STOP)), reaction or Reaction())


def call(name: str, *pieces: str, id: str | None = None) -> CallStep:  # noqa: A002
    """A tool call, its arguments in pieces."""
    return CallStep(name, pieces or ("{}",), id)


def reacts(report: Report, **more: float | str | bool) -> Reaction:
    """What a stream does when it is told of a cancel."""
    return Reaction(report, written=True, key="reaction", **more)  # type: ignore[arg-type]


def anchor(relation: str, kind: str, name: str = "", number: int = 1, **more: bool) -> Anchor:
    """An anchor in words: `anchor("after", "chunk", number=2)`."""
    return Anchor(AnchorKind(kind), Relation(relation), name, number, **more)


def cancel(
    relation: str, kind: str, name: str = "", number: int = 1, *, way: str | None = None
) -> CancelAction:
    """The user cancels at an anchor."""
    return CancelAction(way, anchor=anchor(relation, kind, name, number))


def inside(record: str, number: int = 1, *, way: str | None = None) -> CancelAction:
    """The user cancels from inside the observer of the `number`-th record of that name."""
    return CancelAction(way, anchor=anchor("after", "record", record, number, inside=True))


def play(
    *model: Stream,
    do: tuple[CancelAction | OtherAction | PromptAction, ...] = (),
    tools: tuple[Tool, ...] = (),
    settings: Mapping[str, object] | None = None,
    hooks: Mapping[str, object] | None = None,
    factory: AgentFactory = make,
    chooser: Chooser | None = None,
) -> Trace:
    """Prompt "hi", answered by `model`; do `do`; prompt "again", answered "ok"."""
    again = PromptAction("again", (stream("ok"),), epilogue=True)
    actions = (PromptAction("hi", model), *do, again)
    case = Case(
        "case",
        "case",
        tools=tools,
        actions=actions,
        settings=settings or {},
        hooks=hooks or {},
    )
    return played(case, factory, chooser).trace


def played(case: Case, factory: AgentFactory = make, chooser: Chooser | None = None) -> Run:
    """Run a case on the default schedule, or as `chooser` says."""
    return run(case, factory, chooser or ScheduleChooser())


def end(trace: Trace, run: int = 1) -> tuple[Outcome | None, str]:
    """The outcome and cause that a run reported."""
    (record,) = trace.of(AgentEnd, run)
    return record.outcome, record.cause


def kept(trace: Trace, run: int = 1) -> tuple[Message, ...]:
    """The messages that a run added to the history."""
    return trace.of(AgentEnd, run)[0].messages


def reports(trace: Trace, run: int = 1) -> list[Record]:
    """What a run reported, phases left out."""
    return [
        record
        for record in trace
        if isinstance(record, Reported)
        and record.run == run
        and not isinstance(record, PhaseChanged)
    ]


def names(trace: Trace, run: int = 1) -> list[str]:
    """The names of what a run reported after its prompt, phases and updates left out."""
    found = [type(record).__name__ for record in reports(trace, run)]
    return [name for name in found if name != "MessageUpdate"][4:]

"""The cases of `simharness sweep`: short built-in scripts, each with every cancel and every fault.

A case is built as YAML text, so that it travels inside its replay codes and can be kept as a file.
Which schedules are tried is the business of the search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs
import yaml

from simharness.agent import CancelWay, Style
from simharness.scenario.load import load_text
from simharness.trace import ChunkArrived, Reported, RequestMade, TerminalTaken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simharness.campaign.results import Identity
    from simharness.scenario.model import Case
    from simharness.trace import Trace

__all__ = [
    "REACTIONS",
    "SCRIPTS",
    "Script",
    "faults",
    "from_inside",
    "from_outside",
    "plain",
    "ways",
]

Steps = list[Any]
Data = dict[str, Any]

REACTIONS: Final = ("aborted", "error", "close", "finish", "raise")
"""How a stream that is told of a cancel may answer."""

_HANG_LIMIT_S: Final = 60  # virtual seconds after which the user gives up on a hanging stream


@attrs.frozen
class Script:
    """What the model answers, request by request, the tools it calls, and `agent:` settings."""

    name: str
    model: tuple[Steps, ...]
    tools: Data = attrs.field(factory=dict)
    settings: Data = attrs.field(factory=dict)


def _text(*deltas: str) -> Steps:
    return [{"text": delta} for delta in deltas]


def _call(name: str, **options: object) -> Data:
    return {"call": {"name": name, **options}}


SCRIPTS: Final = (
    Script("text", (_text("First point. ", "Second ", "point."),)),
    Script(
        "text-and-tool",
        ([*_text("Let me ", "look. "), _call("search", args={"q": "x"})], _text("Found ", "it.")),
        {"search": {"returns": "3 hits", "takes": "1s", "effects": 2}},
    ),
    Script(
        "two-tools",
        ([_call("first"), _call("second")], _text("Both ", "done.")),
        {"first": {"returns": "one", "takes": "1s"}, "second": {"returns": "two", "takes": "2s"}},
    ),
    Script(
        "retry",
        (
            [*_text("Half "), {"error": {"message": "overloaded", "retryable": True}}],
            _text("The whole ", "answer."),
        ),
        settings={"retry": {"max": 2, "delay": "1s"}},
    ),
    Script(
        "reasoning", ([{"reasoning": "Hm. "}, {"reasoning": "Yes. "}, *_text("The ", "answer.")],)
    ),
    Script(
        "arguments-in-pieces",
        (
            [
                _call("search", pieces=['{"q"']),
                {"args": ': "a long '},
                {"args": 'question"}'},
            ],
            _text("Found."),
        ),
        {"search": {"returns": "3 hits", "takes": "1s"}},
    ),
)


def ways(agent: Identity) -> list[CancelWay]:
    """The ways to cancel this agent: its own, its task, and closing its iterator."""
    found = [way for way in CancelWay if way in agent.cancel_ways]
    if agent.style is Style.ASYNC and CancelWay.TASK not in found:
        found.append(CancelWay.TASK)
    if agent.iterates and CancelWay.CLOSE not in found:
        found.append(CancelWay.CLOSE)
    return found


def plain(script: Script) -> Case:
    """The script without any cancel or fault."""
    (case,) = _cases(script, script.name, [])
    return case


def from_outside(script: Script, ways: Iterable[CancelWay]) -> list[Case]:
    """A cancel that the search may place anywhere, by each way and with each reaction."""
    return [
        case
        for way in ways
        for case in _cases(
            script,
            f"{script.name}-cancel-{way}",
            [{"cancel": {"anywhere": True, "way": str(way)}}],
            reactions=_reactions(way),
        )
    ]


def from_inside(script: Script, ways: Iterable[CancelWay], trace: Trace) -> list[Case]:
    """A cancel called from the observer of each record of `trace`, and from each tool body.

    `trace` is that of the plain script on the default schedule. Records of the prompt's first step
    are left out: nothing has been delivered yet, and a cancel from outside covers that moment.
    """
    return [
        case
        for way in ways
        if way is not CancelWay.CLOSE  # an iterator cannot be closed while it runs
        for moment in _moments(script, trace)
        for case in _cases(
            script,
            f"{script.name}-cancel-{way}-inside-{moment.name}",
            [{"cancel": {**moment.anchor, "from": "inside", "way": str(way)}}],
            reactions=_reactions(way) if moment.streaming else (),
        )
    ]


@attrs.frozen
class _Moment:
    """A place inside the agent. `streaming`: a stream is open there, and will be told."""

    name: str
    anchor: Data
    streaming: bool = False


def _moments(script: Script, trace: Trace) -> Iterator[_Moment]:
    first = next((record.n for record in trace.of(ChunkArrived)), len(trace))
    seen: dict[str, int] = {}
    streaming = False
    for record in trace:
        if isinstance(record, RequestMade | TerminalTaken):
            streaming = isinstance(record, RequestMade)
        if not isinstance(record, Reported) or record.run != 1:
            continue
        name = type(record).__name__
        seen[name] = seen.get(name, 0) + 1
        if record.n > first:
            words = f"{name} {seen[name]}"
            yield _Moment(words.replace(" ", "-"), {"after": words}, streaming)
    for tool in script.tools:
        yield _Moment(f"tool-{tool}", {"before": f"tool {tool}"})


def _reactions(way: CancelWay) -> tuple[str, ...]:
    # A stream that is only closed has nothing to say.
    return () if way is CancelWay.CLOSE else REACTIONS


_FAULTS: Final[dict[str, Any]] = {
    "error": {"error": {"message": "provider fault"}},
    "raise": {"raise": {"message": "provider fault"}},
    "close": "close",
    "length": {"finish": "length"},
    "hang": "hang",
}


def faults(script: Script) -> list[Case]:
    """The script with each fault after each number of steps of each stream; nobody cancels.

    Only a hang is followed by a cancel, so that the run can end. A stream that is done without
    having been started loses nothing but its start.
    """
    cases: list[Case] = []
    for request, answer in enumerate(script.model, start=1):
        # A scripted error makes way for the fault.
        steps = [step for step in answer if "error" not in step]
        for cut in range(len(steps) + 1):
            for fault, end in _FAULTS.items():
                model = _with(script.model, request, [*steps[:cut], end])
                name = f"{script.name}-{fault}-in-{request}-after-{cut}"
                broken = attrs.evolve(script, model=model)
                cases += _cases(broken, name, _gives_up() if fault == "hang" else [])
            unstarted: Data = {"stream": [*steps[:cut], "finish"], "start": False}
            model = _with(script.model, request, unstarted)
            name = f"{script.name}-unstarted-in-{request}-after-{cut}"
            cases += _cases(attrs.evolve(script, model=model), name, [])
    return cases


def _gives_up() -> list[Data]:
    return [{"cancel": {"at": f"{_HANG_LIMIT_S}s"}}]


def _with(model: tuple[Any, ...], request: int, answer: object) -> tuple[Any, ...]:
    return (*model[: request - 1], answer, *model[request:])


def _cases(
    script: Script, name: str, actions: list[Data], *, reactions: tuple[str, ...] = ()
) -> list[Case]:
    answers: list[Data] = [
        dict(answer) if isinstance(answer, dict) else {"stream": answer} for answer in script.model
    ]
    data: Data = {"scenario": f"sweep-{name}", "model": answers}
    if script.tools:
        data["tools"] = script.tools
    if script.settings:
        data["agent"] = script.settings
    if reactions:
        data["for_each"] = {"on_cancel": list(reactions)}
        for answer in answers:
            answer["on_cancel"] = "$on_cancel"
    data["run"] = [{"prompt": "go"}, *actions]
    text = yaml.safe_dump(data, sort_keys=False, width=100, allow_unicode=True)
    return list(load_text(text, file=f"<sweep>/{script.name}/script").cases)

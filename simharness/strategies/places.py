"""Places to draw: where an action of the user lies, given what the prompts before it script.

Only places that the loader accepts: a chunk that some answer has, a tool that some answer calls.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from hypothesis import strategies as st

from simharness.scenario.model import CallStep, Stream
from simharness.scenario.streams import chunk_count
from simharness.strategies.steps import PAUSES, TOOL_NAMES
from simharness.strategies.written import Document, Word

__all__ = ["PLACES", "Scene", "draw_place"]

_RECORDS = (
    "AgentStart",
    "TurnStart",
    "MessageStart",
    "MessageUpdate",
    "MessageEnd",
    "StreamEnd",
    "ToolExecutionStart",
    "ToolExecutionEnd",
    "TurnEnd",
    "AgentEnd",
    "ProviderRetry",
    "PhaseChanged",
    "AttemptKept",
    "LogRow",
)
_WAITS = {
    "wait": ({"during": "backoff"}, {"after": "backoff"}, {"during": "backoff 2"}),
    "write": (
        *({"during": f"store write {number}"} for number in range(1, 8)),
        *({"during": f"store flush{number}"} for number in ("", " 2")),
    ),
}
PLACES = frozenset(
    {"none", "chunk", "tool", "request", "terminal", "hook", "record", "wait", "time", "anywhere"}
)
"""All kinds of places but "write": that one is for cases with a store."""


@attrs.frozen
class Scene:
    """What places refer to: the scripts of the prompts that may be running, and the tools."""

    scripts: tuple[Sequence[Stream], ...]
    tools: Sequence[str]
    hooks: Sequence[str] = ()

    def requests(self) -> int:
        """How many requests of one prompt have an answer."""
        return max((len(script) for script in self.scripts), default=0)

    def chunks(self, request: int = 0) -> int:
        """How many chunks the longest answer has, or the longest to one request."""
        streams = [
            stream
            for script in self.scripts
            for number, stream in enumerate(script, start=1)
            if request in {0, number}
        ]
        return max((chunk_count(stream) for stream in streams), default=0)

    def called(self) -> list[str]:
        """The defined tools that some answer calls."""
        streams = (stream for script in self.scripts for stream in script)
        steps = [step for stream in streams for step in stream.steps if isinstance(step, CallStep)]
        names = {step.name for step in steps}
        return [name for name in TOOL_NAMES if name in names and name in self.tools]


def draw_place(
    draw: st.DrawFn, scene: Scene, *, anywhere: bool, inside: bool, of: frozenset[str] = PLACES
) -> Document:
    """Draw the options that place an action: none, or an anchor; simple ones first.

    `anywhere`: the search may place the action. `inside`: it may be called from inside the agent.
    `of`: the kinds of places; where a scene has none of them the action has no place.
    """
    kind = draw(st.sampled_from(_kinds(scene, anywhere=anywhere, of=of)))
    if kind == "chunk":
        return _chunk(draw, scene)
    if kind == "tool":
        return _inside(draw, _tool(draw, scene), allowed=inside)
    if kind == "request":
        number = draw(st.integers(1, scene.requests()))
        return _inside(draw, _word("after", f"request {number}"), allowed=inside)
    if kind == "terminal":
        return _word("after", f"terminal{_of(draw(st.integers(0, scene.requests())))}")
    if kind == "record":
        name, number = draw(_NAMES), draw(_COUNTS)
        return _inside(draw, _word("after", f"{name} {number}"), allowed=inside)
    if kind == "hook":
        return _hook(draw, scene, allowed=inside)
    if kind in _WAITS:
        return {key: Word(value) for key, value in draw(st.sampled_from(_WAITS[kind])).items()}
    if kind == "time":
        return {"at": draw(PAUSES)}
    return {"anywhere": True} if kind == "anywhere" else {}


def _kinds(scene: Scene, *, anywhere: bool, of: frozenset[str]) -> list[str]:
    """The kinds of places that a scene has, each as often as it is to be drawn."""
    kinds = ["none"]
    kinds += ["chunk"] * 2 * bool(scene.chunks())
    kinds += ["tool"] * 2 * bool(scene.called())
    kinds += ["request", "terminal"] * bool(scene.requests())
    kinds += ["hook"] * 2 * bool(scene.hooks)
    kinds += ["record", "wait", "time"]
    kinds += ["anywhere"] * 2 * anywhere
    kinds += ["write"]
    return [kind for kind in kinds if kind in of] or ["none"]


_NAMES = st.sampled_from(_RECORDS)
_COUNTS = st.integers(1, 3)


def _chunk(draw: st.DrawFn, scene: Scene) -> Document:
    relation = draw(st.sampled_from(("after", "before")))
    request = draw(st.integers(0, scene.requests()))
    if not scene.chunks(request):
        request = 0
    number = draw(st.integers(1, scene.chunks(request)))
    return _word(relation, f"chunk {number}{_of(request)}")


def _tool(draw: st.DrawFn, scene: Scene) -> Document:
    name = draw(st.sampled_from(scene.called()))
    relation = draw(st.sampled_from(("during", "after")))
    return _word(relation, f"{name} {draw(st.integers(1, 2))}")


def _hook(draw: st.DrawFn, scene: Scene, *, allowed: bool) -> Document:
    name = draw(st.sampled_from(list(scene.hooks)))
    if draw(st.booleans()):
        return _word("during", f"{name} {draw(st.integers(1, 2))}")
    return _inside(draw, _word("after", f"{name} {draw(st.integers(1, 2))}"), allowed=allowed)


def _inside(draw: st.DrawFn, place: Document, *, allowed: bool) -> Document:
    """`place`, or the same from inside: then it may also lie before a tool or a request."""
    if not allowed or not draw(st.booleans()):
        return place
    return {**place, "from": Word("inside")}


def _word(relation: str, words: str) -> Document:
    return {relation: Word(words)}


def _of(request: int) -> str:
    return f" of request {request}" if request else ""

"""Hooks to draw: what stands at some positions of the reference loop, and what it says."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.scenario.vocabulary import HOOKS as POSITIONS
from simharness.strategies.steps import PAUSES, TOOL_NAMES
from simharness.strategies.written import Data, Document, Word

__all__ = ["HOOKS", "hooks_at"]

_ALLOW: Document = {"allow": None}
_RAISE: Document = {"raise": "boom"}
_DENY: Document = {"deny": "no"}
_WARN: Document = {"warn": "careful"}
_ACTS: dict[str, tuple[Document, ...]] = {
    "input_filter": (_ALLOW, _DENY, {"modify": "Something else"}, _WARN, _RAISE),
    "before_turn": (_ALLOW, _DENY, _RAISE),
    "turn_note": ({"note": "Be brief."}, _ALLOW, _RAISE),
    "middleware": (_ALLOW, _DENY, {"modify": {"q": 2}}, {"modify": {}}, _WARN, _RAISE),
}
_TOLD = (_ALLOW, _RAISE)
_ABOUT: dict[str, tuple[Document, ...]] = {
    "before_turn": ({}, {"turn": 2}),
    "turn_note": ({}, {"turn": 2}),
    "after_turn": ({}, {"turn": 2}),
    "middleware": ({}, {"tool": Word(TOOL_NAMES[0])}),
    "before_tool": ({}, {"tool": Word(TOOL_NAMES[0])}),
    "after_tool": ({}, {"tool": Word(TOOL_NAMES[0])}),
    "observer": tuple(
        {"on": Word(name)} for name in ("TurnEnd", "MessageUpdate", "AgentEnd", "MessageEnd")
    ),
}
_POSITIONS = st.lists(st.sampled_from(POSITIONS), min_size=1, max_size=3, unique=True)
_COUNT = st.integers(1, 2)
_WAITS: st.SearchStrategy[Document] = st.one_of(
    st.just({}), st.fixed_dictionaries({"wait": PAUSES})
)


@st.composite
def hooks_at(draw: st.DrawFn, positions: st.SearchStrategy[list[str]]) -> Document:
    """A hook or two at each of these positions."""
    return {place: _chain(draw, place) for place in draw(positions)}


def _chain(draw: st.DrawFn, position: str) -> list[Data]:
    """One or two hooks of a position, in installation order."""
    return [_hook(draw, position) for _ in range(draw(_COUNT))]


def _hook(draw: st.DrawFn, position: str) -> Document:
    act = draw(st.sampled_from(_ACTS.get(position, _TOLD)))
    about = draw(st.sampled_from(_ABOUT.get(position, ({},))))
    wait = {} if position == "observer" else draw(_WAITS)
    return {**about, **wait, **act}


HOOKS: st.SearchStrategy[Document] = st.one_of(st.just({}), st.just({}), hooks_at(_POSITIONS))
"""Hooks by position; often none."""

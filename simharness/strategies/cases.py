"""Cases to draw: what the model says, what the tools do, and what the user does meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from simharness.scenario.model import Case, Stream
from simharness.strategies.answers import ANSWERS
from simharness.strategies.places import Scene, draw_place
from simharness.strategies.steps import TEXTS
from simharness.strategies.surroundings import SETTINGS, TOOLS
from simharness.strategies.written import Data, Document, Word, case_of, streams_of

__all__ = ["cases"]

_CANCELS_MAX = 3
_FOLLOWING = st.integers(0, 5)
_ANSWERS = st.lists(ANSWERS, max_size=4)
_PROMPTS = st.one_of(st.just("And then?"), TEXTS.filter(str.strip))
_HOW = st.sampled_from(("later", "meanwhile", "placed"))
_KINDS = st.sampled_from(("cancel", "cancel", "cancel", "prompt", "wait"))
_SELDOM = st.sampled_from((False, False, False, True))
_WAYS: st.SearchStrategy[Document] = st.sampled_from(
    (
        {},
        {"way": Word("task")},
        {"way": Word("api"), "reason": "shutdown"},
        {"way": Word("task"), "reason": "timeout"},
    )
)
_EPILOGUES: st.SearchStrategy[Document] = st.one_of(
    st.just({}),
    st.just({"epilogue": False}),
    st.fixed_dictionaries({"epilogue": st.fixed_dictionaries({"model": _ANSWERS})}),
)


def cases() -> st.SearchStrategy[Case]:
    """Valid cases that the reference loop can play.

    Up to four answers to each prompt, of any kind; tools, settings and up to three cancels, by the
    agent's call or the task, anchored anywhere or left to the search; further prompts after and
    during the run. `Case.source` is YAML from which the same case is loaded again. Shrinks to one
    prompt without anything else.
    """
    return _cases()


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    model = draw(_ANSWERS)
    tools = draw(TOOLS)
    document: Document = {
        "scenario": Word("drawn"),
        "model": model,
        "tools": tools,
        "agent": draw(SETTINGS),
        "run": _User(draw, model, tuple(tools)).actions(),
        **draw(_EPILOGUES),
    }
    return case_of(document)


class _User:
    """What the user does, drawn action by action: what was drawn decides what may follow."""

    def __init__(self, draw: st.DrawFn, model: Sequence[Data], tools: Sequence[str]) -> None:
        self._draw = draw
        self._tools = tools
        self._running: tuple[tuple[Stream, ...], ...] = (streams_of(model),)
        self._cancels = 0

    def actions(self) -> list[Data]:
        """The first prompt and what follows it."""
        prompt: Document = {"prompt": "Go"}
        return [prompt, *(self._action() for _ in range(self._draw(_FOLLOWING)))]

    def _action(self) -> Data:
        kind = self._draw(_KINDS)
        if kind == "cancel" and self._cancels < _CANCELS_MAX:
            return self._cancel()
        if kind == "prompt":
            return self._prompt()
        return {"wait": Word("20ms"), **self._place()}

    def _cancel(self) -> Document:
        self._cancels += 1
        way = self._draw(_WAYS)
        if self._draw(_SELDOM):
            return {"cancel": Word("anywhere"), **way}
        return {"cancel": None, **self._place(), **way}

    def _prompt(self) -> Document:
        """One that waits for its turn, or one that comes during a run."""
        prompt: Document = {"prompt": self._draw(_PROMPTS)}
        how = self._draw(_HOW)
        place = self._place(inside=False) if how == "placed" else {}
        model = self._draw(_ANSWERS)
        script = streams_of(model)
        if how == "meanwhile":
            prompt["meanwhile"] = True
        if model:
            prompt["model"] = model
        alone = how == "later" or (how == "placed" and not place)
        self._running = (script,) if alone else (*self._running, script)
        return {**prompt, **place}

    def _place(self, *, inside: bool = True) -> Document:
        return draw_place(self._draw, Scene(self._running, self._tools), inside=inside)

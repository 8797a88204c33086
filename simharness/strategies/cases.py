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
_ACTIONS_MAX = 6
_MORE = st.sampled_from((False, True, True))
_ANSWERS = st.lists(ANSWERS, max_size=4)
_PROMPTS = st.one_of(st.just("Go"), TEXTS.filter(str.strip))
_HOW = st.sampled_from(("later", "meanwhile", "placed"))
_KINDS = st.sampled_from(("cancel", "cancel", "cancel", "prompt", "wait"))
_REASONS = st.sampled_from((None, "shutdown", "timeout"))
_EPILOGUES: st.SearchStrategy[Document] = st.one_of(
    st.just({}),
    st.just({"epilogue": False}),
    st.fixed_dictionaries({"epilogue": st.fixed_dictionaries({"model": _ANSWERS})}),
)


def cases(
    *, ways: Sequence[str] = ("task", "api", "interrupt"), settings: bool = True
) -> st.SearchStrategy[Case]:
    """Valid cases for the reference loop, or with other `ways` and no `settings` for any agent.

    Up to four answers to each prompt, of any kind; tools, settings of the reference loop, and up
    to three cancels, anchored anywhere or left to the search; further prompts after and during the
    run. A cancel without one of the `ways` takes the agent's own. `Case.source` is YAML from which
    the same case is loaded again. Shrinks to one prompt without anything else.
    """
    chosen = st.sampled_from((None, *map(Word, ways)))
    return _cases(chosen, SETTINGS if settings else st.just({}))


@st.composite
def _cases(
    draw: st.DrawFn, ways: st.SearchStrategy[Word | None], settings: st.SearchStrategy[Document]
) -> Case:
    document: Document = {"scenario": Word("drawn"), "model": []}
    document["tools"] = tools = draw(TOOLS)
    document["agent"] = draw(settings)
    user = _User(draw, tuple(tools), ways)
    document["run"] = user.actions()
    document["model"] = user.first_model
    document.update(draw(_EPILOGUES))
    return case_of(document)


class _User:
    """What the user does, drawn action by action: what was drawn decides what may follow.

    The first prompt is drawn like all others, so that shrinking can leave out those before it.
    """

    def __init__(
        self, draw: st.DrawFn, tools: Sequence[str], ways: st.SearchStrategy[Word | None]
    ) -> None:
        self.first_model: list[Data] = []
        self._draw = draw
        self._tools = tools
        self._ways = ways
        self._running: tuple[tuple[Stream, ...], ...] = ()
        self._cancels = 0

    def actions(self) -> list[Data]:
        """The first prompt and what follows it."""
        actions = [self._draw(_actions(self))]
        while len(actions) < _ACTIONS_MAX and self._draw(_MORE):
            actions.append(self._draw(_actions(self)))
        return actions

    def action(self, kind: str) -> Data:
        """The next action, of `kind` if it may be: the first one is a prompt."""
        if kind == "prompt" or not self._running:
            return self._prompt()
        if kind == "cancel" and self._cancels < _CANCELS_MAX:
            return self._cancel()
        return {"wait": Word("20ms"), **self._place()}

    def _cancel(self) -> Document:
        self._cancels += 1
        cancel: Document = {"cancel": None, **self._place(anywhere=True)}
        options = {"way": self._draw(self._ways), "reason": self._draw(_REASONS)}
        return cancel | {key: word for key, word in options.items() if word is not None}

    def _prompt(self) -> Document:
        """One that waits for its turn, or one that comes during a run."""
        prompt: Document = {"prompt": self._draw(_PROMPTS)}
        first = not self._running
        how = self._draw(_HOW)
        place = self._place(outside=True) if how == "placed" and not first else {}
        model = self._draw(_ANSWERS)
        script = streams_of(model)
        if first:
            self.first_model = model
        elif model:
            prompt["model"] = model
        if how == "meanwhile" and not first:
            prompt["meanwhile"] = True
        alongside = place or "meanwhile" in prompt
        self._running = (*self._running, script) if alongside else (script,)
        return {**prompt, **place}

    def _place(self, *, anywhere: bool = False, outside: bool = False) -> Document:
        scene = Scene(self._running, self._tools)
        return draw_place(self._draw, scene, anywhere=anywhere, inside=not outside)


@st.composite
def _actions(draw: st.DrawFn, user: _User) -> Data:
    """One action as one piece of the example, which shrinking can take out as a whole."""
    return user.action(draw(_KINDS))

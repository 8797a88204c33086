"""The user of a drawn case: prompts, cancels and whatever else, action by action.

What was drawn decides what may follow: a place is one that the prompts so far can reach.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from hypothesis import strategies as st

from simharness.scenario.model import Stream
from simharness.strategies.answers import ANSWERS
from simharness.strategies.places import PLACES, Scene, draw_place
from simharness.strategies.steps import TEXTS
from simharness.strategies.written import Data, Document, Word, streams_of

__all__ = ["LATER", "SCRIPTS", "Manners", "User"]

_CANCELS_MAX = 3
_ACTIONS_MAX = 6
_MORE = st.sampled_from((False, True, True))
_ENDINGS = st.one_of(st.just(""), TEXTS)
_PROMPTS = frozenset({"prompt", "continue", "ephemeral"})
_STOPS = frozenset({"shutdown", "dispose", "context_restart"})
_REASONS = st.sampled_from((None, "shutdown", "timeout"))
_NOTHING: st.SearchStrategy[Word | None] = st.none()

SCRIPTS = st.lists(ANSWERS, max_size=4)
"""The answers to the requests of one prompt."""

_HOW = st.sampled_from(("later", "meanwhile", "placed"))
LATER = st.just("later")
"""Further prompts wait for the run before."""


@attrs.frozen
class Manners:
    """What a user may do: `kinds` of actions, `ways` of cancelling, what to say of the `queue`.

    `scripts`: the answers to a prompt. `places`: the kinds of places of what is no prompt, `inside`
    the agent or only outside of it. `how`: further prompts come later, meanwhile or placed.
    `least`: so many actions follow the first prompt.
    """

    kinds: st.SearchStrategy[str]
    ways: st.SearchStrategy[Word | None] = _NOTHING
    queue: st.SearchStrategy[Word | None] = _NOTHING
    scripts: st.SearchStrategy[list[Data]] = SCRIPTS
    places: frozenset[str] = PLACES
    inside: bool = True
    how: st.SearchStrategy[str] = _HOW
    least: int = 0


class User:
    """Draws what the user does.

    The first prompt is drawn like all others, so that shrinking can leave out those before it.
    """

    def __init__(
        self, draw: st.DrawFn, manners: Manners, *, tools: Sequence[str], hooks: Sequence[str]
    ) -> None:
        self.first_model: list[Data] = []
        self._draw = draw
        self._manners = manners
        self._tools = tools
        self._hooks = hooks
        self._running: tuple[tuple[Stream, ...], ...] = ()
        self._begun = False
        self._cancels = 0
        self._said = 0

    def actions(self) -> list[Data]:
        """The first prompt and what follows it."""
        kinds = self._manners.kinds
        actions = [self._draw(_action(self, kinds, asked=True))]
        while len(actions) < _ACTIONS_MAX:
            another = self._draw(_action(self, kinds, asked=len(actions) <= self._manners.least))
            if another is None:
                break
            actions.append(another)
        return actions

    def action(self, kind: str) -> Data:
        """The next action, of `kind` if it may be: the first one is a prompt."""
        if not self._begun or (not self._running and kind not in _PROMPTS):
            return self._prompt("prompt")
        if kind in _PROMPTS:
            return self._prompt(kind)
        if kind == "cancel" and self._cancels < _CANCELS_MAX:
            return self._cancel()
        if kind in {"steer", "follow_up"}:
            return {kind: self._say("Remark"), **self._place(anywhere=True)}
        if kind == "kill":
            return self._kill()
        if kind in _STOPS:
            return {kind: None, **self._place(anywhere=True)}
        return {"wait": Word("20ms"), **self._place()}

    def _say(self, what: str) -> str:
        """A text that is no part of another one, so that it is found again wherever it is put."""
        self._said += 1
        return f"{what} {self._said}."

    def _cancel(self) -> Document:
        self._cancels += 1
        cancel: Document = {"cancel": None, **self._place(anywhere=True)}
        options = {
            "way": self._draw(self._manners.ways),
            "reason": self._draw(_REASONS),
            "queue": self._draw(self._manners.queue),
        }
        return cancel | {key: word for key, word in options.items() if word is not None}

    def _kill(self) -> Document:
        """One with a place, or one when all runs have settled: nothing is anchored behind that."""
        place = self._place(anywhere=True, outside=True)
        if not place:
            self._running = ()
        return {"kill": None, **place}

    def _prompt(self, verb: str) -> Document:
        """One that waits for its turn, or one that comes during a run."""
        prompt: Document = {verb: self._say("Prompt") + self._draw(_ENDINGS)}
        if verb == "continue":
            prompt = {verb: None}
        alone = not self._running
        how = self._draw(self._manners.how)
        place = self._place(outside=True) if how == "placed" and not alone else {}
        model = self._draw(self._manners.scripts)
        script = streams_of(model)
        if not self._begun:
            self.first_model = model
        elif model:
            prompt["model"] = model
        if how == "meanwhile" and not alone:
            prompt["meanwhile"] = True
        self._begun = True
        alongside = place or "meanwhile" in prompt
        self._running = (*self._running, script) if alongside else (script,)
        return {**prompt, **place}

    def _place(self, *, anywhere: bool = False, outside: bool = False) -> Document:
        scene = Scene(self._running, self._tools, self._hooks)
        inside = self._manners.inside and not outside
        places = self._manners.places
        return draw_place(self._draw, scene, anywhere=anywhere, inside=inside, of=places)


@st.composite
def _action(
    draw: st.DrawFn, user: User, kinds: st.SearchStrategy[str], *, asked: bool
) -> Data | None:
    """One action, or that there are no more, as one piece that shrinking can take out whole."""
    return user.action(draw(kinds)) if asked or draw(_MORE) else None

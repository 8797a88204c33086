"""Cases to draw: model, tools, settings and user put together to a valid scenario."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from hypothesis import strategies as st

from simharness.scenario.model import Case
from simharness.strategies.hooks import HOOKS
from simharness.strategies.surroundings import FAULTS, SETTINGS, STORES, TOOLS
from simharness.strategies.user import SCRIPTS, Manners, User
from simharness.strategies.written import Document, Word, case_of

__all__ = ["NONE", "Ground", "cases", "cases_on"]

_EPILOGUES: st.SearchStrategy[Document] = st.one_of(
    st.just({}),
    st.just({"epilogue": False}),
    st.fixed_dictionaries({"epilogue": st.fixed_dictionaries({"model": SCRIPTS})}),
)
_PLAIN = st.sampled_from(("cancel", "cancel", "cancel", "prompt", "wait"))
_TALK = ("prompt", "wait", "steer", "follow_up", "continue", "ephemeral")
_ALL = st.sampled_from((*["cancel"] * 6, *_TALK, "context_restart", "shutdown", "dispose"))
_KILLED = st.sampled_from((*["cancel"] * 4, *["kill"] * 4, *_TALK, "context_restart", "shutdown"))
_FATES = st.sampled_from((None, None, Word("run"), Word("drop"), Word("park")))
NONE: st.SearchStrategy[Document] = st.just({})
"""Nothing of that part of a document."""


def cases(
    *,
    plain: bool = False,
    ways: Sequence[str] = ("task", "api", "interrupt"),
    store: bool = False,
) -> st.SearchStrategy[Case]:
    """Valid cases for the reference loop or, if `plain` and with other `ways`, for any agent.

    Up to four answers to each prompt, of any kind; tools; up to three cancels, anchored anywhere or
    left to the search; further prompts after and during the run. Not `plain` are settings, hooks,
    steering, follow-ups, `continue`, runs beside the conversation, stops of a framework, and faults
    of the log and the model client; with a `store` there are also kills, and faults of the store. A
    cancel without one of the `ways` takes the agent's own.
    `Case.source` is YAML from which the same case is loaded again. Shrinks to a prompt and no more.
    """
    chosen = st.sampled_from((None, *map(Word, ways)))
    if plain:
        return cases_on(Ground(Manners(_PLAIN, chosen), epilogues=_EPILOGUES))
    manners = Manners(_KILLED if store else _ALL, chosen, _FATES)
    ground = Ground(manners, settings=SETTINGS, hooks=HOOKS, faults=FAULTS, epilogues=_EPILOGUES)
    return cases_on(attrs.evolve(ground, rest=STORES) if store else ground)


@attrs.frozen
class Ground:
    """What cases are put together from: a user with answers, and parts of the document.

    `rest` are any other keys of a file.
    """

    manners: Manners
    tools: st.SearchStrategy[Document] = TOOLS
    settings: st.SearchStrategy[Document] = NONE
    hooks: st.SearchStrategy[Document] = NONE
    faults: st.SearchStrategy[Document] = NONE
    rest: st.SearchStrategy[Document] = NONE
    epilogues: st.SearchStrategy[Document] = NONE


@st.composite
def cases_on(draw: st.DrawFn, ground: Ground) -> Case:
    """Valid cases of what a ground has."""
    document: Document = {"scenario": Word("drawn"), "model": []}
    tools = document["tools"] = draw(ground.tools)
    agent = document["agent"] = draw(ground.settings)
    if "second_prompt" in agent:
        document["contract"] = {"second_prompt": agent["second_prompt"]}
    installed = document["hooks"] = draw(ground.hooks)
    user = User(draw, ground.manners, tools=tuple(tools), hooks=tuple(installed))
    document["run"] = user.actions()
    document.update(draw(ground.faults))
    document.update(draw(ground.rest))
    document["model"] = user.first_model
    document.update(draw(ground.epilogues))
    return case_of(document)

"""Cases to draw: model, tools, settings and user put together to a valid scenario."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from simharness.scenario.model import Case
from simharness.strategies.hooks import HOOKS
from simharness.strategies.surroundings import FAULTS, SETTINGS, STORES, TOOLS
from simharness.strategies.user import SCRIPTS, Manners, User
from simharness.strategies.written import Document, Word, case_of

__all__ = ["cases"]

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
_NONE: st.SearchStrategy[Document] = st.just({})


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
        return _cases(Manners(_PLAIN, chosen), settings=_NONE, hooks=_NONE, stores=_NONE)
    manners = Manners(_KILLED if store else _ALL, chosen, _FATES)
    stores = STORES if store else _NONE
    return _cases(manners, settings=SETTINGS, hooks=HOOKS, stores=stores)


@st.composite
def _cases(
    draw: st.DrawFn,
    manners: Manners,
    *,
    settings: st.SearchStrategy[Document],
    hooks: st.SearchStrategy[Document],
    stores: st.SearchStrategy[Document],
) -> Case:
    document: Document = {"scenario": Word("drawn"), "model": []}
    tools = document["tools"] = draw(TOOLS)
    agent = document["agent"] = draw(settings)
    if "second_prompt" in agent:
        document["contract"] = {"second_prompt": agent["second_prompt"]}
    installed = document["hooks"] = draw(hooks)
    user = User(draw, manners, tools=tuple(tools), hooks=tuple(installed))
    document["run"] = user.actions()
    if settings is not _NONE:
        document.update(draw(FAULTS))
    document.update(draw(stores))
    document["model"] = user.first_model
    document.update(draw(_EPILOGUES))
    return case_of(document)

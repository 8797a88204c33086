"""Kinds about a user who stops, steers or asks again."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.strategies.answers import answers
from simharness.strategies.cases import Ground
from simharness.strategies.kinds.kind import kind
from simharness.strategies.kinds.scripts import (
    ALL_WAYS,
    CALLS,
    DONE,
    MODES,
    SHOWN,
    SLOWLY,
    TALKING,
    deaf,
    rounds,
    script,
    then,
    verbs,
)
from simharness.strategies.places import PLACES
from simharness.strategies.surroundings import all_tools, words
from simharness.strategies.user import LATER, Manners
from simharness.strategies.written import Data, Document, Word

__all__ = ["IDLING", "STEERING", "STOPPING"]

STOPPING = kind(
    "stopping",
    "up to three cancels, at any place of text, tools and streams that hang or do not listen, in "
    "front of the first request and when nothing runs",
    Ground(
        Manners(
            verbs("cancel"),
            ALL_WAYS,
            scripts=st.one_of(
                script(deaf()),
                rounds(last=answers(SHOWN, SLOWLY)),
                rounds(last=deaf()),
            ),
            places=frozenset({"chunk", "tool", "request", "terminal", "record", "anywhere"}),
            how=LATER,
            least=1,
        ),
        tools=all_tools(),
        settings=MODES,
    ),
    Ground(
        Manners(
            verbs("cancel", "wait"),
            scripts=script(DONE),
            places=frozenset({"none", "record"}),
            how=LATER,
            least=2,
        ),
    ),
)

_FATES = st.sampled_from((None, Word("run"), Word("drop"), Word("park")))
_STEPWISE: st.SearchStrategy[Document] = st.one_of(
    st.just({"tools": Word("sequential")}),
    st.fixed_dictionaries({"tools": words("batched"), "batch": st.integers(1, 2)}),
    st.just({}),
)
_TOLD: st.SearchStrategy[Data] = st.fixed_dictionaries(
    {"takes": words("1s", "5s"), "effects": st.integers(0, 4), "on_cancel": words("stop")}
)

_AS_AN_ERROR: st.SearchStrategy[Document] = words("error", "raise").map(
    lambda report: {"on_cancel": report}
)

STEERING = kind(
    "steering",
    "steering and follow-ups at any place of text, tools and the end of a run, and cancels that "
    "say what becomes of the queue",
    Ground(
        Manners(
            verbs("steer", "follow_up", "cancel"),
            queue=_FATES,
            scripts=st.one_of(rounds(), script(TALKING, DONE), script(deaf(), DONE)),
            places=PLACES - {"wait", "hook", "time"},
            least=2,
            how=LATER,
        ),
        tools=all_tools(),
        settings=_STEPWISE,
    ),
    Ground(
        Manners(
            verbs("follow_up", "follow_up", "cancel"),
            queue=words("run"),
            scripts=script(answers(then(SHOWN, st.just([Word("hang")])), _AS_AN_ERROR), DONE),
            places=frozenset({"chunk"}),
            least=2,
            how=LATER,
        ),
    ),
    Ground(
        Manners(
            verbs("cancel"),
            scripts=rounds(answers(then(CALLS, CALLS), st.just({})), most=1),
            places=frozenset({"tool"}),
            inside=False,
            how=LATER,
            least=1,
        ),
        tools=all_tools(_TOLD),
        settings=st.just({"tools": Word("sequential")}),
        rest=st.just({"contract": {"abort_visible": "yes"}}),
    ),
)

_TURNS = st.one_of(rounds(), script(answers(SHOWN, SLOWLY)))
_BUSY: st.SearchStrategy[Document] = st.one_of(
    st.fixed_dictionaries({"second_prompt": words("queue", "interrupt", "rollback")}), MODES
)

IDLING = kind(
    "idling",
    "conversations in which prompts come after each other and during a run, which rejects them, "
    "lets them wait, or is interrupted or rolled back, runs beside them, and a shutdown",
    Ground(
        Manners(
            verbs("prompt", "prompt", "prompt", "shutdown", "cancel", "ephemeral"),
            ALL_WAYS,
            scripts=_TURNS,
            least=1,
        ),
        tools=all_tools(),
        settings=_BUSY,
    ),
)

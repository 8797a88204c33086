"""Kinds about answers: how they end, what is left of them, and how they are asked for again."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.strategies.answers import answers
from simharness.strategies.cases import Ground
from simharness.strategies.hooks import hooks_at
from simharness.strategies.kinds.kind import kind
from simharness.strategies.kinds.scripts import (
    ALL_WAYS,
    CALLING,
    CALLS,
    DONE,
    FAILING,
    SHOWN,
    SLOWLY,
    TALKING,
    Script,
    broken,
    deaf,
    rounds,
    script,
    then,
    verbs,
)
from simharness.strategies.places import PLACES
from simharness.strategies.steps import PAUSES
from simharness.strategies.surroundings import all_tools, words
from simharness.strategies.user import LATER, Manners
from simharness.strategies.written import Document, Word

__all__ = ["KEEPING", "RETRYING", "TERMINALS"]

_REASONED = then(SHOWN, SHOWN.map(lambda texts: [{"reasoning": text} for text in texts]))
_REFUSED: Script = words("refusal", "content_filter").map(lambda reason: [{"finish": reason}])
_TAKEN_BACK = st.one_of(then(SHOWN, st.just([Word("retrying")]), SHOWN), then(SHOWN, _REFUSED))
_FAULTY: st.SearchStrategy[Document] = st.one_of(words("always"), st.integers(1, 6)).map(
    lambda writes: {"store": {"fails": writes}}
)
_RETRY: st.SearchStrategy[Document] = st.fixed_dictionaries(
    {"max": st.integers(0, 3)}, optional={"delay": PAUSES}
).map(lambda retry: {"retry": retry})

TERMINALS = kind(
    "terminals",
    "answers with any end, first ones or behind tools and failed attempts, stopped at any place, "
    "with messages in the queue, callbacks that wait and a store that fails",
    Ground(
        Manners(
            verbs("cancel", "cancel", "follow_up", "prompt"),
            ALL_WAYS,
            scripts=st.one_of(
                script(TALKING),
                then(st.lists(FAILING, max_size=2), script(TALKING)),
                rounds(last=TALKING),
            ),
            places=PLACES - {"wait", "hook", "time"},
            how=LATER,
            least=1,
        ),
        tools=all_tools(),
    ),
    Ground(
        Manners(
            verbs("prompt"),
            scripts=then(
                st.lists(CALLING, max_size=1),
                script(st.one_of(broken(SHOWN), broken(_REASONED), broken(CALLS))),
            ),
            how=LATER,
        ),
        tools=all_tools(),
    ),
    Ground(
        Manners(
            verbs("context_restart"),
            scripts=then(st.lists(FAILING, max_size=1), script(deaf()), script(FAILING, DONE)),
            places=frozenset({"chunk"}),
            least=1,
            how=LATER,
        ),
    ),
    Ground(
        Manners(
            verbs("cancel"),
            ALL_WAYS,
            scripts=rounds(last=TALKING),
            places=frozenset({"hook", "terminal"}),
            least=1,
        ),
        tools=all_tools(),
        hooks=hooks_at(st.just(["after_turn"])),
    ),
    Ground(
        Manners(verbs("prompt"), scripts=rounds(), how=LATER),
        rest=_FAULTY,
    ),
)

KEEPING = kind(
    "keeping",
    "text and reasoning of which a part was shown when the user stops, in a first or a later turn, "
    "and answers that are refused or begin anew",
    Ground(
        Manners(
            verbs("cancel"),
            ALL_WAYS,
            scripts=st.one_of(
                script(answers(SHOWN, SLOWLY)),
                rounds(last=answers(SHOWN, SLOWLY)),
                script(answers(_REASONED, SLOWLY)),
            ),
            places=frozenset({"chunk", "anywhere", "terminal"}),
            how=LATER,
            least=1,
        ),
        tools=all_tools(),
    ),
    Ground(
        Manners(
            verbs("cancel", "prompt"),
            scripts=script(answers(_TAKEN_BACK)),
            how=LATER,
        ),
        settings=st.one_of(st.just({}), st.fixed_dictionaries({"guard": PAUSES})),
    ),
)

RETRYING = kind(
    "retrying",
    "attempts that fail before or behind something was shown, with whole and half calls in them, "
    "and the attempts that follow; cancels in between",
    Ground(
        Manners(
            verbs("cancel", "prompt", "wait"),
            ALL_WAYS,
            scripts=then(
                st.lists(CALLING, max_size=1),
                st.lists(FAILING, min_size=1, max_size=3),
                st.one_of(rounds(), script(TALKING), script(DONE)),
            ),
            how=LATER,
        ),
        tools=all_tools(),
        settings=st.one_of(st.just({}), _RETRY),
    ),
)

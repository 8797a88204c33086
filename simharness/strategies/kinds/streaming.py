"""Kinds about what a stream tells: blocks and their marks, usage, and nothing for a while."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.strategies.answers import answers, said
from simharness.strategies.cases import Ground
from simharness.strategies.kinds.kind import kind
from simharness.strategies.kinds.scripts import (
    ALL_WAYS,
    CALLING,
    CALLS,
    DONE,
    PASSING,
    SHOWN,
    SLOWLY,
    deaf,
    script,
    then,
    verbs,
)
from simharness.strategies.places import PLACES
from simharness.strategies.surroundings import all_tools, words
from simharness.strategies.user import LATER, Manners
from simharness.strategies.written import Data, Document, Word

__all__ = ["COUNTING", "EVENTS", "SILENCE"]

_SPENT: st.SearchStrategy[list[Data]] = st.lists(
    st.one_of(
        st.sampled_from(("One ", "two ")),
        st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda tokens: {"usage": tokens}),
    ),
    min_size=1,
    max_size=6,
)
COUNTING = kind(
    "counting",
    "usage reported at any place of a stream, once or growing, of answers that end, fail, are "
    "repeated or are cut",
    Ground(
        Manners(
            verbs("cancel", "prompt"),
            ALL_WAYS,
            scripts=st.one_of(
                script(answers(_SPENT)),
                script(answers(said(_SPENT), SLOWLY)),
                script(answers(then(_SPENT, CALLS)), answers(_SPENT)),
                script(answers(then(_SPENT, script(PASSING))), answers(_SPENT)),
            ),
            how=LATER,
        ),
        tools=all_tools(),
    ),
)

_PAUSED: st.SearchStrategy[list[Data]] = st.lists(
    st.one_of(
        words("500ms", "19s", "21s").map(lambda pause: {"wait": pause}),
        st.sampled_from(("One ", "two ")),
        st.just({"usage": [7, 1]}),
        st.just({"call": "search"}),
        words("keepalive"),
    ),
    min_size=1,
    max_size=6,
)
_PAUSING = answers(
    then(_PAUSED, st.sampled_from([[], [Word("hang")], [Word("close")]])),
    st.sampled_from(({}, {"start": False})),
)
SILENCE = kind(
    "silence",
    "streams that are slow, pause and fall silent, before and behind their first chunk, under an "
    "idle limit that the pauses reach or not",
    Ground(
        Manners(
            verbs("prompt", "cancel"),
            scripts=then(
                st.lists(CALLING, max_size=1),
                script(_PAUSING),
                script(DONE),
            ),
            places=PLACES - {"time", "wait"},
            how=LATER,
        ),
        tools=all_tools(),
        settings=st.just({"idle_limit": Word("20s")}),
        rest=st.just({"contract": {"idle_limit_s": 20}, "patience": Word("500ms")}),
    ),
)

_MARKED: st.SearchStrategy[list[Data]] = st.one_of(
    SHOWN,
    SHOWN.map(lambda texts: [Word("text_start"), *texts, Word("text_end")]),
    SHOWN.map(
        lambda texts: [
            Word("reasoning_start"),
            *({"reasoning": t} for t in texts),
            Word("reasoning_end"),
        ]
    ),
)
_PREVIEW: st.SearchStrategy[list[Data]] = st.builds(
    lambda pieces: [
        {"call": {"name": "search", "id": "c-1", "index": 0, "args": '{"q":1}', "pieces": pieces}},
        {"call": {"name": "search", "id": "c-1", "index": 0, "args": '{"q":1}'}},
    ],
    st.integers(1, 3),
)
_INTERRUPTED: st.SearchStrategy[Document] = st.one_of(
    st.just({}), st.fixed_dictionaries({"second_prompt": words("queue", "interrupt")})
)
EVENTS = kind(
    "events",
    "blocks with their marks, previews of calls, bursts and chunks that come late, with a cancel, "
    "a restart or another prompt at any place",
    Ground(
        Manners(
            verbs("cancel", "cancel", "prompt"),
            ALL_WAYS,
            scripts=st.one_of(
                script(answers(said(_MARKED), SLOWLY), DONE),
                script(
                    answers(then(_MARKED, st.one_of(CALLS, _PREVIEW)), SLOWLY),
                    answers(_MARKED, SLOWLY),
                ),
            ),
        ),
        tools=all_tools(),
        settings=_INTERRUPTED,
    ),
    Ground(
        Manners(
            verbs("cancel", "context_restart", "prompt"),
            scripts=script(deaf(), DONE),
            places=frozenset({"chunk"}),
            inside=False,
            least=1,
        ),
        settings=_INTERRUPTED,
    ),
)

"""Kinds about a session on disk: what is written of it, and what is made of it later."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.strategies.cases import Ground
from simharness.strategies.kinds.kind import kind
from simharness.strategies.kinds.scripts import (
    ALL_WAYS,
    DONE,
    MODES,
    STORED,
    TALKING,
    rounds,
    script,
    verbs,
)
from simharness.strategies.steps import PAUSES
from simharness.strategies.surroundings import all_tools
from simharness.strategies.user import LATER, Manners
from simharness.strategies.written import Data, Document

__all__ = ["RECOVERY", "SAVING"]

_WHEN: st.SearchStrategy[Data] = st.one_of(
    st.integers(1, 8), st.integers(1, 8).map(lambda write: {"write": write, "always": True})
)
_WRITTEN = frozenset({"write", "chunk", "tool", "request", "none", "anywhere"})
_TOOLS = all_tools(st.one_of(st.just("ok"), st.just({"returns": "done", "ends_turn": True})))


def _stores(*faults: str) -> st.SearchStrategy[Document]:
    optional: dict[str, st.SearchStrategy[Data]] = dict.fromkeys(faults, _WHEN)
    needed: dict[str, st.SearchStrategy[Data]] = {"buffered": st.booleans()}
    store: st.SearchStrategy[Data] = st.fixed_dictionaries(
        needed, optional={"slow": PAUSES, **optional}
    )
    return store.map(lambda options: {"store": options})


def _writing(*kinds: str) -> Manners:
    return Manners(
        verbs(*kinds),
        ALL_WAYS,
        scripts=st.one_of(script(TALKING), rounds(), rounds(last=TALKING)),
        places=_WRITTEN,
        how=LATER,
        least=1,
    )


SAVING = kind(
    "saving",
    "a store that is slow, fails, lies and tears, with runs that are stopped and killed at their "
    "writes and asked again",
    Ground(_writing("cancel", "prompt"), tools=_TOOLS, rest=_stores("fails", "drops")),
    Ground(
        _writing("prompt", "kill", "cancel"), tools=_TOOLS, rest=_stores("fails", "drops", "torn")
    ),
)

_USER = '{"n": 1, "message": {"role": "user", "blocks": [{"text": "a"}]}}'
_CALL = '{"call": "x1", "name": "search", "args": "{}"}'
_LINES = (
    f'{{"n": 2, "message": {{"role": "assistant", "blocks": [{_CALL}]}}}}',
    '{"n": 2, "message": {"role": "tool", "blocks": [{"text": "3 hits"}], "call_id": "x1"}}',
    '{"n": 2, "message": {"role": "assistant", "blocks": [{"text": "A."}]}}',
    '{"n": 3, "message": {"role": "user", "blocks": [{"text": "b"}]}}',
    "no line",
)
_FILES: st.SearchStrategy[Document] = st.lists(st.sampled_from(_LINES), max_size=4).map(
    lambda lines: {"store": {"holds": [_USER, *lines]}}
)
RECOVERY = kind(
    "recovery",
    "sessions cut off by kills at any place, also in a row, and files with calls without results, "
    "results without calls and lines that are none, taken up again",
    Ground(
        Manners(
            verbs("kill", "kill", "kill", "prompt", "continue"),
            scripts=st.one_of(rounds(), script(TALKING)),
            places=_WRITTEN,
            how=LATER,
            least=2,
        ),
        tools=all_tools(),
        settings=MODES,
        rest=STORED,
    ),
    Ground(
        Manners(
            verbs("kill", "kill", "cancel"),
            scripts=script(TALKING),
            places=_WRITTEN - {"tool"},
            how=LATER,
            least=2,
        ),
        rest=STORED,
    ),
    Ground(
        # A kill comes first: observers-agree knows nothing of messages that were loaded at the
        # beginning, and compares only where nobody has interfered.
        Manners(
            verbs("kill"), scripts=script(DONE), places=frozenset({"none"}), how=LATER, least=1
        ),
        rest=_FILES,
    ),
)

"""Kinds about who waits for a run: a consumer that leaves it, and callers that are left waiting."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.strategies.answers import answers
from simharness.strategies.cases import Ground
from simharness.strategies.hooks import hooks_at
from simharness.strategies.kinds.kind import kind
from simharness.strategies.kinds.scripts import (
    ALL_WAYS,
    CALLS,
    DONE,
    ITERATED,
    LEAVING_WAYS,
    MODES,
    SHOWN,
    SLOWLY,
    broken,
    deaf,
    rounds,
    script,
    then,
    verbs,
)
from simharness.strategies.surroundings import all_tools, words
from simharness.strategies.user import LATER, Manners

__all__ = ["LEAVING", "SETTLING"]

_LEFT = Manners(
    verbs("cancel"),
    LEAVING_WAYS,
    scripts=st.one_of(
        script(answers(SHOWN, SLOWLY)), rounds(answers(then(SHOWN, CALLS), SLOWLY)), rounds()
    ),
    places=frozenset({"chunk", "tool", "request"}),
    inside=False,
    how=LATER,
    least=1,
)
LEAVING = kind(
    "leaving",
    "runs handed out as an iterator, which the consumer closes, breaks off or has cancelled in the "
    "middle of text, calls and tools",
    Ground(_LEFT, tools=all_tools(), settings=MODES, rest=ITERATED),
)

SETTLING = kind(
    "settling",
    "streams that hang or break at once, tools that last, observers that raise, time that is up, "
    "and runs beside the conversation, with somebody who waits for the end",
    Ground(
        Manners(
            verbs("cancel"),
            ALL_WAYS,
            scripts=st.one_of(script(deaf()), script(broken(SHOWN)), rounds()),
            how=LATER,
            least=1,
        ),
        tools=all_tools(),
    ),
    Ground(
        Manners(verbs("cancel", "wait"), scripts=rounds(), how=LATER),
        tools=all_tools(),
        settings=st.fixed_dictionaries({"time_limit": words("200ms", "1s")}),
    ),
    Ground(
        Manners(
            verbs("ephemeral", "cancel"),
            scripts=st.one_of(script(answers(SHOWN, SLOWLY)), script(DONE)),
            places=frozenset({"chunk", "anywhere"}),
            inside=False,
            how=LATER,
            least=2,
        ),
    ),
    Ground(
        Manners(verbs("cancel", "prompt"), scripts=rounds(), how=LATER),
        tools=all_tools(),
        hooks=hooks_at(st.just(["observer"])),
    ),
    Ground(_LEFT, tools=all_tools(), rest=ITERATED),
)

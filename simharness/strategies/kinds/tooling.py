"""Kinds about tools: calls and results that do not match, work that goes on, work done twice."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.strategies.answers import answers
from simharness.strategies.cases import Ground
from simharness.strategies.hooks import hooks_at
from simharness.strategies.kinds.kind import kind
from simharness.strategies.kinds.scripts import (
    ALL_WAYS,
    BESIDE,
    CALLING,
    CALLS,
    CUT,
    DONE,
    ITERATED,
    LEAVING_WAYS,
    MODES,
    SHOWN,
    SLOWLY,
    STORED,
    broken,
    rounds,
    script,
    then,
    verbs,
)
from simharness.strategies.surroundings import LASTING, TOOLS, all_tools, words
from simharness.strategies.user import LATER, Manners
from simharness.strategies.written import Data, Word

__all__ = ["PAIRING", "PARITY", "RUNNING_ON", "TWICE"]

_IN_TOOLS = frozenset({"tool", "anywhere", "time"})
_ENDS_TURN: st.SearchStrategy[Data] = st.just(
    {"returns": "done", "takes": Word("10ms"), "ends_turn": True}
)
_TOOL = st.one_of(st.just("ok"), LASTING, LASTING, _ENDS_TURN)
_MOMENTS: st.SearchStrategy[Data] = words("10ms", "200ms").map(
    lambda takes: {"returns": "3 hits", "takes": takes}
)
"""Tools of which some end at the same moment."""

_ODD: st.SearchStrategy[Data] = st.sampled_from(
    [{"call": {"name": "not a name"}}, {"call": "nowhere"}]
)
_ASKED = hooks_at(st.sampled_from((["middleware"], ["before_turn"], ["middleware", "before_turn"])))

PAIRING = kind(
    "pairing",
    "rounds of tool calls, cut, odd, denied or answered at the same moment, that are stopped, "
    "broken off, killed or continued at any place",
    Ground(
        Manners(
            verbs("cancel", "cancel", "continue", "prompt"),
            ALL_WAYS,
            scripts=rounds(last=answers(SHOWN, SLOWLY), most=3),
            places=_IN_TOOLS | {"chunk"},
            how=LATER,
            least=1,
        ),
        tools=all_tools(_TOOL),
        settings=MODES,
    ),
    Ground(
        Manners(
            verbs("cancel", "continue", "prompt"),
            scripts=then(
                st.lists(CALLING, max_size=1),
                script(broken(then(CALLS, st.lists(_ODD, max_size=1)))),
                script(DONE),
            ),
            how=LATER,
        ),
        tools=all_tools(_MOMENTS),
        settings=MODES,
    ),
    Ground(Manners(verbs("prompt"), scripts=rounds(), how=LATER), tools=TOOLS, hooks=_ASKED),
    Ground(
        Manners(verbs("kill", "cancel"), scripts=rounds(), places=_IN_TOOLS, how=LATER, least=1),
        tools=all_tools(_TOOL),
        settings=MODES,
        rest=STORED,
    ),
)

RUNNING_ON = kind(
    "running-on",
    "parallel tools with effects, of which some fail at once or end the turn, and hooks that wait, "
    "with cancels at any place and by any way, or a consumer that leaves",
    Ground(
        Manners(
            verbs("cancel"),
            ALL_WAYS,
            scripts=rounds(answers(CUT, st.just({}))),
            places=_IN_TOOLS | {"chunk", "terminal"},
            least=1,
        ),
        tools=all_tools(),
        settings=MODES,
    ),
    Ground(Manners(verbs("cancel", "wait"), scripts=rounds()), tools=all_tools(_TOOL)),
    Ground(
        Manners(
            verbs("cancel"),
            ALL_WAYS,
            scripts=rounds(),
            places=frozenset({"hook"}),
            least=1,
        ),
        tools=all_tools(_TOOL),
        hooks=hooks_at(st.sampled_from((["middleware"], ["before_turn"], ["after_turn"]))),
    ),
    Ground(
        Manners(
            verbs("cancel"),
            LEAVING_WAYS,
            scripts=rounds(answers(then(SHOWN, CALLS), SLOWLY)),
            places=frozenset({"chunk", "tool"}),
            inside=False,
            how=LATER,
            least=1,
        ),
        tools=all_tools(),
        rest=ITERATED,
    ),
)

TWICE = kind(
    "twice",
    "tools with effects that fail, are stopped, steered past or killed, and runs that go on or "
    "fail behind them",
    Ground(
        Manners(
            verbs("cancel", "cancel", "continue", "shutdown"),
            ALL_WAYS,
            scripts=rounds(),
            places=_IN_TOOLS,
            how=LATER,
            least=1,
        ),
        tools=all_tools(),
        settings=MODES,
    ),
    Ground(
        Manners(
            verbs("steer", "cancel"),
            scripts=rounds(),
            places=frozenset({"tool"}),
            how=LATER,
            least=1,
        ),
        tools=all_tools(),
        settings=st.just({"tools": Word("sequential")}),
    ),
    Ground(
        Manners(verbs("prompt", "continue"), scripts=rounds(last=broken(SHOWN)), how=LATER),
        tools=all_tools(),
    ),
    Ground(
        Manners(
            verbs("kill", "kill", "continue"),
            scripts=rounds(),
            places=frozenset({"tool", "write", "anywhere"}),
            how=LATER,
            least=1,
        ),
        tools=all_tools(),
        settings=MODES,
        rest=STORED,
    ),
)

PARITY = kind(
    "parity",
    "plain scripts, streamed and whole: texts, also empty ones, before and behind calls of tools "
    "that return, fail or end the turn",
    Ground(
        Manners(
            verbs("prompt"),
            scripts=st.one_of(
                rounds(answers(then(BESIDE, CALLS, BESIDE), st.just({}))), script(DONE)
            ),
            how=LATER,
        ),
        tools=all_tools(_TOOL),
        settings=MODES,
    ),
)

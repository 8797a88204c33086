"""What surrounds the model in a drawn case: tools, and settings of the agent."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.scenario.model import ToolReaction
from simharness.strategies.steps import PAUSES, TOOL_NAMES
from simharness.strategies.written import Data, Document, Word

__all__ = ["FAULTS", "LASTING", "SETTINGS", "STORES", "TOOLS", "all_tools", "words"]


@st.composite
def _scripted(draw: st.DrawFn) -> Data:
    return {**draw(_RESULTS), **draw(_WORK)}


_RESULTS: st.SearchStrategy[Document] = st.sampled_from(
    ({"returns": "3 hits"}, {"raises": "broken"}, {"returns": ""})
)
_WORK: st.SearchStrategy[Document] = st.fixed_dictionaries(
    {"takes": st.one_of(PAUSES, st.just(Word("none")))},
    optional={
        "effects": st.integers(0, 2),
        "on_cancel": st.sampled_from([Word(reaction) for reaction in ToolReaction]),
        "schema": st.just({"type": "object", "required": ["q"]}),
    },
)
_TOOL: st.SearchStrategy[Data] = st.one_of(st.just("ok"), _scripted())
_ANY_TOOLS = st.dictionaries(st.sampled_from(TOOL_NAMES), _TOOL, max_size=3)

LASTING: st.SearchStrategy[Data] = st.builds(
    lambda result, work: {**result, **work},
    st.sampled_from(({"returns": "3 hits"}, {"returns": "3 hits"}, {"raises": "broken"})),
    st.fixed_dictionaries(
        {"takes": PAUSES, "effects": st.integers(0, 4)},
        optional={"on_cancel": st.sampled_from([Word(reaction) for reaction in ToolReaction])},
    ),
)
"""A tool that works for a while, so that something can happen while it does."""


def all_tools(tool: st.SearchStrategy[Data] = LASTING) -> st.SearchStrategy[Document]:
    """All tools that answers call, each drawn from `tool`."""
    return st.fixed_dictionaries(dict.fromkeys(TOOL_NAMES, tool))


TOOLS: st.SearchStrategy[Document] = st.one_of(
    _TOOL.map(lambda tool: {TOOL_NAMES[0]: tool}),
    all_tools(_TOOL),
    _ANY_TOOLS,
)
"""Up to three tools by name, mostly with the one that is called most."""


def words(*texts: str) -> st.SearchStrategy[Word]:
    """One of these words of the language; simple ones first."""
    return st.sampled_from([Word(text) for text in texts])


_RETRY = st.fixed_dictionaries(
    {"max": st.integers(0, 3)}, optional={"delay": PAUSES, "cap": PAUSES}
)

SETTINGS: st.SearchStrategy[Document] = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {},
        optional={
            "turn_limit": st.integers(0, 3),
            "tools": words("sequential", "batched", "parallel"),
            "cap": st.integers(1, 2),
            "retry": _RETRY,
            "system": st.just("Be brief."),
        },
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "second_prompt": words("queue", "interrupt", "rollback"),
            "queue_on_cancel": words("run", "drop", "park"),
            "batch": st.integers(1, 2),
            "exclusive": st.lists(st.sampled_from(TOOL_NAMES), max_size=2),
            "token_limit": st.integers(0, 30),
            "time_limit": PAUSES,
            "loop_limit": st.integers(1, 2),
            "guard": PAUSES,
            "reads_on": st.booleans(),
            "idle_limit": PAUSES,
        },
    ),
)
"""Settings of the reference loop; often none."""

FAULTS: st.SearchStrategy[Document] = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {},
        optional={
            "log": st.fixed_dictionaries({"fails": words("once", "always")}),
            "model_client": st.just(Word("renew")),
        },
    ),
)
"""Faults of what stands around the reference loop; often none."""

_FAULTY_WRITES: st.SearchStrategy[Data] = st.one_of(
    st.integers(1, 12),
    st.just(Word("always")),
    st.fixed_dictionaries({"write": st.integers(2, 8), "always": st.just(value=True)}),
)

STORES: st.SearchStrategy[Document] = st.one_of(
    st.just(None),
    st.fixed_dictionaries(
        {"buffered": st.booleans()},
        optional={
            "slow": PAUSES,
            "fails": _FAULTY_WRITES,
            "drops": _FAULTY_WRITES,
            "torn": _FAULTY_WRITES,
        },
    ),
).map(lambda store: {"store": store})
"""A session store, often with faults."""

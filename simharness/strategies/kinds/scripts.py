"""Pieces that several kinds share: answers that show text or call tools, and their scripts."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.strategies.answers import OPTIONS, REACTIONS, answers, said
from simharness.strategies.steps import PAUSES, TEXTS, TOOL_NAMES, WRITTEN_ENDS, calls
from simharness.strategies.surroundings import words
from simharness.strategies.written import Data, Document, Word

__all__ = [
    "ALL_WAYS",
    "BESIDE",
    "CALLING",
    "CALLS",
    "CUT",
    "DONE",
    "FAILING",
    "ITERATED",
    "LEAVING_WAYS",
    "MODES",
    "PASSING",
    "SHOWN",
    "SLOWLY",
    "STORED",
    "TALKING",
    "WHOLE",
    "Script",
    "broken",
    "deaf",
    "rounds",
    "script",
    "then",
    "verbs",
]

Script = st.SearchStrategy[list[Data]]
"""Either the steps of an answer or the answers to a prompt."""

SHOWN: Script = st.lists(st.sampled_from(("One ", "two ", "three.", "é🙂")), min_size=1, max_size=4)
"""Text of which each chunk can be seen."""

WHOLE: st.SearchStrategy[Data] = st.sampled_from([{"call": name} for name in TOOL_NAMES])
"""A call of a tool that there is, at once and whole."""

CALLS: Script = st.lists(WHOLE, min_size=1, max_size=3)
CUT: Script = st.lists(
    calls(texts=st.sampled_from(("{}", '{"q":1}', '{"q":"é🙂"}', '{"q":'))), min_size=1, max_size=3
)
"""Calls whose arguments are cut at any place, some of a tool that nobody has."""

SLOWLY: st.SearchStrategy[Document] = st.fixed_dictionaries(
    {"on_cancel": REACTIONS}, optional={"every": PAUSES, "burst": st.integers(2, 3)}
)
"""How a stream is sent and what it does when it is told of a cancel."""

BESIDE: Script = st.lists(st.sampled_from(("", "Let me look. ")), max_size=2)
"""What may stand before or behind a call."""

STORED: st.SearchStrategy[Document] = st.just({"store": None})
ITERATED: st.SearchStrategy[Document] = st.just({"profile": "iterated"})
LEAVING_WAYS: st.SearchStrategy[Word | None] = words("close", "break", "task")
"""How a consumer leaves a run that is handed out as an iterator."""

ALL_WAYS = st.sampled_from((None, Word("task"), Word("api"), Word("interrupt")))
MODES: st.SearchStrategy[Document] = st.fixed_dictionaries(
    {}, optional={"tools": words("sequential", "batched", "parallel")}
)
"""How the calls of an answer are run."""


def then(*parts: Script) -> Script:
    """One part behind the other."""
    return st.tuples(*parts).map(lambda lists: [item for part in lists for item in part])


def script(*entries: st.SearchStrategy[Data]) -> Script:
    """One answer of each, in that order."""
    return st.tuples(*entries).map(list)


def verbs(*names: str) -> st.SearchStrategy[str]:
    """What a user does next, each as likely as it is often named."""
    return st.sampled_from(names)


_MAYBE: Script = st.lists(TEXTS, max_size=1)
_BAD_ENDS: Script = st.sampled_from(
    [
        [Word("close")],
        [Word("raise")],
        [Word("error")],
        [Word("abort")],
        [{"finish": Word("incomplete")}],
        [{"finish": Word("length")}],
        [{"finish": Word("refusal")}],
    ]
)
_LATE: st.SearchStrategy[Document] = st.fixed_dictionaries(
    {"report": words("finish", "aborted", "error"), "keeps_sending": st.integers(1, 3)},
    optional={"late": st.just(["late"]), "latency": PAUSES},
)
DONE: st.SearchStrategy[Data] = st.sampled_from([["Done."], ["All ", "done."]])
TALKING: st.SearchStrategy[Data] = answers(said(SHOWN), SLOWLY)
"""An answer of text, with any end."""

CALLING: st.SearchStrategy[Data] = answers(then(_MAYBE, CALLS, _MAYBE), OPTIONS)
"""An answer that is whole and calls tools."""


def rounds(
    calling: st.SearchStrategy[Data] = CALLING, last: st.SearchStrategy[Data] = DONE, most: int = 2
) -> Script:
    """Some answers that call tools, and one behind their results."""
    return then(st.lists(calling, min_size=1, max_size=most), script(last))


def broken(steps: Script) -> st.SearchStrategy[Data]:
    """An answer of these steps, or the first of them, with an end that is written."""
    return answers(said(st.one_of(steps, st.just([])), st.one_of(_BAD_ENDS, WRITTEN_ENDS)))


def deaf(steps: Script = SHOWN) -> st.SearchStrategy[Data]:
    """An answer that hangs or goes on, and may not listen to a cancel."""
    return answers(
        said(steps, st.sampled_from([[], [Word("hang")]])),
        st.fixed_dictionaries({"on_cancel": st.one_of(words("ignore", "hang", "close"), _LATE)}),
    )


PASSING: st.SearchStrategy[Data] = st.builds(
    lambda how, more: {how: {"retryable": True, **more}},
    st.sampled_from(("error", "raise")),
    st.one_of(st.just({}), st.fixed_dictionaries({"retry_after": PAUSES})),
)
_HIDDEN: st.SearchStrategy[list[Data]] = st.one_of(
    st.just([]), st.just([{"usage": [9, 0]}]), CUT, st.just([""])
)
FAILING = answers(then(st.one_of(_HIDDEN, _HIDDEN, SHOWN), script(PASSING)), st.just({}))
"""An attempt that may be made again, unless something of it was shown."""

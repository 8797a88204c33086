"""Steps to draw: chunks, tool calls cut anywhere, usage, marks, and how a stream ends.

Everything is drawn from short lists of telling values, the simplest first: Hypothesis shrinks
towards it, and a random text would seldom be valid JSON, blank or cut inside a character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from simharness.scenario.model import Mark
from simharness.scenario.steps import FINISH_REASONS
from simharness.strategies.written import Data, Document, Word

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ENDS", "PAUSES", "STEPS", "TEXTS", "TOOL_NAMES", "WRITTEN_ENDS", "calls"]

TOOL_NAMES = ("search", "fetch", "save")
"""Names under which tools are defined; the first one is called most."""

_CALLED = (*TOOL_NAMES, "unknown")
_ARGUMENTS = ("{}", '{"q":1}', '{"q":"é🙂"}', "", '{"q":', "[1]", "null", " ", '{"q":1}{}')
_PIECES = ("}", "", '{"q":', "{}")

TEXTS = st.sampled_from(("a", "b ", "Hello", "", " ", "\n", "é🙂", "close", "ü: [", "{}"))
"""Text deltas: plain words, blanks, nothing, and what needs care in files."""

PAUSES = st.sampled_from([Word(f"{count}ms") for count in (0, 10, 200, 1000, 1500, 30_000)])
"""Durations on all sides of the bounds that agents have."""


def _under(key: str) -> Callable[[Data], Data]:
    return lambda value: {key: value}


# --- steps ------------------------------------------------------------------------------------


@st.composite
def _calls(draw: st.DrawFn, names: st.SearchStrategy[str], texts: st.SearchStrategy[str]) -> Data:
    call: Document = {"name": draw(names)}
    text = draw(texts)
    cuts = sorted({min(cut, len(text)) for cut in draw(_CUTS)})
    bounds = zip([0, *cuts], [*cuts, len(text)], strict=True)
    call["pieces"] = [text[start:end] for start, end in bounds]
    call.update(draw(_IDENTITIES))
    return {"call": call}


_NAMES = st.sampled_from(_CALLED)
_TEXTS_OF_ARGUMENTS = st.sampled_from(_ARGUMENTS)


def calls(
    names: st.SearchStrategy[str] = _NAMES, texts: st.SearchStrategy[str] = _TEXTS_OF_ARGUMENTS
) -> st.SearchStrategy[Data]:
    """A call of one of `names` whose argument text, one of `texts`, is cut at any characters."""
    return _calls(names, texts)


_CUTS = st.lists(st.integers(0, max(map(len, _ARGUMENTS))), max_size=3)
_IDENTITIES: st.SearchStrategy[Document] = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {}, optional={"id": st.sampled_from(("x1", "", "c1")), "index": st.integers(0, 2)}
    ),
)

_MORE_ARGUMENTS: st.SearchStrategy[Data] = st.one_of(
    st.sampled_from(_PIECES),
    st.fixed_dictionaries({"text": st.sampled_from(_PIECES), "index": st.integers(0, 2)}),
)
_TOKENS = st.integers(0, 20)

STEPS: st.SearchStrategy[Data] = st.one_of(
    TEXTS,
    TEXTS.map(_under("reasoning")),
    calls(),
    st.sampled_from([Word(mark) for mark in Mark]),
    st.tuples(_TOKENS, _TOKENS).map(_under("usage")),
    PAUSES.map(_under("wait")),
    _MORE_ARGUMENTS.map(_under("args")),
    TEXTS.map(_under("opaque")),
)
"""One step that is no end."""


# --- ends -------------------------------------------------------------------------------------

_ERRORS: st.SearchStrategy[Data] = st.one_of(
    st.sampled_from((None, {"retryable": True})),
    st.fixed_dictionaries(
        {"message": st.just("overloaded"), "retryable": st.booleans()},
        optional={"retry_after": PAUSES, "kind": st.just("overload")},
    ),
)

_GOING_ON: st.SearchStrategy[Data] = st.one_of(
    st.sampled_from([{"finish": Word(reason)} for reason in FINISH_REASONS]),
    _ERRORS.map(_under("error")),
    st.sampled_from((Word("abort"), {"abort": "user"}, {"abort": "overload"})),
)
"""Ends after which a stream may say more."""

_FINAL: st.SearchStrategy[Data] = st.one_of(
    _ERRORS.map(_under("raise")), st.sampled_from((Word("close"), Word("hang")))
)


@st.composite
def _more_after_an_end(draw: st.DrawFn) -> list[Data]:
    first, more = draw(_GOING_ON), draw(st.lists(STEPS, min_size=1, max_size=2))
    return [first, *more, *draw(st.lists(_ANY, max_size=1))]


_ANY = st.one_of(_GOING_ON, _FINAL)

WRITTEN_ENDS: st.SearchStrategy[list[Data]] = st.one_of(
    st.lists(_GOING_ON, min_size=1, max_size=1), st.lists(_FINAL, min_size=1, max_size=1)
)
"""One end."""

ENDS: st.SearchStrategy[list[Data]] = st.one_of(
    st.just([]),
    st.just([]),
    WRITTEN_ENDS,
    _more_after_an_end(),
)
"""How a stream ends: nothing written, one end, or an end with more behind it."""

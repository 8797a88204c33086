"""Answers to draw: whole streams with their reactions to a cancel."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.scenario.model import Report, Stream
from simharness.strategies.steps import ENDS, PAUSES, STEPS, TOOL_NAMES
from simharness.strategies.written import Data, Document, Word, streams_of

__all__ = ["ANSWERS", "streams"]


def streams() -> st.SearchStrategy[Stream]:
    """Model streams of any kind: any chunks, any end, any reaction to a cancel.

    Shrinks to a stream of one text that finishes.
    """
    return ANSWERS.map(lambda answer: streams_of([answer])[0])


_REPORTS = st.sampled_from([Word(report) for report in Report])
_REACTIONS: st.SearchStrategy[Data] = st.one_of(
    _REPORTS,
    st.fixed_dictionaries(
        {"report": _REPORTS},
        optional={
            "latency": PAUSES,
            "ends_after": PAUSES,
            "keeps_sending": st.integers(0, 3),
            "late": st.lists(STEPS, max_size=2),
            "close": st.fixed_dictionaries({}, optional={"takes": PAUSES, "raises": st.booleans()}),
            "reason": st.sampled_from(("user", "overload")),
        },
    ),
)
_OPTIONS: st.SearchStrategy[Document] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"on_cancel": _REACTIONS}),
    st.fixed_dictionaries(
        {},
        optional={
            "on_cancel": _REACTIONS,
            "start": st.just(value=False),
            "burst": st.integers(2, 3),
            "every": PAUSES,
        },
    ),
)
_TEXT: list[Data] = ["a"]
_CALL: list[Data] = ["b", {"call": TOOL_NAMES[0]}]
_TWO_CALLS: list[Data] = [{"call": TOOL_NAMES[0]}, {"call": TOOL_NAMES[1]}]
_PASSING: list[Data] = [{"raise": {"retryable": True}}]
_PLAIN = st.sampled_from((_TEXT, _CALL, _PASSING, _TWO_CALLS))
_SAID: st.SearchStrategy[list[Data]] = st.one_of(st.just(_TEXT), st.lists(STEPS, max_size=6))
_NOTHING: list[Data] = [Word("finish")]


@st.composite
def _strange(draw: st.DrawFn) -> list[Data]:
    return [*draw(_SAID), *draw(ENDS)] or _NOTHING


_STREAMS = st.one_of(_PLAIN, _strange())


@st.composite
def _answers(draw: st.DrawFn) -> Data:
    """Half of them plain, so that runs get far enough for the strange ones to matter."""
    stream: Data = draw(_STREAMS)
    options = draw(_OPTIONS)
    return {"stream": stream, **options} if options else stream


ANSWERS = _answers()
"""One entry of `model:`."""

"""Answers to draw: whole streams with their reactions to a cancel."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.scenario.model import Report, Stream
from simharness.strategies.steps import ENDS, PAUSES, STEPS, TOOL_NAMES
from simharness.strategies.written import Data, Document, Word, streams_of

__all__ = ["ANSWERS", "OPTIONS", "REACTIONS", "answers", "said", "streams"]


def streams() -> st.SearchStrategy[Stream]:
    """Model streams of any kind: any chunks, any end, any reaction to a cancel.

    Shrinks to a stream of one text that finishes.
    """
    return ANSWERS.map(lambda answer: streams_of([answer])[0])


_REPORTS = st.sampled_from([Word(report) for report in Report])
REACTIONS: st.SearchStrategy[Data] = st.one_of(
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
OPTIONS: st.SearchStrategy[Document] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"on_cancel": REACTIONS}),
    st.fixed_dictionaries(
        {},
        optional={
            "on_cancel": REACTIONS,
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
def said(
    draw: st.DrawFn,
    steps: st.SearchStrategy[list[Data]],
    ends: st.SearchStrategy[list[Data]] = ENDS,
) -> list[Data]:
    """The steps of one answer with an end behind them."""
    return [*draw(steps), *draw(ends)] or _NOTHING


@st.composite
def answers(
    draw: st.DrawFn,
    streams: st.SearchStrategy[list[Data]],
    options: st.SearchStrategy[Document] = OPTIONS,
) -> Data:
    """An entry of `model:` with these steps."""
    stream: Data = draw(streams)
    chosen = draw(options)
    return {"stream": stream, **chosen} if chosen else stream


ANSWERS = answers(st.one_of(_PLAIN, said(_SAID)))
"""One entry of `model:`. Half of them are plain, so that runs get far enough for the strange ones
to matter."""

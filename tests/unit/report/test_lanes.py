"""The lane table: what stands in it, what is collapsed, what is marked, how wide it gets."""

from __future__ import annotations

from simharness import trace as t
from simharness.choices import Kind, Option, Point
from simharness.report.lanes import WIDTH, render, rows_of
from simharness.report.rows import make_rows

RUN = Option("run", Kind.RUN, "")
CANCEL = Option("cancel", Kind.ACTION, "user")


def traced(*records: t.Record, run: int = 1) -> t.Trace:
    """A trace of `records`, a tenth of a second apart."""
    trace = t.Trace()
    for number, record in enumerate(records):
        trace.add(record, time=number / 10, run=run)
    return trace


def chunk(number: int, text: str) -> list[t.Record]:
    """A chunk that is delivered and taken at once."""
    return [t.ChunkArrived(1, number, "text", text), t.ChunkTaken(1, number, "text", text)]


def test_chunks_taken_in_one_go_are_one_row() -> None:
    """A run of chunks that nothing interrupts reads as one row with the joined text."""
    (row,) = make_rows(traced(*chunk(1, "First "), *chunk(2, "second")))

    assert {"model": 'chunks 1-2 "First second"', "agent": "taken"} == row.cells


def test_a_chunk_that_is_not_shown_is_not_called_shown() -> None:
    """The agent's cell says `shown` only if the agent handed all of the text on."""
    shown = make_rows(traced(*chunk(1, "ab"), t.Shown(1, "ab")))
    partly = make_rows(traced(*chunk(1, "ab"), t.Shown(1, "a")))

    assert ["shown"] == [row.cells["agent"] for row in shown]
    assert ['shows "a"'] == [row.cells["agent"] for row in partly]


def test_a_message_that_starts_with_a_chunk_is_part_of_its_row() -> None:
    """Whether the agent announces the message before or after it takes the chunk."""
    arrived, taken = chunk(1, "ab")
    starts = t.MessageStart(t.assistant())
    (row,) = make_rows(traced(arrived, starts, taken, t.Shown(1, "ab")))

    assert {"model": 'chunk 1 "ab"', "agent": "MessageStart assistant, shown"} == row.cells


def test_a_burst_stays_visible() -> None:
    """Two chunks that arrive before the first is taken are not drawn as if they came in turn."""
    first, second = chunk(1, "a"), chunk(2, "b")

    rows = make_rows(traced(first[0], second[0], first[1], second[1]))

    assert 'chunk 1 "a" arrives' == rows[0].cells["model"]
    assert 1 < len(rows)


def test_evidence_is_pointed_at_and_a_request_shows_its_messages() -> None:
    """The request that breaks a rule stands alone, with `<--` and every message it carried."""
    request = t.RequestMade(2, (t.user("go"), t.assistant("", t.Call("c1", "search", "{}"))))
    text = render(traced(t.PromptCalled("go"), request), (), (1,))

    assert "request 2: user, assistant(c1)" in text
    assert "| 2. assistant call c1 search({})" in text
    assert 1 == text.count("<--")


def test_a_deviation_is_marked_where_it_took_effect() -> None:
    """`*` stands before the first record behind the choice, and the footnote names the choice."""
    course = (Point((RUN, CANCEL), 0, at=0), Point((RUN, CANCEL), 1, at=3))
    trace = traced(t.PromptCalled("go"), *chunk(1, "a"), t.CancelCalled("API"), *chunk(2, "b"))

    rows = rows_of(trace, course)
    text = render(trace, course)

    assert ["cancel (api)"] == [row.cells["user"] for row in rows if row.deviates]
    assert "point 1: cancel, instead of run" in text


def test_a_cancel_is_marked_where_it_was_called() -> None:
    """What was ready when the cancel was placed runs first, and is not what deviates."""
    course = (Point((RUN, CANCEL), 1, at=1),)
    request = t.RequestMade(1, (t.user("go"),))
    trace = traced(t.PromptCalled("go"), request, t.CancelCalled("task"))

    assert [False, False, True] == [row.deviates for row in rows_of(trace, course)]


def test_a_chunk_that_is_evidence_stays_one_row() -> None:
    """A chunk taken at once is pointed at as a whole, and does not swallow its neighbours."""
    rows = make_rows(traced(*chunk(1, "a"), *chunk(2, "b"), *chunk(3, "c")), evidence=(3,))

    assert ['chunk 1 "a"', 'chunk 2 "b"', 'chunk 3 "c"'] == [row.cells["model"] for row in rows]
    assert [False, True, False] == [row.evidence for row in rows]


def test_a_choice_before_a_record_that_is_left_out_keeps_its_mark() -> None:
    """The mark moves on to the next row if the record right behind the choice is not shown."""
    course = (Point((RUN, CANCEL), 1, at=1),)
    trace = traced(t.PromptCalled("go"), t.StreamClosed(1, "end"), t.CancelCalled("API"))

    assert [False, True] == [row.deviates for row in rows_of(trace, course)]


def test_records_of_an_earlier_run_say_so() -> None:
    """A tool of run 1 that ends while run 2 is on carries the number of its run."""
    trace = traced(t.PromptCalled("one"))
    trace.add(t.PromptCalled("two"), time=1.0, run=2)
    trace.add(t.ToolEnded("c1", "returned", "ok"), time=1.0, run=1)

    assert '[run 1] c1 returned "ok"' == make_rows(trace)[-1].cells["tools"]


def test_no_line_is_wider_than_the_limit() -> None:
    """Long texts and many messages are cut, so that a log viewer never wraps."""
    long = "word " * 60
    request = t.RequestMade(1, tuple(t.user(long) for _ in range(30)))
    trace = traced(
        t.PromptCalled(long), request, *chunk(1, long), t.ToolStarted("c" * 80, long, "{}")
    )

    lines = render(trace, (Point((RUN, CANCEL), 1, at=0),), (1,)).splitlines()

    assert WIDTH >= max(map(len, lines))
    assert any("more messages" in line for line in lines)


def test_a_long_trace_keeps_what_matters_and_counts_the_rest() -> None:
    """Rows far from the user's actions, the deviations and the evidence are counted, not drawn."""
    dull = [t.ToolEffect("c1", number) for number in range(100)]
    lines = render(traced(t.PromptCalled("go"), *dull, t.CancelCalled("TASK")), ()).splitlines()

    assert 15 > len(lines)
    assert any("more rows" in line for line in lines)
    assert any("cancel (task)" in line for line in lines)

"""What a stream still says when it was silent for too long."""

from __future__ import annotations

import pytest

from simharness.agents.reference import make
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.search import Bounded, explore
from simharness.trace import LogRow, StreamTold, TerminalTaken, UsageTaken
from simharness.world.run import batch

SCRIPT = """scenario: usage-behind-a-silence
agent: {idle_limit: 1s}
model: [{stream: [{usage: [11, 8]}], start: false, every: 1s, on_cancel: error}]
patience: 0s
run: [prompt: Go]
epilogue: false
"""


MEETING = """scenario: restart-meets-a-silence
agent: {idle_limit: 0ms}
model: [[a]]
run: [prompt: Go, {context_restart: , at: 10ms}]
epilogue: false
"""


ENDED = """scenario: silence-behind-an-end
agent: {reads_on: true}
model: [{stream: [a, {error: gone}, hang], on_cancel: REPORT}]
run: [prompt: Go]
epilogue: false
"""


@pytest.mark.parametrize("report", ["aborted", "error", "close", "finish", "raise"])
def test_a_stream_that_has_ended_has_no_other_answer_to_a_cancel(report: str) -> None:
    """The cancel of who reads on goes through it; else nobody would ever wake the reader."""
    (case,) = load_text(ENDED.replace("REPORT", report)).cases
    with batch():
        verdict = Bench(case, make).trial(ScheduleChooser())
    assert frozenset() == verdict.broken()
    assert verdict.trace is not None
    assert ["error"] == [end.kind for end in verdict.trace.of(TerminalTaken)]
    assert ["CancelledError"] == [told.how for told in verdict.trace.of(StreamTold)]


def test_a_restart_in_the_moment_of_a_silence_is_no_failure() -> None:
    """The cancel of the task that is on its way then is that of the limit, and no caller's."""
    (case,) = load_text(MEETING).cases
    with batch():
        verdicts = list(explore(Bench(case, make).trial, Bounded(1), 100))
    assert 5 < len(verdicts)
    assert {frozenset()} == {verdict.broken() for verdict in verdicts}


def test_usage_that_comes_too_late_counts_all_the_same() -> None:
    """It has to be paid; the attempt fails of the silence."""
    (case,) = load_text(SCRIPT).cases
    with batch():
        verdict = Bench(case, make).trial(ScheduleChooser())
    assert frozenset() == verdict.broken()
    assert verdict.trace is not None
    assert 1 == len(verdict.trace.of(UsageTaken))
    (row,) = verdict.trace.of(LogRow)
    assert (False, (11, 8)) == (row.success, row.usage)

"""Faults of an adapter show as such: with their text, and never as a deadlock of its agent."""

from __future__ import annotations

import pytest

from simharness.agent import CancelWay
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.trace import LimitHit, LoopError, Message, Outcome, RunSettled
from simharness.world.run import batch, run
from tests.loops import Loop

TEXT = 'scenario: s\nmodel: [["Hi ", "there."]]\nrun: [{prompt: go}, {cancel: {after: chunk 1}}]\n'
(CASE,) = load_text(TEXT).cases


class NoHistory(Loop):
    """Cannot say its history."""

    def history(self) -> list[Message]:
        """Fail."""
        raise ZeroDivisionError("history")


class NoOutcome(Loop):
    """Cannot say its outcome."""

    def outcome_of(self, exc: BaseException | None) -> Outcome | None:
        """Fail."""
        raise ZeroDivisionError("outcome")


class NoCancel(Loop):
    """Cannot be cancelled: its cancel call raises."""

    cancel_ways = frozenset({CancelWay.API})

    def cancel(self, way: CancelWay, reason: str) -> None:
        """Fail."""
        raise ZeroDivisionError("cancel")


@pytest.mark.parametrize("agent", [NoHistory, NoOutcome])
def test_a_question_that_raises_is_an_error_with_its_text(agent: type[Loop]) -> None:
    """The trial proves nothing then, and the traceback leads to the line."""
    with batch(), pytest.raises(ZeroDivisionError, match=r"history|outcome"):
        run(CASE, agent, ScheduleChooser())


def test_a_cancel_call_that_raises_is_over_nevertheless() -> None:
    """Its caller has got the exception; the run goes on, and the trial ends."""
    with batch():
        trace = run(CASE, NoCancel, ScheduleChooser()).trace

    assert ["ZeroDivisionError: cancel"] == [error.error for error in trace.of(LoopError)]
    assert [] == trace.of(LimitHit)
    assert 2 == len(trace.of(RunSettled))

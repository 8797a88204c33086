"""Trials whose thread does not come back are ended from outside, in the process they run in."""

from __future__ import annotations

import threading
import time

import pytest

from simharness.agent import Style
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.trace import LimitHit, PromptCalled, RunSettled
from simharness.world.run import Run, batch, run
from tests.loops import Loop, good
from tests.misbehaving.agents import Locks, Spins

(CASE,) = load_text('scenario: s\nmodel: ["Hi."]\nrun: [{prompt: misbehave}]\n').cases

WALL_S = 0.4


class SpinsInThread(Loop):
    """A synchronous agent that never comes back, but runs Python code."""

    style = Style.SYNC

    def prompt(self, text: str) -> None:  # type: ignore[override]
        """Spin."""
        while True:
            pass


class LocksInThread(Loop):
    """A synchronous agent that waits for a lock; `release` lets its thread end after the test."""

    style = Style.SYNC
    release = threading.Lock()

    def prompt(self, text: str) -> None:  # type: ignore[override]
        """Wait."""
        self.release.acquire()


class Stubborn(Loop):
    """Swallows the first interruption, whatever it is."""

    async def prompt(self, text: str) -> None:
        """Spin, and after an exception once more."""
        for _ in range(2):
            try:
                while True:
                    pass
            except BaseException:
                continue
        await super().prompt(text)


def tried(factory: type[Loop]) -> Run:
    """One trial on the default schedule, hurried."""
    with batch(wall_s=WALL_S):
        return run(CASE, factory, ScheduleChooser())


@pytest.mark.parametrize("factory", [Spins, Locks, SpinsInThread, Stubborn])
def test_a_thread_that_does_not_come_back_ends_the_trial(factory: type[Loop]) -> None:
    """The limit is named, with the agent's outermost function, and no run has settled."""
    trace = tried(factory).trace

    (limit,) = trace.of(LimitHit)
    assert "wall-limit" == limit.limit
    assert f"busy in {factory.prompt.__qualname__} of " in limit.detail
    assert [] == trace.of(RunSettled)


def test_a_trial_that_was_ended_is_the_same_each_time() -> None:
    """Where exactly it was caught is not part of its trace."""
    assert tried(Spins).trace.text() == tried(Spins).trace.text()


def test_a_thread_that_cannot_be_ended_is_left_behind() -> None:
    """The trial ends without it; what it does later touches no other trial."""
    LocksInThread.release.acquire()
    first = tried(LocksInThread).trace
    with batch(wall_s=WALL_S):
        before = run(CASE, good, ScheduleChooser()).trace.hash()
        LocksInThread.release.release()
        after = run(CASE, good, ScheduleChooser()).trace.hash()

    assert ["wall-limit"] == [limit.limit for limit in first.of(LimitHit)]
    assert before == after


def test_slow_trials_one_after_the_other_are_not_slow_together() -> None:
    """What counts is one trial, not the batch."""
    with batch(wall_s=WALL_S):
        started = time.perf_counter()  # real between two trials
        while time.perf_counter() - started < 2 * WALL_S:
            assert [] == run(CASE, good, ScheduleChooser()).trace.of(LimitHit)


def test_there_is_no_watchdog_outside_the_main_thread() -> None:
    """Signals reach the main thread only; trials run elsewhere as well, without it."""
    found: list[int] = []

    def body() -> None:
        with batch(wall_s=WALL_S):
            found.append(len(run(CASE, good, ScheduleChooser()).trace.of(PromptCalled)))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert [2] == found

"""Ctrl-C by whoever runs the harness ends the campaign wherever it falls."""

from __future__ import annotations

import asyncio
import contextlib
import signal

import pytest

from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.trace import RunSettled
from simharness.world.run import batch, run
from tests.loops import Loop, good

(CASE,) = load_text('scenario: s\nmodel: ["Hi."]\nrun: [{prompt: go}]\n').cases


class Pressed(Loop):
    """Somebody presses Ctrl-C while it works."""

    async def prompt(self, text: str) -> None:
        """Work on after the signal."""
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(1)


class Deaf(Pressed):
    """Swallows the KeyboardInterrupt."""

    async def prompt(self, text: str) -> None:
        """Go on as if nothing were."""
        with contextlib.suppress(KeyboardInterrupt):
            await super().prompt(text)


@pytest.mark.parametrize("agent", [Pressed, Deaf])
def test_ctrl_c_is_no_verdict_about_the_agent(agent: type[Loop]) -> None:
    """It comes out of the trial, whatever the agent and its task made of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with batch(), pytest.raises(KeyboardInterrupt):
            run(CASE, agent, ScheduleChooser())
        with batch():
            assert 2 == len(run(CASE, good, ScheduleChooser()).trace.of(RunSettled))
        assert signal.default_int_handler is signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)

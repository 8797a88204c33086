"""What agents print is dropped in a search and shown in a replay."""

from __future__ import annotations

import sys

import pytest

from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.world.run import batch, run
from tests.loops import Loop

(CASE,) = load_text('scenario: s\nmodel: ["Hi."]\nrun: [{prompt: go}]\n').cases


class Talks(Loop):
    """Prints on both streams, also bytes."""

    async def prompt(self, text: str) -> None:
        """Say it three times."""
        print("by print")
        print("to the error stream", file=sys.stderr)
        sys.stdout.buffer.write(b"as bytes\n")
        await super().prompt(text)


def test_what_an_agent_prints_in_a_batch_is_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    """A search makes thousands of trials; reports must stay readable."""
    with batch():
        run(CASE, Talks, ScheduleChooser())
    print("afterwards")

    assert ("afterwards\n", "") == tuple(capsys.readouterr())


def test_a_batch_can_send_it_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    """The error stream keeps its place, the standard output goes where it was asked to go."""
    with batch(output=sys.stderr):
        run(CASE, Talks, ScheduleChooser())

    out, err = capsys.readouterr()
    assert "" == out
    assert {"by print", "to the error stream", "as bytes"} == set(err.split("\n")) - {""}

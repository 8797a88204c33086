"""Which ways of cancelling a case can ask of an agent."""

from __future__ import annotations

import pytest

from simharness.agent import NotApplicable
from simharness.agents import find
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.world.run import batch, run

TEXT = """\
scenario: leaving
model: [[one, two]]
run:
  - prompt: Go
  - cancel: {after: chunk 1, way: WAY}
"""


@pytest.mark.parametrize("way", ["close", "break"])
def test_nobody_leaves_an_agent_that_hands_over_no_items(way: str) -> None:
    """A prompt that is awaited has no iterator to close; the case must not count as played."""
    case = load_text(TEXT.replace("WAY", way)).cases[0]
    with batch(), pytest.raises(NotApplicable, match="nothing to leave"):
        run(case, find("reference"), ScheduleChooser())

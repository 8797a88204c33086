"""The page about shrinking: its scenario plays the schedule that it says."""

from __future__ import annotations

import re
from pathlib import Path

from simharness.agents import find
from simharness.campaign.budget import Plan
from simharness.check import check_case
from simharness.scenario.load import load_text

PAGE = Path(__file__).parents[2] / "docs" / "shrinking.md"


def test_the_schedule_of_the_page_finds_its_place() -> None:
    """The cancel comes between the ends of the two tools: one result is real, one is not."""
    found = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (text,) = (block for block in found if "schedule:" in block)
    (case,) = load_text(text).cases

    result = check_case(case, find("reference"), Plan(budget=1))

    assert () == result.not_exercised
    (ending,) = result.ended
    assert ("cancelled", "completed") == ending.outcomes
    assert [False, True] == [one.is_error for one in ending.history if one.role == "tool"]

"""Playing one case once: what a property test gets to see, and can hand on."""

from __future__ import annotations

import re

from simharness.choices import ScheduleChooser
from simharness.replay.code import ReplayCode
from simharness.scenario.load import load_text
from simharness.testing import play
from tests.unit.plugin.scenarios import TOOL


def test_a_case_that_holds_has_a_verdict_and_nothing_broken() -> None:
    """On the default schedule, or as a chooser says."""
    case = load_text(TOOL).cases[0]
    assert "" == play("reference", case).broken
    played = play("reference", case, ScheduleChooser(((0, 1),)))
    assert "" == played.broken
    assert ((0, 1),) == played.verdict.schedule


def test_what_breaks_is_shown_with_all_that_is_needed_to_see_it_again() -> None:
    """The scenario as YAML, and a replay line that holds agent and scenario."""
    case = load_text(TOOL).cases[0]
    broken = play("tests.loops:forgetful", case).broken
    assert broken.startswith(case.source)
    assert "FAILED tool-pairing" in broken
    found = re.search(r"simharness replay (sh1:\S+)", broken)
    assert found is not None
    code = ReplayCode.decode(found[1])
    assert ("tests.loops:forgetful", case.source) == (code.agent, code.source)

"""The flagship scenario: it holds in every explored schedule, and a wrong expectation shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents import find
from simharness.campaign.budget import Plan
from simharness.campaign.shipped import suite_folder
from simharness.check import Bench, check_case
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_file, load_text
from simharness.search import Bounded, Stop, explore
from simharness.verdict import CaseVerdict
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.scenario.model import Scenario

FILE = suite_folder() / "cancel" / "cancel-mid-text-keeps-prefix.sim.yaml"
KEPT = '{assistant: "First point. Second ", interrupted: true}'
WRONG = '{assistant: "First point. Second point.", interrupted: true}'
DIFFERENCE = '''\
the history is not the expected one (- expected, + actual)
    user "Tell me three things"
  - assistant "First point. Second point." interrupted
  + assistant "First point. Second " interrupted
    user "again"
    assistant "ok"'''


def flagship() -> Scenario:
    """The flagship as it is shipped."""
    return load_file(FILE)


def test_the_flagship_holds_on_the_default_schedule() -> None:
    """Whatever the stream reports, the prefix is kept and nothing is broken."""
    plan = Plan(strategy="default")
    results = [check_case(case, find("reference"), plan) for case in flagship().cases]
    assert [CaseVerdict.HOLDS] * 4 == [result.verdict for result in results]
    assert [1] * 4 == [result.trials for result in results]


def test_the_flagship_holds_in_every_schedule_within_two_deviations() -> None:
    """The search runs them all, within its budget, and none breaks a rule or an expectation."""
    for case in flagship().cases:
        bench = Bench(case, find("reference"))
        search = explore(bench.trial, Bounded(2), budget=5_000)
        with batch():
            broken = [verdict.broken() for verdict in search if verdict.violations]
        assert [] == broken
        assert search.stop in {Stop.EXHAUSTED, Stop.FINISHED}
        assert search.interleavings > 1


def test_a_wrong_history_fails_with_a_readable_difference() -> None:
    """The message shows the expected and the actual history line by line."""
    text = FILE.read_text("utf-8")
    assert KEPT in text
    wrong = load_text(text.replace(KEPT, WRONG), "wrong.sim.yaml")
    bench = Bench(wrong.cases[0], find("reference"))
    with batch():
        verdict = bench.trial(ScheduleChooser())
    assert ["expect.history"] == [violation.rule for violation in verdict.violations]
    assert DIFFERENCE == verdict.violations[0].message

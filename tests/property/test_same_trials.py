"""What the world notes as the same trial is the same trial, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings, strategies as st

from simharness import agents
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.search import Deviate
from simharness.search.sampler import Drawn
from simharness.strategies import cases
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.choices import Schedule
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict


def marked(verdict: Verdict) -> list[Schedule]:
    """The schedules with one deviation more that are noted as the same trial as this one."""
    schedule = verdict.schedule
    first = schedule[-1][0] + 1 if schedule else 0
    points = list(enumerate(verdict.course))[first:]
    return [(*schedule, (number, point.same)) for number, point in points if point.same]


@given(st.one_of(cases(), cases(store=True)), st.integers(0, 10_000))
@settings(max_examples=150, deadline=None, suppress_health_check=[*HealthCheck])
def test_a_marked_option_changes_nothing(case: Case, seed: int) -> None:
    """Behind any schedule: the default one, and one that is drawn."""
    bench = Bench(case, agents.find("reference"))
    with batch():
        default = bench.trial(ScheduleChooser())
        drawn = bench.trial(Drawn(Deviate(seed=seed), 0).chooser())
        for verdict in (default, drawn):
            for schedule in marked(verdict):
                again = bench.trial(ScheduleChooser(schedule))
                assert verdict.trace_hash == again.trace_hash
                assert schedule == again.schedule


def test_marks_are_there() -> None:
    """A good part of what a search could deviate by is known to change nothing."""
    points = marks = 0

    @given(cases())
    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    def count(case: Case) -> None:
        nonlocal points, marks
        verdict = Bench(case, agents.find("reference")).trial(ScheduleChooser())
        points += sum(len(point.options) - 1 for point in verdict.course)
        marks += len(marked(verdict))

    with batch():
        count()
    assert marks > points / 10

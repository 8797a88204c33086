"""The sweep leaves out places that equal another one; on real agent runs nothing is lost by it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from simharness.agents import find
from simharness.check import Bench
from simharness.choices import Kind, Schedule, ScheduleChooser
from simharness.scenario.load import load_file
from simharness.search.sweep import placements
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.scenario.model import Case

FILES = sorted(Path(__file__).parents[2].glob("scenarios/cancel/cancel-anywhere-*.sim.yaml"))
CASES = [case for file in FILES for case in load_file(file).cases]


def traces(bench: Bench, schedules: list[Schedule]) -> set[str]:
    """The different interleavings under `schedules`."""
    return {bench.trial(ScheduleChooser(schedule)).trace_hash for schedule in schedules}


def test_there_are_cases_to_sweep() -> None:
    """The shipped scenarios place cancels anywhere."""
    assert len(CASES) >= 6


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_sweep_gives_the_traces_of_all_placements(case: Case) -> None:
    """Fewer trials than choice points that offer the cancel, and every interleaving of them."""
    bench = Bench(case, find("reference"))
    with batch():
        course = bench.trial(ScheduleChooser()).course
        everywhere: list[Schedule] = [
            ((number, option),)
            for number, point in enumerate(course)
            for option, offered in enumerate(point.options)
            if option and offered.kind is Kind.ANYWHERE
        ]
        swept = list(placements(course))
        assert len(swept) < len(everywhere)
        assert traces(bench, everywhere) == traces(bench, swept)

"""Each public report has its scenario, and the scenario can tell the fault from the sound loop."""

from __future__ import annotations

import re
from functools import cache
from typing import cast

import attrs
import pytest

from simharness.agent import AgentFactory
from simharness.agents.mutants import find_mutant
from simharness.agents.reference import make
from simharness.campaign.shipped import suite_folder
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.load import find_files, load_file
from simharness.scenario.model import Case, Scenario
from simharness.world.run import batch
from tests.field.page import as_markdown
from tests.field.rows import ROOT, Row, read_rows, tagged

ROWS = read_rows()
SHOWN = [row for row in ROWS if row.mutant]
TAG = re.compile(r"FR\d{3}")


@cache
def suite() -> tuple[Scenario, ...]:
    """The shipped suite."""
    return tuple(load_file(path) for path in find_files([suite_folder()]))


def broken(case: Case, agent: AgentFactory) -> frozenset[str]:
    """The rules and expectations that an agent breaks on the default schedule."""
    with batch():
        return Bench(case, agent).trial(ScheduleChooser()).broken()


def broken_by_the_loop(case: Case) -> frozenset[str]:
    """What the loop breaks in a case without the fault that the case names, if it names one."""
    return broken(attrs.evolve(case, mutant=None, violates=None), make)


def broken_by_the_mutant(case: Case, row: Row) -> frozenset[str]:
    """What the row's mutant breaks; a case that names it itself is judged with its `expect`.

    The fault is put into the loop as it is, also where it is one of a real system.
    """
    assert row.mutant is not None
    if case.mutant == row.mutant:
        return broken(case, make)
    return broken(case, cast("AgentFactory", find_mutant(row.mutant).loop))


def test_each_tag_is_one_of_the_rows() -> None:
    """A report that is tagged is on the page."""
    tags = {tag for one in suite() for case in one.cases for tag in case.tags if TAG.match(tag)}
    assert {row.id for row in SHOWN} == tags


@pytest.mark.parametrize("row", SHOWN, ids=lambda row: row.id)
def test_the_mutant_is_red_and_the_loop_green(row: Row) -> None:
    """In each scenario of the row the fault breaks the row's rule, and the sound loop nothing."""
    scenarios = tagged(suite(), row)
    assert scenarios
    for scenario in scenarios:
        cases = [case for case in scenario.cases if row.id in case.tags]
        assert {frozenset()} == {broken_by_the_loop(case) for case in cases}, scenario.name
        breaks = [broken_by_the_mutant(case, row) for case in cases]
        assert any(row.rule in rules for rules in breaks), (scenario.name, breaks)


def test_the_page_is_up_to_date() -> None:
    """`make coverage` would write what is there."""
    page = ROOT / "reports" / "coverage.md"
    assert as_markdown(ROWS, suite()) == page.read_text(encoding="utf-8")

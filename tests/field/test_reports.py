"""Each public report has its scenario, and the scenario can tell the fault from the sound loop."""

from __future__ import annotations

import re
from functools import cache

import attrs
import pytest

from simharness.agents.reference import make
from simharness.campaign.shipped import suite_folder
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.field.pins import load_pins
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


@attrs.frozen
class Played:
    """What the loop breaks in the cases of one scenario, as it is and with the row's fault."""

    scenario: str
    sound: frozenset[str]
    faulty: frozenset[str]


@cache
def played() -> dict[str, list[Played]]:
    """The scenarios of each row, played on the default schedule, all in one batch."""
    found: dict[str, list[Played]] = {}
    known: dict[tuple[str, str | None], frozenset[str]] = {}  # many rows share a scenario

    def breaks(case: Case, mutant: str | None) -> frozenset[str]:
        if (case.id, mutant) not in known:
            known[case.id, mutant] = broken(case, mutant)
        return known[case.id, mutant]

    with batch():
        for row in SHOWN:
            for scenario in tagged(suite(), row):
                cases = [case for case in scenario.cases if row.id in case.tags]
                sound = frozenset().union(*(breaks(case, None) for case in cases))
                faulty = frozenset().union(*(breaks(case, row.mutant) for case in cases))
                found.setdefault(row.id, []).append(Played(scenario.name, sound, faulty))
    return found


def broken(case: Case, mutant: str | None) -> frozenset[str]:
    """The rules and expectations that the loop breaks with a seeded fault, or with none."""
    bench = Bench(attrs.evolve(case, mutant=mutant, violates=None), make)
    return bench.trial(ScheduleChooser()).broken()


def test_each_tag_is_one_of_the_rows() -> None:
    """A report that is tagged is on the page."""
    tags = {tag for one in suite() for case in one.cases for tag in case.tags if TAG.match(tag)}
    assert {row.id for row in SHOWN} == tags


@pytest.mark.parametrize("row", SHOWN, ids=lambda row: row.id)
def test_the_mutant_is_red_and_the_loop_green(row: Row) -> None:
    """In each scenario of the row the fault breaks the row's rule, and the sound loop nothing."""
    scenarios = played()[row.id]
    assert [] == [one for one in scenarios if one.sound]
    assert [] == [one for one in scenarios if row.rule not in one.faulty]


def test_no_report_is_left_out() -> None:
    """The list has 150."""
    assert [f"FR{number:03}" for number in range(1, 151)] == [row.id for row in ROWS]


def test_the_pins_that_can_be_shown_are_those_of_the_rows() -> None:
    """What cannot be shown on a release was not seen there."""
    shown = {pin.id for pin in load_pins() if not pin.not_shown}
    assert shown == {pin for row in ROWS for pin in row.pins}


def test_the_page_is_up_to_date() -> None:
    """`make coverage` would write what is there."""
    page = ROOT / "reports" / "coverage.md"
    assert as_markdown(ROWS, suite()) == page.read_text(encoding="utf-8")

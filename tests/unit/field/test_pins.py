"""The list of pins: what it names exists, and what shows a bug is sound by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from simharness import agents, rules
from simharness.agents import reference
from simharness.campaign.budget import Plan
from simharness.check import check_case
from simharness.field.pins import PINS_FILE, SCENARIOS, Pin, load_pins
from simharness.scenario.load import load_text
from simharness.verdict import CaseVerdict

PINS = load_pins()
SHOWN = [pin for pin in PINS if not pin.not_shown]
FILES = sorted(SCENARIOS.glob("*.sim.yaml"))


def ident(pin: Pin) -> str:
    """The pin's own name, for the names of tests."""
    return pin.id


def test_there_are_eight_public_pins_and_all_are_shown() -> None:
    """Each of them has an adapter and a scenario; only what is in reserve may go without."""
    public = [pin for pin in PINS if pin.id.startswith("P")]
    assert [f"P{number}" for number in range(1, 9)] == [pin.id for pin in public]
    assert not any(pin.not_shown for pin in public)


@pytest.mark.parametrize("pin", PINS, ids=ident)
def test_a_pin_is_shown_or_says_why_not(pin: Pin) -> None:
    """One of the two, and its rule is one of ours."""
    assert pin.rule in {rule.id for rule in rules.RULES}
    assert bool(pin.not_shown) != bool(pin.agent and pin.scenario)
    assert pin.buggy != pin.fixed


@pytest.mark.parametrize("pin", SHOWN, ids=ident)
def test_what_shows_a_pin_exists(pin: Pin) -> None:
    """Its scenario is a file, and its agent one that ships."""
    assert pin.file in FILES
    module = pin.agent.partition(":")[0].rpartition(".")[2]
    assert pin.agent in agents.names() or Path(agents.__file__).with_name(f"{module}.py").is_file()


def test_every_scenario_shows_a_pin() -> None:
    """What nothing uses would rot."""
    assert {pin.file for pin in SHOWN} == set(FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_sound_loop_holds_in_every_scenario(file: Path) -> None:
    """The scenario is no fault by itself: the reference loop plays it, where it can, and holds."""
    (case,) = load_text(file.read_text(encoding="utf-8"), file=str(file)).cases
    result = check_case(case, reference.make, Plan(budget=20))
    assert result.verdict in {CaseVerdict.HOLDS, CaseVerdict.NOT_APPLICABLE}, result.findings


def test_requirements_name_one_release_and_what_comes_with_it() -> None:
    """Extras stay in their place."""
    pin = Pin(
        id="T", about="", report="", package="a[b]", rule="", buggy="1", fixed="2", needs=("c==3",)
    )
    wanted: tuple[str, ...] = ("a[b]==2", "c==3")
    assert wanted == pin.requirements("2")


def test_the_file_can_be_read_by_others() -> None:
    """Its format has a number."""
    assert PINS_FILE.read_text(encoding="utf-8").count("\nformat: 1\n") == 1

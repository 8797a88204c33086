"""Results travel without their case and have it again at the other end."""

from __future__ import annotations

import pickle

import attrs

from simharness.campaign.budget import Plan
from simharness.campaign.results import CaseResult
from simharness.check import check_case
from simharness.isolate.parcel import moved
from simharness.scenario.load import load_text
from tests.loops import forgetful
from tests.unit.plugin import scenarios


def found() -> CaseResult:
    """A case that is broken."""
    case = load_text(scenarios.TOOL, "case.sim.yaml").cases[0]
    return check_case(case, forgetful, Plan(budget=3))


def test_what_is_sent_has_no_case_and_what_arrives_has() -> None:
    """In the examples too, which are what reports show."""
    result = found()
    assert result.findings

    sent = moved(result, None)
    assert {id(None)} == {id(sent.case), *[id(one.example.case) for one in sent.findings]}

    arrived = moved(pickle.loads(pickle.dumps(sent)), result.case)
    assert result.case is arrived.case
    assert all(one.example.case is result.case for one in arrived.findings)
    assert [one.message for one in result.findings] == [one.message for one in arrived.findings]


def test_an_example_that_was_made_smaller_keeps_its_own_case() -> None:
    """It shows its cause with another script."""
    result = found()
    small = attrs.evolve(result.case, about="Smaller.")
    first = result.findings[0]
    example = attrs.evolve(first.example, case=small)
    result = attrs.evolve(result, findings=(attrs.evolve(first, example=example),))

    assert moved(result, None).findings[0].example.case is small


def test_a_plan_may_do_without_the_trial_that_pages_draw() -> None:
    """It is most of what a worker sends."""
    case = load_text(scenarios.TOOL, "case.sim.yaml").cases[0]

    assert check_case(case, forgetful, Plan(budget=1)).sample is not None
    assert check_case(case, forgetful, Plan(budget=1, samples=False)).sample is None

"""The mutants: well described, one for every rule, and each a faulty reference loop."""

from __future__ import annotations

import re

import attrs
import pytest

from simharness.agents.mutants import MUTANTS, Mutant
from simharness.agents.reference import CONTRACT
from simharness.rules import RULES, judge
from simharness.scenario.model import Expect
from tests.unit.agents.reference.plays import error, play, stream

KEYS = {field.name for field in attrs.fields(Expect)}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_a_mutant_is_well_described(mutant: Mutant) -> None:
    """Its id is kebab-case, its fault is said in a sentence, its rule or expectation exists."""
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", mutant.id)
    assert mutant.about.endswith(".")
    assert mutant.rule in {rule.id for rule in RULES} | {f"expect.{key}" for key in KEYS}


def test_no_two_mutants_share_an_id() -> None:
    """An id names one mutant on the command line and in replay codes."""
    assert len(MUTANTS) == len({mutant.id for mutant in MUTANTS})


def test_every_rule_has_a_mutant() -> None:
    """What no agent breaks may never have been looked at."""
    rules = {rule.id for rule in RULES}
    assert set() == rules - {mutant.rule for mutant in MUTANTS}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_a_mutant_runs_under_its_own_name(mutant: Mutant) -> None:
    """It is an agent like any other, and not taken for the reference loop."""
    trace = play(stream("One"), factory=mutant.factory)
    assert trace.runs() == range(1, 3)
    assert f"mutant:{mutant.id}" == getattr(mutant.factory, "name", None)


def test_an_agent_that_stays_busy_is_caught_although_it_calls_the_prompt_rejected() -> None:
    """A prompt to an idle agent met no filter, so the rejection has no other cause."""
    (busy,) = (one for one in MUTANTS if one.id == "stays-busy-after-a-failure")
    trace = play(stream(end=error()), factory=busy.factory)
    assert 1 == len(judge(trace, CONTRACT)["phase-returns-idle"].violations)

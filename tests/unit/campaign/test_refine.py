"""What a report does to its findings: small and explained, within trials and seconds."""

from __future__ import annotations

import pytest

from simharness.agents.mutants import MUTANTS
from simharness.campaign import refine as refining
from simharness.campaign.budget import Plan
from simharness.campaign.refine import refine
from simharness.campaign.results import SuiteResult
from simharness.check import check_suite
from simharness.scenario.load import load_text

STOP = """scenario: stop
model: [["Let ", "me ", {call: search}], ["Done."]]
tools: {search: {returns: "3 hits", takes: 1s}}
run: [{prompt: go}, {cancel: {anywhere: true, way: api}}]
"""


def refined() -> SuiteResult:
    """A failure that was drawn at random, made small."""
    mutant = next(one for one in MUTANTS if one.id == "cancels-are-counted")
    plan = Plan(budget=5, strategy="random")
    found = check_suite(load_text(STOP).cases, mutant.factory, plan)
    return refine(found, mutant.factory, plan)


def test_a_cause_is_shrunk_and_explained() -> None:
    """One deviation is left, with a line that says where it stops to matter."""
    (cause,) = refined().causes()
    assert cause.shrunk.startswith("least (proved): 1 deviation")
    assert 1 == len(cause.explanation)


def test_an_agent_that_takes_too_long_ends_with_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """No seconds, no shrinking and no half of an explanation; the failure is reported all the
    same."""
    monkeypatch.setattr(refining, "_SECONDS", 0.0)
    (cause,) = refined().causes()
    assert "the budget is spent, fewer may do" in cause.shrunk
    assert () == cause.explanation
    assert cause.replay.startswith("sh1:")

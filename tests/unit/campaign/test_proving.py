"""Mutants: killed by their own rule, or survivors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.tools import ToolRunner
from simharness.campaign.budget import Plan
from simharness.campaign.proving import Kill, prove
from simharness.replay.code import ReplayCode
from simharness.report import kills
from simharness.scenario.load import load_text
from simharness.trace import Message

TOOL = """scenario: one-tool
model: [[{call: search}], ["Done."]]
tools: {search: {returns: "3 hits", takes: 1s}}
run: [{prompt: go}]
"""
TEXT = 'scenario: text\nmodel: ["Hi."]\nrun: [{prompt: go}]\n'


class Forgetful(ToolRunner):
    """Loses results."""

    def record(self, results: Sequence[Message]) -> None:
        """Forget them."""


def proved(rule: str) -> Kill:
    """Prove the forgetful loop against two scenarios, as if `rule` were the one to catch it."""
    cases = [*load_text(TEXT).cases, *load_text(TOOL).cases]
    return prove(mutant("forgetful", rule, Forgetful), cases, Plan(budget=3), given=frozenset())


def test_a_mutant_is_killed_by_the_first_case_that_breaks_its_rule() -> None:
    """The search ends there, and the replay code names the mutant."""
    kill = proved("tool-pairing")

    assert kill.finding is not None
    assert ("one-tool", 2) == (kill.finding.example.case.id, kill.trials)
    assert "mutant:forgetful" == ReplayCode.decode(kill.finding.replay).agent
    assert "tool-pairing" in kill.broken


def test_a_mutant_that_breaks_another_rule_survives() -> None:
    """Only its own rule counts; what else was broken is shown."""
    kill = proved("abort-visible")
    report = kills.as_text([kill])

    assert kill.survives
    assert "tool-pairing" in kill.broken
    assert "SURVIVES forgetful: Loses results. Expected abort-visible, seen " in report
    assert report.endswith("1 mutant: 0 killed, 1 survive")


def test_the_machine_form_names_survivors() -> None:
    """A survivor has no case and no code, and nothing killed it."""
    report: dict[str, Any] = kills.as_object([proved("tool-pairing"), proved("abort-visible")])
    first, second = report["mutants"]

    assert ["forgetful"] == report["survivors"]
    assert ("one-tool", "tool-pairing") == (first["case"], first["expected_rule"])
    assert (None, None, []) == (second["case"], second["replay"], second["killed_by"])

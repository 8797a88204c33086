"""The shipped suite: in good order, kept by the reference loop, and without padding."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from simharness.agents.reference import CONTRACT
from simharness.campaign.redundancy import has_anywhere, likeness
from simharness.campaign.shipped import suite_folder
from simharness.rules import RULES

if TYPE_CHECKING:
    from simharness.scenario.model import Scenario
    from tests.conformance.playing import Played

SCHEMA_LINE = "# yaml-language-server: $schema={}scenario.schema.json"
SENTENCE_MAX = 160  # characters; `about` says one thing

ALIKE_MAX = 0.1
"""Share of cases that may look like another one. Some scripts differ in what an agent must not
react to, so that the more alike their trials are the better."""


def test_each_file_is_named_after_its_scenario(scenarios: tuple[Scenario, ...]) -> None:
    """Who reads a case id finds its file."""
    misnamed = [s.file for s in scenarios if Path(s.file).name != f"{s.name}.sim.yaml"]
    assert [] == misnamed


def test_case_ids_are_unique(scenarios: tuple[Scenario, ...]) -> None:
    """An id names one case of the whole suite."""
    ids = Counter(case.id for scenario in scenarios for case in scenario.cases)
    assert [] == [name for name, count in ids.items() if count > 1]


def test_each_file_names_the_schema(scenarios: tuple[Scenario, ...]) -> None:
    """Editors check and complete every file of the suite."""
    files = [Path(scenario.file) for scenario in scenarios]
    firsts = {file: file.read_text("utf-8").splitlines()[0] for file in files}
    wanted = {file: SCHEMA_LINE.format("../" * _depth(file)) for file in files}
    assert wanted == firsts


def _depth(file: Path) -> int:
    """How many folders lie between the suite and a file of it."""
    return len(file.resolve().relative_to(suite_folder().resolve()).parent.parts)


def test_each_scenario_says_in_a_sentence_what_it_is_about(
    scenarios: tuple[Scenario, ...],
) -> None:
    """`about` is one or two plain sentences."""
    texts = {scenario.name: scenario.cases[0].about for scenario in scenarios}
    wrong = [
        name for name, text in texts.items() if not (20 < len(text) <= SENTENCE_MAX) or "  " in text
    ]
    assert [] == wrong
    assert [] == [name for name, text in texts.items() if not text.endswith(".")]


def test_the_reference_loop_keeps_every_case(suite: tuple[Played, ...]) -> None:
    """No rule and no expectation is broken on the default schedule."""
    broken = [
        f"{played.case.id}: {violation.rule}: {violation.message}"
        for played in suite
        for violation in played.verdict.violations
        if played.case.violates is None
    ]
    assert "" == "\n".join(broken)


def test_pinned_faults_show_on_the_default_schedule(suite: tuple[Played, ...]) -> None:
    """A case that pins a broken rule breaks that rule and no other, but for those it names."""
    pinned = [played for played in suite if played.case.violates is not None]
    wrong = [p.case.id for p in pinned if p.verdict.broken() != {p.case.violates, *p.case.waive}]
    assert [] == wrong


def test_everything_promised_is_played(suite: tuple[Played, ...]) -> None:
    """What a file writes happens on the default schedule, unless the search is to place it."""
    unplayed = {
        played.case.id: sorted(played.unplayed)
        for played in suite
        if played.unplayed and not has_anywhere(played.case)
    }
    assert {} == unplayed


def test_few_cases_look_alike(suite: tuple[Played, ...]) -> None:
    """At most one case in ten has the records and the judging rules of an earlier one."""
    placed = [played for played in suite if not has_anywhere(played.case)]
    groups: dict[object, list[str]] = {}
    for played in placed:
        loop = (played.case.profile, played.case.mutant)
        groups.setdefault((loop, likeness(played.verdict)), []).append(played.case.id)
    alike = [ids for ids in groups.values() if len(ids) > 1]
    extra = sum(len(ids) - 1 for ids in alike)
    report = "\n".join(" | ".join(ids) for ids in alike)
    assert extra <= ALIKE_MAX * len(placed), f"{extra} of {len(placed)} cases look alike:\n{report}"


def test_every_rule_has_an_occasion(suite: tuple[Played, ...]) -> None:
    """Each rule that the contract of the reference loop admits judges something in the suite."""
    seen = frozenset[str]().union(*(played.verdict.occasions for played in suite))
    silent = [rule.id for rule in RULES if rule.applicable(CONTRACT) and rule.id not in seen]
    assert [] == silent

"""The generated pages: those beside the written ones are what their sources say today."""

from __future__ import annotations

import re

import pytest

from simharness.agents.mutants import MUTANTS
from simharness.rules import RULES
from tests.docs.__main__ import PAGES
from tests.docs.reference import SECTIONS, sections
from tests.processes import ROOT


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    """`make docs` writes it anew."""
    assert PAGES[name]() == (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_every_rule_has_its_section() -> None:
    """Under its id, so that a report can point there; with both timelines and its mutants."""
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert {rule.id for rule in RULES} == set(parts)
    for rule in RULES:
        assert rule.sentence in parts[rule.id]
        assert rule.good.strip() in parts[rule.id]
        assert rule.bad.strip() in parts[rule.id]
    seeded = {mutant.id for mutant in MUTANTS if mutant.rule in parts}
    assert seeded == {word for word in re.findall(r"`([\w-]+)`", text) if word in seeded}


def test_every_section_of_the_language_is_in_the_reference() -> None:
    """With a sentence for each key, and what it takes."""
    found = sections()
    assert set(SECTIONS) == set(found)
    assert [] == [row for rows in found.values() for row in rows if not row[1] or not row[2]]

"""The pure parts of the matrix: rows out of reports, the page, and what the bug list explains."""

from __future__ import annotations

import re
from typing import Any

from simharness.agents import names
from simharness.rules import RULES
from tests.matrix.entries import explained, unexplained
from tests.matrix.page import as_markdown
from tests.matrix.results import Row, row_of
from tests.matrix.venvs import ROOT

BUGS = """\
# Bugs found

Rule: `settles` in the introduction belongs to nobody.

## one 1.0

### A fault

* Script: [one-a.py](bugs-found/one-a.py). Rules: `tool-pairing`,
  `request-wellformed`.

## two-three 2.0 (its package)

* Script: [two-three-a.py](bugs-found/two-three-a.py). Rule:
  `settles`.
"""


BRIDGED = {"ai-sdk"}
"""Agents in other languages, which have no adapter but speak to the bridge."""


def violation(message: str, *, deviations: int = 0, scenario: str = "s: 1\n") -> dict[str, Any]:
    """One violation of `settles` as a report has it."""
    return {
        "rule": "settles",
        "message": message,
        "deviations": deviations,
        "replay": "sh1:x",
        "scenario": scenario,
        "explanation": ["point 3: cancel"],
    }


def report(rules: dict[str, str], *cases: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """What a front end writes, as far as the matrix reads it."""
    return {
        "agent": {"name": "one", "version": "1.0"},
        "python": "3.11.7",
        "summary": {"trials": 10, "skipped": 2, "errors": 0},
        "rules": rules,
        "cases": [{"id": case, "violations": [found]} for case, found in cases],
    }


def row(**rules: str) -> Row:
    """A row of these rules, with `_` for `-`."""
    return row_of("one", [report({rule.replace("_", "-"): state for rule, state in rules.items()})])


def test_of_two_searches_the_one_that_says_more_counts() -> None:
    """Violated beats holds, holds beats not exercised; numbers add up."""
    sweep = report({"settles": "violated", "one-terminal": "not exercised"})
    suite = report({"settles": "holds", "one-terminal": "holds"})
    both = row_of("one", [sweep, suite])
    assert {"settles": "violated", "one-terminal": "holds"} == both.rules
    assert (20, 4, "1.0") == (both.trials, both.not_reached, both.version)


def test_a_cause_is_told_once_by_its_smallest_example() -> None:
    """Equal rule and message are one cause; fewer deviations win, then the shorter scenario."""
    found = report(
        {"settles": "violated"},
        ("a", violation("It hangs.", deviations=1)),
        ("b", violation("It hangs.", scenario="s: long\n")),
        ("c", violation("It hangs.")),
        ("d", violation("It spins.")),
    )
    causes = row_of("one", [found]).causes
    assert [("It hangs.", 3, "c"), ("It spins.", 1, "d")] == [
        (cause.message, cause.cases, cause.case) for cause in causes
    ]


def test_the_page_marks_each_cell_and_shows_each_cause() -> None:
    """A dot is a rule without an occasion; a rule that nobody was judged by has no line."""
    rules = {"settles": "violated", "one-terminal": "not exercised", "tool-pairing": "-"}
    other = {"settles": "not exercised", "one-terminal": "holds", "tool-pairing": "-"}
    broken = row_of("one", [report(rules, ("a", violation("It hangs.", deviations=1)))])
    page = as_markdown([broken, row_of("two", [report(other)])])
    assert "| `settles`      | **violated** | ·     |" in page
    assert "| `one-terminal` | ·            | holds |" in page
    assert "| `tool-pairing`" not in page
    assert "* It hangs. (1 case; smallest: `a`, 1 deviation)\n  * point 3: cancel" in page
    assert "## two 1.0\n\nNothing was found." in page


def test_an_entry_explains_its_rules_for_the_agent_of_its_section() -> None:
    """The heading names the agent, the word after `Rule:` or `Rules:` what it breaks."""
    wanted = {
        ("one", "tool-pairing"),
        ("one", "request-wellformed"),
        ("two-three", "settles"),
    }
    assert wanted == explained(BUGS)


def test_a_cell_without_a_plain_script_is_open_in_the_matrix_and_below_it() -> None:
    """Who reads either must not take it for a bug."""
    broken = row_of("one", [report({"settles": "violated"}, ("a", violation("It hangs.")))])
    sure, doubtful = as_markdown([broken]), as_markdown([broken], ["one: settles"])
    assert "**violated**" in sure
    assert "violated?" not in sure
    assert "**Open: " not in sure
    assert "| `settles` | violated? |" in doubtful
    assert "**Open: " in doubtful


def test_a_violated_cell_without_an_entry_is_named() -> None:
    """What holds needs no entry, and an entry of another agent does not count."""
    rows = [row(settles="violated", tool_pairing="violated", one_terminal="holds")]
    assert ["one: settles"] == unexplained(rows, BUGS)


def test_the_list_of_bugs_names_shipped_agents_real_rules_and_scripts_that_exist() -> None:
    """Each entry is of an agent of ours, names its rules, and links its script."""
    page = ROOT / "docs" / "bugs-found.md"
    text = page.read_text(encoding="utf-8")
    pairs = explained(text)
    assert set() == {agent for agent, _ in pairs} - {*names(), *BRIDGED}
    assert set() == {rule for _, rule in pairs} - {rule.id for rule in RULES}
    entries = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    assert [] == [entry for entry in entries if not explained(f"## any 1.0\n{entry}")]
    links = [re.findall(r"\]\(([^)]+\.(?:py|mjs))\)", entry) for entry in entries]
    assert [] == [entry for entry, found in zip(entries, links, strict=True) if not found]
    missing = [link for found in links for link in found if not (page.parent / link).exists()]
    assert [] == missing

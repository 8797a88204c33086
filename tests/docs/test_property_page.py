"""The page about property tests: its test runs, and nothing works that is not written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from simharness import strategies
from tests.docs.pages import Page

PAGE = Path(__file__).parents[2] / "docs" / "property-tests.md"


def test_the_examples_run_as_shown(tmp_path: Path) -> None:
    """Someone who copies one has a passing test of the reference loop."""
    page = Page(PAGE.read_text(encoding="utf-8"), tmp_path)

    page.play()

    assert 2 == page.commands


@pytest.mark.parametrize("name", strategies.__all__)
def test_every_strategy_is_documented(name: str) -> None:
    """With what it draws."""
    assert f"| `{name}()` |" in PAGE.read_text(encoding="utf-8")

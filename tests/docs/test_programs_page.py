"""The page about plain async functions: its example fails as shown."""

from __future__ import annotations

from pathlib import Path

from tests.docs.pages import Page

PAGE = Path(__file__).parents[2] / "docs" / "programs.md"


def test_the_example_fails_as_shown(tmp_path: Path) -> None:
    """Someone who copies it sees the lost update and a code."""
    page = Page(PAGE.read_text(encoding="utf-8"), tmp_path)

    page.play()

    assert (1, 1) == (page.commands, page.exit_code)

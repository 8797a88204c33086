"""The tutorial: every file and every command on the page, in the page's order."""

from __future__ import annotations

from pathlib import Path

from tests.docs.pages import Page

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"


def test_every_command_of_the_tutorial_does_what_the_page_says(tmp_path: Path) -> None:
    """Output, exit codes, diffs that fit: someone who follows the page sees what it shows."""
    page = Page(TUTORIAL.read_text(encoding="utf-8"), tmp_path)

    page.play()

    assert 14 == page.commands

"""The page about campaigns works as it is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.docs.pages import Page
from tests.processes import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def test_the_campaigns_work_as_the_page_prints_them(tmp_path: Path) -> None:
    """With a store, without what is in it, and over an executor from Python."""
    page = Page((ROOT / "docs" / "campaigns.md").read_text(encoding="utf-8"), tmp_path)
    page.play()
    assert 4 == page.commands

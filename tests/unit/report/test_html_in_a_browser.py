"""The script of the HTML report, in Chromium where there is one: filter, details, links, policy."""

from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from simharness.campaign.results import SuiteResult
from simharness.report.html import as_html
from tests.benchmarks.html_report import BROWSERS, browser, loaded
from tests.reports import failing, holding

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="needs Chromium")

SHOWN = "document.getElementById('shown').textContent"
TICK = "new Promise((done) => setTimeout(done, 100))"
OPENED = """(async () => {
  const one = document.getElementById("c1");
  while (!one.querySelector(".panel")) await new Promise((done) => setTimeout(done, 20));
  return [one.open, one.hidden, one.querySelectorAll("svg").length];
})()"""
INJECT = """(async () => {
  const script = document.createElement("script");
  script.textContent = "window.forged = true";
  document.body.append(script);
  const other = document.createElement("div");
  other.innerHTML = '<img src="none" onerror="window.forged = true">';
  document.body.append(other);
  await new Promise((done) => setTimeout(done, 200));
  return window.forged === undefined;
})()"""


def answers(file: Path, scripts: list[str]) -> list[Any]:
    """What a browser that shows `file` says to each script in turn."""

    async def ask() -> list[Any]:
        async with browser() as page:
            await loaded(page, file)
            return [await page.run(script) for script in scripts]

    return asyncio.run(asyncio.wait_for(ask(), 120))


def test_the_page_filters_and_opens_and_runs_nothing_else(tmp_path: Path) -> None:
    """By area, by words, by verdict; a link opens its case though it is filtered away."""
    file = tmp_path / "report.html"
    suite = SuiteResult((holding("one"), failing("two"), holding("two", 2)))
    file.write_text(as_html(suite, {}), encoding="utf-8")
    button = "document.querySelector('button[data-area=\"area two\"]').click()"
    words = "document.getElementById('words')"
    typed = "dispatchEvent(new Event('input', {bubbles: true}))"
    found = answers(
        file,
        [
            SHOWN,
            f"{button}, {SHOWN}",
            f"{button}, {SHOWN}",
            f"{words}.value = 'TOOL-pairing two', {words}.{typed}, {SHOWN}",
            "document.querySelector('input[value=violated]').click()",
            SHOWN,
            f"location.hash = '#c1', {TICK}",
            OPENED,
            SHOWN,
            INJECT,
        ],
    )

    assert "3 of 3 cases" == found[0]
    assert ["2 of 3 cases", "3 of 3 cases", "1 of 3 cases"] == found[1:4]
    assert "0 of 3 cases" == found[5]
    assert [True, False, 2] == found[7]
    assert "3 of 3 cases" == found[8]
    assert found[9], "a script that was put into the page has run"

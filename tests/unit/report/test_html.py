"""The HTML report: what stands in it, what is packed, how big it gets."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

import attrs

from simharness.campaign.results import SuiteResult
from simharness.report.html import as_html, page as html_page
from simharness.report.html.differences import against, message_lines
from simharness.report.html.packing import unpacked
from simharness.scenario.model import Place
from simharness.verdict import CaseVerdict
from tests.reports import failing, holding, trial_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # html5lib is old
    import html5lib


def tree_of(page: str) -> Element:
    """The page as the HTML standard reads it."""
    tree: Element = html5lib.parse(page, namespaceHTMLElements=False)
    return tree


def details_of(page: str) -> list[Element | None]:
    """The packed details of each case, parsed."""
    packs = re.findall(r'class="pack" data-size="32">([^<]*)<', page)
    texts = [text for pack in packs for text in unpacked(pack)]
    return [
        None if text is None else html5lib.parseFragment(text, namespaceHTMLElements=False)
        for text in texts
    ]


def words(element: Element, kind: str = "") -> list[str]:
    """The texts of the elements of a class; without one, of the whole."""
    found = [one for one in element.iter() if kind in (one.get("class") or "").split()]
    return [" ".join("".join(one.itertext()).split()) for one in found or [element] * (not kind)]


def numbered(count: int) -> SuiteResult:
    """So many cases, every tenth of which fails."""
    makers = [failing if number % 10 == 9 else holding for number in range(count)]
    return SuiteResult(tuple(make("some text", n) for n, make in enumerate(makers)))


def test_areas_have_a_row_with_a_square_for_each_case() -> None:
    """The table counts verdicts; a square leads to its case."""
    tree = tree_of(as_html(numbered(20), {}))
    (row,) = tree.findall(".//table[@class='areas']/tbody/tr")
    squares = row.findall("./td[@class='squares']/a")
    cases = tree.findall(".//details[@class='case']")

    name = "".join(row.find("./th").itertext())  # type: ignore[union-attr]
    assert ("area some text", ["20", "18", "2", "60"]) == (name, words(row, "n"))
    assert [f"#c{number}" for number in range(20)] == [one.get("href") for one in squares]
    assert [f"c{number}" for number in range(20)] == [one.get("id") for one in cases]
    assert 2 == sum(one.get("data-verdict") == "violated" for one in cases)


def test_a_failure_stands_in_the_page_itself() -> None:
    """Who cannot run scripts reads rule, message, demand, lanes, footnote, diff and replay line."""
    page = as_html(SuiteResult((failing("some text"),)), {"tool-pairing": "Every call has one."})
    tree = tree_of(page)
    first = next(one for one in tree.iter("article"))
    lanes = next(one for one in first.iter() if one.get("class") == "lanes")

    assert "It is some text" == words(first, "message")[0]
    assert "The rule: Every call has one." in words(first, "dim")
    assert ["simharness replay sh1:x"] == words(first, "copy")
    assert 3 == len([one for one in lanes.iter() if one.get("class") == "evidence"])
    assert ["*"] == words(lanes, "star")
    assert "some text" == "".join(first.find(".//ul[@class='notes']/li").itertext())  # type: ignore[union-attr]
    assert "+user: cancel some text (api)" in words(first, "add")


def test_a_failure_leads_to_its_case_though_another_file_has_one_of_that_name() -> None:
    """The link is to the case in the same file."""
    first = failing("x")
    other = attrs.evolve(holding("x"), case=attrs.evolve(first.case, place=Place("b/b.sim.yaml")))
    tree = tree_of(as_html(SuiteResult((first, other)), {}))

    links = [article.find("./p/a").get("href") for article in tree.iter("article")]  # type: ignore[union-attr]
    assert ["#c0", "#c0"] == links


def test_a_case_has_its_panels_side_by_side() -> None:
    """Scenario, streams, requests, history and rules, each with what this trial had of them."""
    (details,) = details_of(as_html(SuiteResult((holding("some text"),)), {"settles": "", "x": ""}))
    assert details is not None
    panels = [one for one in details.iter() if one.get("class") == "panel"]
    said = {panel.find("h4").text: words(panel, "line") for panel in panels}  # type: ignore[union-attr]

    assert ["Scenario", "Streams", "Requests", "Last history", "Rules"] == list(said)
    assert "scenario: some text" == said["Scenario"][0]
    assert 'chunk 1 "some text"' in said["Streams"]
    assert 'chunk 2 args of c1 "some text" (never taken)' in said["Streams"]
    assert '3. tool result of c1 "some text"' in said["Requests"]
    assert "as the agent displays it" == said["Last history"][0]
    assert ["✓ settles", "1 rule had nothing to judge in this trial"] == said["Rules"]


def test_the_diff_is_against_the_default_order() -> None:
    """Only what differs, with a little around it; nothing if there is nothing to compare."""
    default, late = trial_of("a"), trial_of("a", late=True)
    lines = [(line.text, line.kind) for line in against(default, late)]

    assert ("+user: cancel a (api)", "add") in lines
    assert not [text for text, kind in lines if kind == "del"]
    assert [] == against(None, late) == against(default, default)


def test_what_was_expected_is_marked_in_a_message() -> None:
    """The lines of a diff in an expectation's message have the colours of a diff."""
    lines = message_lines("the history is not (- expected, + actual)\n    user\n  - a\n  + b")

    assert ["", "", "del", "add"] == [line.kind for line in lines]


def test_a_thousand_cases_stay_far_below_five_megabytes() -> None:
    """The details are packed, and no longer than they need to be."""
    page = as_html(numbered(1000), {})

    assert 5_000_000 > len(page.encode())
    assert 1000 == len([one for one in details_of(page) if one is not None])


def test_details_that_do_not_fit_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds goes first; what fails keeps its details."""
    monkeypatch.setattr(html_page, "_PACK_MAX", 4_000)
    page = as_html(numbered(20), {})
    kept = [number for number, one in enumerate(details_of(page)) if one is not None]

    assert {9, 19} <= set(kept)
    assert f"The details of {20 - len(kept)} cases were left out" in " ".join(page.split())


def test_cases_that_a_browser_could_not_list_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too many cases those that hold are not listed; the table counts them all the same."""
    monkeypatch.setattr(html_page, "_ROWS_MAX", 5)
    page = as_html(numbered(20), {})
    cases = tree_of(page).findall(".//details[@class='case']")

    assert 5 == len(cases)
    assert ["violated", "violated"] == [one.get("data-verdict") for one in cases[:2]]
    assert "15 cases that hold are not listed" in page
    assert "20" in words(tree_of(page), "n")


def test_equal_results_give_equal_pages() -> None:
    """No clock and no address is in it."""
    assert as_html(numbered(12), {}) == as_html(numbered(12), {})


def test_a_case_without_a_trial_has_its_reason() -> None:
    """An error of an adapter has nothing to draw."""
    broken = attrs.evolve(
        holding("x"), verdict=CaseVerdict.ERROR, reason="adapter fault", sample=None, ended=()
    )
    (details,) = details_of(as_html(SuiteResult((broken,)), {}))
    assert details is not None

    assert "adapter fault" in words(details, "fact")
    assert [] == words(details, "panel") == words(details, "lanes")

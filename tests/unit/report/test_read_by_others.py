"""Each format as others read it: junitparser, a Markdown renderer, an HTML validator, json.

The texts in the results are up to no good; none of them may change what a reader sees.
"""

from __future__ import annotations

import json
import re
import warnings
from typing import TYPE_CHECKING

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped
from markdown_it import MarkdownIt

from simharness.campaign import coverage
from simharness.comparing import Comparison, Side, Timeline, Turn
from simharness.report import comparison
from simharness.report.github import as_annotations
from simharness.report.html import as_html
from simharness.report.html.packing import unpacked
from simharness.report.json import dump, suite_object
from simharness.report.junit import as_junit
from simharness.report.markdown import as_markdown
from simharness.report.text import failures, summary
from simharness.report.visible import HIDDEN, visible
from tests.reports import HOSTILE, suite_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # html5lib is old, and still the strictest reader there is
    import html5lib

hostile = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
SENTENCES = coverage.sentences()


def parsed(page: str, *, fragment: bool = False) -> Element:
    """The page as the HTML standard reads it; ParseError if anything in it is not valid."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    found: Element = parser.parseFragment(page) if fragment else parser.parse(page)
    return found


def html_of(text: str) -> str:
    """The HTML report of results whose words are `text`."""
    return as_html(suite_of(text), SENTENCES, {"settles": f"not applicable: {text}"})


def details_of(page: str) -> list[str]:
    """The packed details of the cases of a page."""
    packs = re.findall(r'<script type="text/plain" class="pack" data-size="32">([^<]*)<', page)
    return [text for pack in packs for text in unpacked(pack) if text is not None]


@hostile
def test_junitparser_reads_every_case_with_its_text(text: str) -> None:
    """One case per result, with the right kind of result, and the message as it was."""
    suites = JUnitXml.fromstring(as_junit(suite_of(text), SENTENCES).encode())
    cases = [case for suite in suites for case in suite]

    kinds = [[type(one) for one in case.result] for case in cases]
    assert [[], [Failure, Failure], [Error], [Skipped], [Skipped], [Failure]] == kinds
    assert visible(f"It is {text}") == cases[1].result[0].message.replace("\r\n", "\n")
    assert visible(f"{text}-1") == cases[1].name
    assert (6, 2, 1, 2) == (suites.tests, suites.failures, suites.errors, suites.skipped)


@hostile
def test_the_page_and_all_details_are_valid_html(text: str) -> None:
    """Nothing in the page or in the packed details is a parse error, and no element is forged."""
    page = html_of(text)
    tree = parsed(page)
    details = details_of(page)

    assert 6 == len(details)
    for part in [tree, *(parsed(one, fragment=True) for one in details)]:
        tags = [element.tag for element in part.iter()]
        assert not {"img", "link", "iframe", "object", "h1 "} & {str(tag) for tag in tags}
        assert not [name for element in part.iter() for name in element.attrib if name[:2] == "on"]
    assert 2 == len(tree.findall(".//script"))
    assert 1 == len(tree.findall(".//h1"))


@hostile
def test_the_page_shows_the_text_as_it_is(text: str) -> None:
    """What was streamed can be read in the page, letter by letter."""
    page = html_of(text)
    words = "".join(parsed(page).itertext())
    shown = "".join(parsed(details_of(page)[0], fragment=True).itertext())

    assert " ".join(visible(f"It is {text}").split()) in " ".join(words.split())
    assert " ".join(visible(f"about {text}").split()) in " ".join(shown.split())


def test_the_page_needs_nothing_else() -> None:
    """No address and no import; a policy forbids to load anything and to run another script."""
    page = html_of("plain")
    tree = parsed(page)
    links = {
        value
        for element in tree.iter()
        for name, value in element.attrib.items()
        if str(name).rpartition("}")[2] in {"src", "href", "action", "data", "srcset", "poster"}
    }
    (policy,) = [m.get("content") for m in tree.iter("meta") if m.get("http-equiv")]

    assert links
    assert all(link.startswith("#c") for link in links)
    assert not re.search(r"url\(|@import|https?://", page)
    assert str(policy).startswith("default-src 'none'; style-src 'sha256-")


@hostile
def test_a_markdown_renderer_keeps_texts_where_they_belong(text: str) -> None:
    """One heading, two folded failures with a diagram each; texts stand in code or in a summary."""
    page = as_markdown(suite_of(text), SENTENCES, {})
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(page)
    blocks = [token for token in tokens if token.type == "fence"]
    html = [token.content for token in tokens if token.type == "html_block"]

    assert 1 == sum(token.type == "heading_open" for token in tokens)
    assert 0 == sum(token.type == "table_open" for token in tokens)
    assert 2 == sum(block.info == "mermaid" for block in blocks)
    opened = [line for line in html if line.startswith("<details><summary>")]
    assert 4 == len(opened) == sum(line.strip() == "</details>" for line in html)
    assert all(re.fullmatch(r"<details><summary>[^<]*</summary>\n?", line) for line in opened)
    whole = "\n".join(block.content for block in blocks)
    assert visible(f"Traceback\n  {text}\nError: {text}").split("\n")[1] in whole


@hostile
def test_a_comparison_stays_two_tables(text: str) -> None:
    """No cell ends its row, and nothing in it is HTML."""
    found = Comparison(
        Side(text, text, 1),
        Side("after", "", 1),
        (Turn(text, "holds", "violated"),),
        (Timeline(text, text, text, "added"),),
    )
    page = comparison.as_markdown(found)
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(page)
    kinds = [token.type for token in tokens]
    cells = [tokens[number + 1] for number, kind in enumerate(kinds) if kind == "td_open"]

    assert (3, 2) == (kinds.count("heading_open"), kinds.count("table_open"))
    assert 0 == kinds.count("html_block") == kinds.count("fence")
    assert 3 + 4 == len(cells)
    inner = [child for cell in cells for child in cell.children or []]
    assert {"text", "text_special"} >= {child.type for child in inner}
    assert not HIDDEN.search(page)


@hostile
def test_json_keeps_every_character(text: str) -> None:
    """What comes out of the file is what went in, and the file is plain UTF-8."""
    written = dump(suite_object(suite_of(text), silent=[], timing=None)).encode()
    case = json.loads(written)["cases"][1]

    assert f"It is {text}" == case["violations"][0]["message"]


@hostile
def test_annotations_are_one_line_each(text: str) -> None:
    """A text cannot end the command and begin another one."""
    lines = as_annotations(suite_of(text))

    assert 2 == len(lines)
    assert all(re.fullmatch(r"::error [^\n\r]*", line) for line in lines)
    for line in lines:
        properties = line.removeprefix("::error ").partition("::")[0].split(",")
        assert ["file", "line", "title"] == [one.partition("=")[0] for one in properties]


@hostile
def test_no_format_holds_what_a_viewer_would_obey_or_hide(text: str) -> None:
    """Whatever is streamed: no escape, no direction mark, no half of a character gets through."""
    assert [] == [form for form, page in forms(text) if HIDDEN.search(page)]


def forms(text: str) -> Iterator[tuple[str, str]]:
    """Every format of the same results."""
    suite = suite_of(text)
    page = as_html(suite, SENTENCES)
    yield "html", page
    yield "details", "".join(details_of(page))
    yield "markdown", as_markdown(suite, SENTENCES, {})
    yield "junit", as_junit(suite, SENTENCES)
    yield "annotations", "".join(as_annotations(suite))
    yield "json", dump(suite_object(suite, silent=[], timing=None))
    yield "text", visible("\n".join([*failures(suite, SENTENCES), summary(suite)]))

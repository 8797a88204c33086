"""JUnit, Markdown and annotations: what other programs read."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import attrs
import pytest

from simharness.campaign.results import CaseResult, Example, Finding, Identity, SuiteResult
from simharness.report.github import as_annotations
from simharness.report.junit import as_junit
from simharness.report.markdown import as_markdown
from simharness.scenario.model import Case, Place
from simharness.verdict import CaseVerdict, Verdict, Violation

CASE = Case("a[x=1]", "a", place=Place("s/a.sim.yaml", 3))


def finding(message: str = "Run 1, 50% done: stuck.") -> Finding:
    """A finding without a trace."""
    violation = Violation("settles", message)
    verdict = Verdict((violation,), (), frozenset(), (), "h", "e")
    return Finding("settles", message, 2, Example(CASE, verdict, violation), "sh1:x")


def suite(*results: tuple[CaseVerdict, dict[str, object]]) -> SuiteResult:
    """A suite with one result per verdict."""
    made = [CaseResult(CASE, verdict, Identity("loop", "1")) for verdict, _ in results]
    changed = [attrs.evolve(r, **more) for r, (_, more) in zip(made, results, strict=True)]  # type: ignore[arg-type]
    return SuiteResult(tuple(changed))


def test_junit_counts_and_places_every_case() -> None:
    """Failures, errors and skips are counted per file and stand at the scenario's line."""
    report = as_junit(
        suite(
            (CaseVerdict.HOLDS, {}),
            (CaseVerdict.VIOLATED, {"findings": (finding(),)}),
            (CaseVerdict.ERROR, {"reason": "adapter fault"}),
            (CaseVerdict.NOT_EXERCISED, {"not_exercised": ("cancel after chunk 9",)}),
        ),
        {},
    )
    root = ET.fromstring(report)
    (file,) = root
    cases = list(file)

    counts = {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    assert {"name": "s/a.sim.yaml", **counts} == file.attrib
    assert ("s/a.sim.yaml", "a[x=1]", "3") == tuple(
        cases[0].attrib[key] for key in ("classname", "name", "line")
    )
    assert [[], ["failure"], ["error"], ["skipped"]] == [[e.tag for e in case] for case in cases]
    assert "Replay: simharness replay sh1:x" in (cases[1][0].text or "")
    assert "not-exercised: cancel after chunk 9" == cases[3][0].attrib["message"]


@pytest.mark.parametrize(
    ("character", "shown"),
    [("\x00", "\\x00"), ("\x1b", "\\x1b"), ("\ud800", "\\ud800"), ("\uffff", "\\uffff")],
)
def test_junit_shows_what_xml_cannot_hold(character: str, shown: str) -> None:
    """A model may stream any character; the document can be parsed all the same."""
    broken = finding(f"text {character} end")
    report = as_junit(suite((CaseVerdict.VIOLATED, {"findings": (broken,)})), {})

    assert f"text {shown} end" == ET.fromstring(report)[0][0][0].attrib["message"]


def test_markdown_folds_failures_and_stays_below_the_limit() -> None:
    """Ten failures of 200 kB do not all fit into a job summary; the rest is counted."""
    big = [finding(f"{number} <b>\n" + "x" * 200_000) for number in range(10)]
    page = as_markdown(suite((CaseVerdict.VIOLATED, {"findings": tuple(big)})), {}, {})

    assert 2**20 > len(page.encode())
    assert "<summary>FAILED settles (a[x=1], agent loop): 0 &lt;b&gt;</summary>" in page
    assert "more failures" in page


def test_a_fence_in_the_text_does_not_end_the_block() -> None:
    """The fence around a failure is longer than any inside it."""
    page = as_markdown(suite((CaseVerdict.VIOLATED, {"findings": (finding("a\n```\nb"),)})), {}, {})

    assert "````text" in page


def test_annotations_are_escaped_and_placed() -> None:
    """Percent signs and line breaks would end the command early; so do colons in properties."""
    (line,) = as_annotations(suite((CaseVerdict.VIOLATED, {"findings": (finding(),)})))

    assert line == (
        "::error file=s/a.sim.yaml,line=3,title=settles (a[x=1])::"
        "Run 1, 50%25 done: stuck.%0Asimharness replay sh1:x"
    )


def test_only_ten_annotations_are_printed() -> None:
    """GitHub drops the eleventh, so one line says how many are missing."""
    many = tuple(finding(f"message {number}") for number in range(12))
    lines = as_annotations(suite((CaseVerdict.VIOLATED, {"findings": many})))

    assert 11 == len(lines)
    assert "::notice::2 more causes in the log" == lines[-1]

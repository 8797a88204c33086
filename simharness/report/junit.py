"""The report as JUnit XML, for CI systems: one suite per scenario file, one test per case.

No clock is in it, so equal results give equal bytes.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from simharness.report.text import failure
from simharness.report.visible import visible
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simharness.campaign.results import CaseResult, SuiteResult

__all__ = ["as_junit"]

_SKIPPED = {CaseVerdict.NOT_APPLICABLE, CaseVerdict.NOT_EXERCISED, CaseVerdict.WAIVED}


def as_junit(suite: SuiteResult, sentences: Mapping[str, str]) -> str:
    """The whole document. Not exercised, not applicable and waived cases are `skipped`."""
    by_file: dict[str, list[CaseResult]] = defaultdict(list)
    for result in suite.results:
        by_file[result.case.place.file].append(result)
    root = ET.Element("testsuites", {"name": "simharness", **_counts(suite.results)})
    for file, results in by_file.items():
        element = ET.SubElement(root, "testsuite", {"name": visible(file), **_counts(results)})
        for result in results:
            element.append(_case(result, sentences))
    ET.indent(root, " ")
    text = ET.tostring(root, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _counts(results: Sequence[CaseResult]) -> dict[str, str]:
    verdicts = [result.verdict for result in results]
    return {
        "tests": str(len(verdicts)),
        "failures": str(verdicts.count(CaseVerdict.VIOLATED)),
        "errors": str(verdicts.count(CaseVerdict.ERROR)),
        "skipped": str(sum(verdict in _SKIPPED for verdict in verdicts)),
    }


def _case(result: CaseResult, sentences: Mapping[str, str]) -> ET.Element:
    place = result.case.place
    file = visible(place.file)
    attributes = {"classname": file, "name": visible(result.case.id)}
    element = ET.Element("testcase", attributes | {"file": file, "line": str(place.line)})
    agent = result.agent.name if result.agent else ""
    for found in result.findings:
        child = ET.SubElement(
            element, "failure", {"type": found.rule, "message": visible(found.message)}
        )
        child.text = visible(failure(found, agent, sentences))
    if result.verdict is CaseVerdict.VIOLATED and result.reason:
        ET.SubElement(element, "failure", {"type": "violates", "message": visible(result.reason)})
    if result.verdict is CaseVerdict.ERROR:
        reason = visible(result.reason)
        last = reason.rstrip().rpartition("\n")[2]  # of a traceback: what was raised
        ET.SubElement(element, "error", {"message": last}).text = reason
    if result.verdict in _SKIPPED:
        why = result.reason or ", ".join(result.not_exercised) or "waived"
        ET.SubElement(element, "skipped", {"message": visible(f"{result.verdict}: {why}")})
    return element

"""One case, and one cause of failure, as the templates take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
from markupsafe import Markup

from simharness.plural import plural
from simharness.report.html.differences import against, message_lines
from simharness.report.html.drawing import drawn
from simharness.report.html.panels import panels_of
from simharness.report.lanes import deviation_notes, rows_of, shortened
from simharness.report.text import area_of, circumstances
from simharness.report.words import message_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from simharness.campaign.ending import Ending
    from simharness.campaign.results import CaseResult, Finding
    from simharness.report.html.panels import Line, Panel
    from simharness.verdict import Verdict

__all__ = ["CaseView", "FindingView", "case_view", "finding_view", "said_of"]

_FINDINGS_MAX: Final = 5
_ENDINGS_MAX: Final = 12
_MESSAGES_MAX: Final = 6  # of the history of an ending; the last ones
_ROWS_MAX: Final = 200  # of a drawing that is opened on purpose
_SAID: Final = 160  # characters in a list
_NO_DRAWING: Final = Markup()


@attrs.frozen
class FindingView:
    """One rule broken in one way, with its smallest example.

    `kind` is violated, expected or waived. `drawing` is empty if the example has no trace.
    """

    kind: str
    rule: str
    message: Sequence[Line]
    demand: str
    about: str
    drawing: Markup
    notes: Sequence[str]
    replay: str
    remarks: Sequence[str]
    diff: Sequence[Line]
    case: str


@attrs.frozen
class CaseView:
    """The details of a case: its findings, else its plain trial; panels; the ways it ended."""

    about: str
    facts: Sequence[str]
    findings: Sequence[FindingView]
    more_findings: int
    drawing: Markup
    panels: Sequence[Panel]
    endings: Sequence[tuple[str, str, str, Sequence[str]]]
    more_endings: int


def case_view(result: CaseResult, sentences: Mapping[str, str]) -> CaseView:
    """Everything that is shown of a case once it is opened."""
    found = [("violated", one) for one in result.findings]
    found += [("expected", one) for one in result.expected]
    found += [("waived", one) for one in result.waived]
    shown = found[:_FINDINGS_MAX]
    trial = shown[0][1].example.verdict if shown else result.sample
    return CaseView(
        about=result.case.about,
        facts=list(_facts(result)),
        findings=[finding_view(one, result.sample, sentences, kind=kind) for kind, one in shown],
        more_findings=len(found) - len(shown),
        drawing=_NO_DRAWING if shown or trial is None else _drawing(trial),
        panels=[] if trial is None else panels_of(result.case, trial, sentences),
        endings=[_ending(ending) for ending in result.ended[:_ENDINGS_MAX]],
        more_endings=max(0, len(result.ended) - _ENDINGS_MAX),
    )


def finding_view(
    finding: Finding,
    default: Verdict | None,
    sentences: Mapping[str, str],
    *,
    kind: str,
    short: bool = False,
) -> FindingView:
    """A finding; `default` is a trial of the same case to compare its example with.

    `short`: draw only what matters.
    """
    verdict = finding.example.verdict
    remarks = [finding.strict] * bool(finding.strict)
    if not finding.replayed:
        remarks.append("It went another way when it was run again: the agent is not deterministic.")
    return FindingView(
        kind=kind,
        rule=finding.rule,
        message=message_lines(finding.message),
        demand=sentences.get(finding.rule, ""),
        about=circumstances(finding),
        drawing=_drawing(verdict, finding.example.violation.evidence, short=short),
        notes=finding.explanation or deviation_notes(verdict.course),
        replay=f"simharness {finding.replay_words}",
        remarks=remarks,
        diff=against(default, verdict) if verdict.schedule else [],
        case=finding.example.case.id,
    )


def said_of(result: CaseResult) -> str:
    """One line about a case for a list: why it is as it is."""
    found = [*result.findings, *result.expected, *result.waived]
    if found and not result.reason:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return f"{found[0].rule}: {_short(found[0].message)}{more}"
    if result.not_exercised and not result.reason:
        return f"never happened: {', '.join(result.not_exercised)}"
    return _short(result.reason or result.case.about)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SAID else f"{line[: _SAID - 3]}..."


def _facts(result: CaseResult) -> Iterable[str]:
    yield f"{result.case.place}, area {area_of(result)}"
    if result.coverage:
        yield result.coverage
    if result.reason:
        yield result.reason
    if result.not_exercised:
        yield f"never happened: {', '.join(result.not_exercised)}"
    yield from (f"note: {note}" for note in result.notes)
    yield from (f"waived: {f.rule}: {result.case.waive.get(f.rule, '')}" for f in result.waived)


def _drawing(verdict: Verdict, evidence: Sequence[int] = (), *, short: bool = False) -> Markup:
    """All of the trial; where it is to be short, or would be very long, what matters."""
    trace = verdict.trace
    if trace is None:
        return _NO_DRAWING
    rows = rows_of(trace, verdict.course, evidence)
    shown = shortened(rows) if short or len(rows) > _ROWS_MAX else rows
    return Markup(drawn(shown, trace))  # noqa: S704 - ElementTree escaped it


def _ending(ending: Ending) -> tuple[str, str, str, Sequence[str]]:
    earlier = len(ending.history) - _MESSAGES_MAX
    messages = [_short(message_words(message)) for message in ending.history[-_MESSAGES_MAX:]]
    return (
        plural(ending.count, "interleaving"),
        "; ".join(ending.choices) or "the default order",
        ", ".join(ending.outcomes),
        [f"... {earlier} earlier"] * (earlier > 0) + messages,
    )

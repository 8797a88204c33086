"""Puts the page together: what is seen at once, and the packed details of every case.

Every value that a template writes is escaped by jinja2 and freed of characters that a browser would
obey or hide; the content security policy lets run only the one script of the page, by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import jinja2
from markupsafe import Markup

import simharness
from simharness.plural import plural
from simharness.report.html.cases import case_view, finding_view, said_of
from simharness.report.html.packing import SIZE, packed
from simharness.report.text import area_of, summary
from simharness.report.visible import visible
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simharness.campaign.results import CaseResult, SuiteResult
    from simharness.report.html.cases import FindingView
    from simharness.scenario.model import Case

__all__ = ["as_html"]

_CAUSES_MAX: Final = 10
_ROWS_MAX: Final = 5_000  # cases in the list; a browser lays out that many at once
_PACK_MAX: Final = 3_500_000  # of 5 MB; the list of cases takes the rest
_FOLDER: Final = Path(__file__).parent
_QUIET: Final = {CaseVerdict.HOLDS, CaseVerdict.NOT_APPLICABLE}


def as_html(
    suite: SuiteResult,
    sentences: Mapping[str, str],
    states: Mapping[str, str] | None = None,
    *,
    more: str = "",
) -> str:
    """The page. `sentences` says of every rule what it demands, `states` what became of it.

    `more` is plain text for its end.
    """
    results = _listed(suite.results)
    packs, left_out = _details(results, sentences)
    style, script = _file("style.css"), _file("report.js")
    causes = suite.causes()
    return _environment().get_template("page.html").render(
        version=simharness.__version__,
        agent=suite.agent.title if suite.agent else "no agent",
        mode=suite.mode,
        summary=summary(suite),
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - a file of ours
        script=Markup(script),  # noqa: S704
        packs=packs,
        pack_size=SIZE,
        left_out=left_out,
        unlisted=len(suite.results) - len(results),
        verdicts=[(v.value, suite.count(v)) for v in CaseVerdict if suite.count(v)],
        areas=_areas(suite, results),
        causes=_causes(suite, results, sentences),
        more_causes=[(one.rule, one.message) for one in causes[_CAUSES_MAX:]],
        rules=[(rule, sentences.get(rule, ""), state) for rule, state in (states or {}).items()],
        remarks=suite.remarks,
        more=more,
        plural=plural,
    )  # fmt: skip


@attrs.frozen
class _Item:
    """A case in the list, under the number of its packed details."""

    number: int
    id: str
    verdict: str
    said: str
    trials: int


@attrs.frozen
class _Area:
    """The cases of one folder, and how many of all of them ended how."""

    name: str
    counts: Mapping[str, int]
    trials: int
    items: Sequence[_Item]


@attrs.frozen
class _Cause:
    """A cause and the number of the case that shows it best."""

    finding: FindingView
    number: int | None


def _listed(results: Sequence[CaseResult]) -> list[CaseResult]:
    """As many cases as a browser shows at once, those that say something before the others."""
    if len(results) <= _ROWS_MAX:
        return list(results)
    loud = [result for result in results if result.verdict not in _QUIET]
    quiet = [result for result in results if result.verdict in _QUIET]
    return [*loud, *quiet][:_ROWS_MAX]


def _details(results: Sequence[CaseResult], sentences: Mapping[str, str]) -> tuple[list[str], int]:
    """The details of all cases, packed. If they get too big, those that hold go; how many went."""
    template = _environment().get_template("case.html")
    texts: list[str | None] = [
        template.render(case=case_view(result, sentences)) for result in results
    ]
    order = sorted(range(len(results)), key=lambda number: results[number].verdict in _QUIET)
    kept = len(texts)
    packs = packed(texts)
    while sum(map(len, packs)) > _PACK_MAX:
        for number in order[kept // 2 : kept]:
            texts[number] = None
        kept //= 2
        packs = packed(texts)
    return packs, len(texts) - kept


def _areas(suite: SuiteResult, results: Sequence[CaseResult]) -> list[_Area]:
    items: dict[str, list[_Item]] = defaultdict(list)
    for number, result in enumerate(results):
        said = said_of(result)
        item = _Item(number, result.case.id, result.verdict.value, said, result.trials)
        items[area_of(result)].append(item)
    groups: dict[str, list[CaseResult]] = defaultdict(list)
    for result in suite.results:
        groups[area_of(result)].append(result)
    return [
        _Area(
            name,
            {verdict.value: sum(r.verdict is verdict for r in group) for verdict in CaseVerdict},
            sum(result.trials for result in group),
            items[name],
        )
        for name, group in sorted(groups.items())
    ]


def _causes(
    suite: SuiteResult, results: Sequence[CaseResult], sentences: Mapping[str, str]
) -> list[_Cause]:
    places = {_key(result.case): number for number, result in enumerate(results)}
    causes = []
    for cause in suite.causes()[:_CAUSES_MAX]:
        number = places.get(_key(cause.example.case))
        default = None if number is None else results[number].sample
        view = finding_view(cause, default, sentences, kind="violated", short=True)
        causes.append(_Cause(view, number))
    return causes


def _key(case: Case) -> tuple[str, str]:
    """What tells a case from all others: files may use a name twice."""
    return case.place.file, case.id


def _policy(style: str, script: str) -> str:
    """A content security policy under which the page can load nothing and run nothing else."""
    return f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _file(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

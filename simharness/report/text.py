"""The report for people: a table by area, each failure with its interleaving, one summary line.

Plain text without colour; a front end that wants colour adds it to whole lines.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePath
from typing import TYPE_CHECKING

from tabulate import tabulate

from simharness.plural import plural
from simharness.report.lanes import render
from simharness.report.visible import visible
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simharness.campaign.results import CaseResult, Finding, SuiteResult

__all__ = [
    "area_of",
    "areas",
    "circumstances",
    "errors",
    "failure",
    "failures",
    "plural",
    "silent_rules",
    "summary",
]

_COLUMNS = {
    "holds": CaseVerdict.HOLDS,
    "violated": CaseVerdict.VIOLATED,
    "not exercised": CaseVerdict.NOT_EXERCISED,
    "expected": CaseVerdict.EXPECTED_VIOLATION,
    "waived": CaseVerdict.WAIVED,
    "n/a": CaseVerdict.NOT_APPLICABLE,
    "error": CaseVerdict.ERROR,
}
_MANY = 20  # cases from which on every rule should have had an occasion
_ALWAYS = ("holds", "violated", "not exercised")


def area_of(result: CaseResult) -> str:
    """The area of a case: the folder its file stands in."""
    return PurePath(result.case.place.file).parent.name or "."


def areas(suite: SuiteResult) -> str:
    """The table of areas: how many cases ended how. Columns without any case are left out."""
    by_area: dict[str, list[CaseResult]] = defaultdict(list)
    for result in suite.results:
        by_area[area_of(result)].append(result)
    heads = [name for name, verdict in _COLUMNS.items() if name in _ALWAYS or suite.count(verdict)]
    rows = [_area_row(name, results, heads) for name, results in sorted(by_area.items())]
    if len(rows) > 1:
        rows.append(_area_row("total", suite.results, heads))
    table = tabulate(rows, ["area", "cases", *heads, "trials"], tablefmt="simple", intfmt=",")
    return "\n".join(line.rstrip() for line in table.splitlines())


def _area_row(name: str, results: Sequence[CaseResult], heads: Sequence[str]) -> list[object]:
    counts = [sum(r.verdict is _COLUMNS[head] for r in results) for head in heads]
    return [name, len(results), *counts, sum(r.trials for r in results)]


def failures(suite: SuiteResult, sentences: Mapping[str, str]) -> list[str]:
    """Everything that needs reading, one block each: every cause once, then the rest."""
    agent = suite.agent.name if suite.agent else ""
    return [*(failure(cause, agent, sentences) for cause in suite.causes()), *errors(suite)]


def errors(suite: SuiteResult) -> list[str]:
    """What failed without a finding: cases that are errors, and pins that nothing breaks."""
    blocks = []
    for result in suite.results:
        where = f"{result.case.id} ({result.case.place})"
        if result.verdict is CaseVerdict.ERROR:
            blocks.append(f"ERROR {where}: {result.reason}")
        elif result.verdict is CaseVerdict.VIOLATED and result.reason:
            blocks.append(f"FAILED {where}: {result.reason}")
    return blocks


def failure(finding: Finding, agent: str, sentences: Mapping[str, str]) -> str:
    """One violation: the rule, one sentence of what happened, the interleaving, the replay line."""
    example = finding.example
    lines = [f"FAILED {finding.rule} ({example.case.id}, agent {agent}): {finding.message}"]
    if finding.rule in sentences:
        lines.append(f"The rule: {sentences[finding.rule]}")
    lines += [circumstances(finding), ""]
    if example.verdict.trace is not None:
        trace, course = example.verdict.trace, example.verdict.course
        notes = finding.explanation
        lines += [render(trace, course, example.violation.evidence, notes=notes), ""]
    lines.append(f"Replay: simharness {finding.replay_words}")
    if finding.strict:
        lines.append(f"{finding.strict[0].upper()}{finding.strict[1:]}")
    if finding.drawn:
        lines.append(f"Seed: the same search with {finding.drawn} draws it again.")
    if not finding.replayed:
        lines.append(
            "The trial went another way when it was run again: "
            "the agent is not deterministic here, and the code may not reproduce it."
        )
    return visible("\n".join(lines))


def circumstances(finding: Finding) -> str:
    """How far from the default, how often, and where the scenario stands."""
    away = len(finding.example.schedule)
    order = (
        f"{plural(away, 'deviation')} from the default order" if away else "In the default order"
    )
    if away and finding.shrunk:
        order += f", {finding.shrunk}"
    seen = f"seen in {plural(finding.count, 'interleaving')}"
    parts = [order, seen if finding.cases == 1 else f"{seen} of {finding.cases} cases"]
    if not finding.example.case.place.file.startswith("<"):
        parts.append(f"scenario {finding.example.case.place}")
    return "; ".join(parts)


def summary(suite: SuiteResult, seconds: float | None = None) -> str:
    """One line: how many cases ended how, what it took, and who was tested."""
    counted = [
        f"{suite.count(verdict):,} {verdict}" for verdict in CaseVerdict if suite.count(verdict)
    ]
    parts = [
        f"{plural(len(suite.results), 'case')}: {', '.join(counted) or 'none run'}",
        ", ".join(
            plural(suite.total(field), word)
            for field, word in (
                ("trials", "trial"),
                ("interleavings", "interleaving"),
                ("endings", "ending"),
            )
        ),
    ]
    if suite.skipped:
        parts.append(f"{plural(suite.skipped, 'case')} not run")
    if suite.agent is not None:
        parts.append(f"agent {suite.agent.title}")
    if seconds is not None:
        parts.append(f"{seconds:.1f} s")
    return "; ".join(parts)


def silent_rules(suite: SuiteResult, obstacles: Mapping[str, str], *, verbose: bool = True) -> str:
    """The table of rules that no case gave anything to judge, and why; empty if there is none.

    `obstacles` says for every rule why it can never judge this agent, or nothing. Unless `verbose`
    those that cannot are only counted, and so is every rule if there are but a few cases: of them
    nobody expects that they give each rule something to judge.
    """
    seen = suite.occasions()
    silent = {rule: why for rule, why in obstacles.items() if not seen[rule]}
    unmet = {rule: "never had an occasion" for rule, why in silent.items() if not why}
    if verbose:
        return _rules_table({rule: why or "never had an occasion" for rule, why in silent.items()})
    few = len(suite.results) < _MANY
    parts = [] if few else [_rules_table(unmet)]
    if few and unmet:
        parts.append(
            f"{plural(len(unmet), 'rule')} had nothing to judge here; --verbose lists them"
        )
    if len(unmet) < len(silent):
        parts.append(
            f"{plural(len(silent) - len(unmet), 'rule')} cannot judge this agent: its contract "
            "promises, or it reports, too little for them; --verbose lists them"
        )
    return "\n\n".join(part for part in parts if part)


def _rules_table(rules: Mapping[str, str]) -> str:
    """Rules and why they are silent."""
    heads = ["rule without occasion", "why"]
    return tabulate(list(rules.items()), heads, tablefmt="simple") if rules else ""

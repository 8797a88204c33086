"""Puts a finished report where the options say: standard output, JSON, a folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simharness import coverage
from simharness.report import json as as_json
from simharness.report import text
from simharness.report.atomic import write_text
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simharness.cli.options import Output
    from simharness.results import CaseResult, Finding, SuiteResult

__all__ = ["echo", "keep_long_scenarios", "say", "write_suite"]

_LISTED = 20  # not exercised cases that are named without --verbose


def write_suite(suite: SuiteResult, output: Output, *, seconds: float) -> None:
    """Write everything that was asked for."""
    machine = as_json.dump(
        as_json.suite_object(
            suite, silent=coverage.silent(suite), timing={"seconds": round(seconds, 3)}
        )
    )
    blocks = text.failures(suite, coverage.sentences())
    keep_long_scenarios(found for result in suite.results for found in result.findings)
    if output.out is not None:
        whole = _whole(suite, blocks, seconds, quiet=False, verbose=True)
        write_text(Path(output.out) / "report.json", machine)
        write_text(Path(output.out) / "report.txt", whole)
    human = _whole(suite, blocks, seconds, quiet=output.quiet, verbose=output.verbose)
    say(machine, human, output.json)


def say(machine: str, human: str, json_file: str | None) -> None:
    """Print `human`, unless the JSON goes to standard output: then nothing else may stand there."""
    if json_file == "-":
        click.echo(machine, nl=False)
        return
    if json_file is not None:
        write_text(Path(json_file), machine)
    echo(human)


def echo(report: str) -> None:
    """Print a report; its failure lines in red on a terminal that wants colour."""
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for line in report.splitlines():
        marked = colour and line.startswith(("FAILED ", "ERROR ", "SURVIVES "))
        click.echo(click.style(line, fg="red", bold=True) if marked else line)


def keep_long_scenarios(findings: Iterable[Finding]) -> None:
    """Keep each scenario that its replay code could not carry in a file that `replay` finds."""
    from simharness.replay import embeddable, sidecar, source_hash

    for finding in findings:
        source = finding.example.case.source
        if not finding.file and not embeddable(source):
            write_text(Path(sidecar(source_hash(source))), source)


def _whole(
    suite: SuiteResult, blocks: list[str], seconds: float, *, quiet: bool, verbose: bool
) -> str:
    """The whole report for people."""
    parts = ["\n".join(_case_lines(suite.results))] if verbose else []
    if not quiet:
        parts.append(text.areas(suite))
    parts += blocks
    if not quiet:
        parts.append(_missed(suite, limit=None if verbose else _LISTED))
        contract = suite.agent.contract if suite.agent else None
        if contract is not None:
            parts.append(text.silent_rules(suite, coverage.applicable(contract)))
    parts.append(text.summary(suite, seconds))
    return "\n\n".join(part for part in parts if part) + "\n"


def _missed(suite: SuiteResult, limit: int | None) -> str:
    """What was written and never happened, and what the agent cannot do."""
    lines = []
    for result in suite.results:
        where = f"{result.case.id} ({result.case.place})"
        if result.not_exercised:
            lines.append(f"NOT EXERCISED {where}: {', '.join(result.not_exercised)}")
        elif result.verdict is CaseVerdict.NOT_APPLICABLE:
            lines.append(f"NOT APPLICABLE {where}: {result.reason}")
    if limit is not None and len(lines) > limit:
        lines[limit:] = [f"... and {len(lines) - limit} more; --verbose lists them"]
    return "\n".join(lines)


def _case_lines(results: Iterable[CaseResult]) -> list[str]:
    lines = []
    for result in results:
        said = result.coverage or result.reason
        lines.append(f"{result.verdict.upper()} {result.case.id}: {said}")
        lines += [f"    note: {note}" for note in result.notes]
        lines += [f"    expected: {f.rule}: {f.message}" for f in result.expected]
        waived = ((f, result.case.waive.get(f.rule, "")) for f in result.waived)
        lines += [f"    waived: {f.rule}: {f.message} ({why})" for f, why in waived]
    return lines

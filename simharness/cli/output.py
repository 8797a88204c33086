"""Puts a finished report where the options say: standard output, files, a folder.

In a GitHub job also where that shows it: as annotations, and in the job's summary.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from simharness.campaign import coverage
from simharness.plural import plural
from simharness.report import blocks, github, json as as_json, junit, markdown, text
from simharness.report.atomic import write_text
from simharness.report.visible import visible
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simharness.campaign.blocks import Measured
    from simharness.campaign.results import CaseResult, Finding, SuiteResult
    from simharness.cli.options import Output

__all__ = ["case_lines", "echo", "keep_long_scenarios", "say", "write_suite"]

_SUMMARY_MAX = 2**20 - 1_000  # bytes of a job summary, with some to spare
_LISTED = 20  # not exercised cases that are named without --verbose


def write_suite(
    suite: SuiteResult,
    output: Output,
    *,
    seconds: float,
    notes: Sequence[str] = (),
    reached: Measured | None = None,
) -> None:
    """Write everything that was asked for, each file whole or not at all.

    `notes` are about this folder, not about the result: they are printed and stand in no file.
    `reached` says which blocks of the agent were entered, if that was measured.
    """
    keep_long_scenarios(found for result in suite.results for found in result.findings)
    made = _Reports(suite, round(seconds, 3), reached)
    if output.printed is None:
        echo(made.text(quiet=output.quiet, verbose=output.verbose, notes=notes))
        if output.github or os.environ.get("GITHUB_ACTIONS") == "true":
            click.echo("".join(f"{line}\n" for line in github.as_annotations(suite)), nl=False)
    _summarize(made)
    _write_files(made, output)


def _write_files(made: _Reports, output: Output) -> None:
    forms = {"json": made.json, "junit": made.junit, "markdown": made.markdown, "html": made.html}
    if output.out is not None:
        folder = Path(output.out)
        names = {"junit": "junit.xml", "markdown": "report.md"}
        for form, make in forms.items():
            write_text(folder / names.get(form, f"report.{form}"), make())
        write_text(folder / "report.txt", made.text(quiet=False, verbose=True))
    for form, file in output.files.items():
        if file == "-":
            click.echo(forms[form](), nl=False)
        elif file is not None:
            write_text(Path(file), forms[form]())


def _summarize(made: _Reports) -> None:
    """Add the Markdown to the summary of a GitHub job, if this is one.

    That file belongs to the job's step, which may have written to it: it is appended to, up to the
    size that GitHub takes. A job does not fail because its summary cannot be written.
    """
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return
    path = Path(name)
    try:
        room = _SUMMARY_MAX - (path.stat().st_size if path.exists() else 0)
        page = "\n" + made.markdown(most=min(room, markdown.BYTES_MAX))
        if len(page.encode()) <= room:
            with path.open("a", encoding="utf-8") as file:
                file.write(page)
    except OSError as error:
        click.echo(f"the job summary cannot be written: {error}", err=True)


@attrs.frozen(eq=False)
class _Reports:
    """One result in every form."""

    suite: SuiteResult
    seconds: float
    reached: Measured | None

    def json(self) -> str:
        silent = coverage.silent(self.suite)
        value = as_json.suite_object(
            self.suite,
            silent=silent,
            timing={"seconds": self.seconds},
            rules=coverage.states(self.suite),
        )
        if self.reached is not None:
            value["coverage"] = blocks.as_object(self.reached)
        return as_json.dump(value)

    def junit(self) -> str:
        return junit.as_junit(self.suite, coverage.sentences())

    def markdown(self, most: int = markdown.BYTES_MAX) -> str:
        obstacles = coverage.obstacles(self.suite.agent)
        more = [self._reached()] * (self.reached is not None)
        sentences = coverage.sentences()
        return markdown.as_markdown(self.suite, sentences, obstacles, more=more, most=most)

    def html(self) -> str:
        from simharness.report.html import as_html  # jinja2 is read only where it is needed

        states = coverage.states(self.suite)
        return as_html(self.suite, coverage.sentences(), states, more=self._reached())

    def _reached(self) -> str:
        return "" if self.reached is None else blocks.as_text(self.reached)

    def text(self, *, quiet: bool, verbose: bool, notes: Sequence[str] = ()) -> str:
        failed = text.failures(self.suite, coverage.sentences())
        notes = [*self.suite.remarks, *([] if quiet else notes)]
        failed.append("\n".join(f"NOTE {note}" for note in notes))
        if quiet:
            return _joined([*failed, text.summary(self.suite, self.seconds)])
        parts = ["\n".join(case_lines(self.suite.results))] if verbose else []
        parts += [text.areas(self.suite), *failed]
        parts.append(_missed(self.suite, limit=None if verbose else _LISTED))
        obstacles = coverage.obstacles(self.suite.agent)
        parts.append(text.silent_rules(self.suite, obstacles, verbose=verbose))
        parts.append(self._reached())
        return _joined([*parts, text.summary(self.suite, self.seconds)])


def _joined(parts: list[str]) -> str:
    return visible("\n\n".join(part for part in parts if part)) + "\n"


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
    for line in visible(report).removesuffix("\n").split("\n"):
        marked = colour and line.startswith(("FAILED ", "ERROR ", "SURVIVES "))
        click.echo(click.style(line, fg="red", bold=True) if marked else line)


def keep_long_scenarios(findings: Iterable[Finding]) -> None:
    """Keep each scenario that its replay code could not carry in the file that its line names."""
    from simharness.replay.code import sidecar, source_hash

    for finding in findings:
        source = finding.example.case.source
        if finding.file == sidecar(source_hash(source)):
            write_text(Path(finding.file), source)


def _missed(suite: SuiteResult, limit: int | None) -> str:
    """What was written and never happened, and what the agent cannot do."""
    lines = []
    swept = 0
    for result in suite.results:
        if limit is not None and result.case.place.file.startswith("<") and result.not_exercised:
            swept += 1  # nobody wrote it: that this agent cannot meet it is worth a number only
            continue
        where = f"{result.case.id} ({result.case.place})"
        if result.not_exercised:
            lines.append(f"NOT EXERCISED {where}: {', '.join(result.not_exercised)}")
        elif result.verdict is CaseVerdict.NOT_APPLICABLE:
            lines.append(f"NOT APPLICABLE {where}: {result.reason}")
    if limit is not None and len(lines) > limit:
        lines[limit:] = [f"... and {len(lines) - limit} more; --verbose lists them"]
    if swept:
        lines.append(
            f"{plural(swept, 'built-in case')} asked for something that never came about with "
            "this agent (a second attempt, an answer of a stream that was not told); --verbose "
            "lists them"
        )
    return "\n".join(lines)


def case_lines(results: Iterable[CaseResult]) -> list[str]:
    """A line per case: what it covered; below it notes, and what is expected or waived."""
    lines = []
    for result in results:
        said = result.coverage or result.reason
        lines.append(f"{result.verdict.upper()} {result.case.id}: {said}")
        lines += [f"    note: {note}" for note in result.notes]
        lines += [f"    expected: {f.rule}: {f.message}" for f in result.expected]
        waived = ((f, result.case.waive.get(f.rule, "")) for f in result.waived)
        lines += [f"    waived: {f.rule}: {f.message} ({why})" for f, why in waived]
    return lines

"""`simharness compare`: two reports, or two agents on the same scenarios."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simharness.cli.kinds import OUT_FILE, json_option
from simharness.cli.loudness import loudness_options
from simharness.cli.options import find_agent, search_options
from simharness.cli.problems import BadInput
from simharness.cli.selecting import load_cases
from simharness.cli.verb import Verb
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.campaign.budget import Plan
    from simharness.scenario.model import Case

__all__ = ["command"]

_TWO = 2


@click.command(
    name="compare",
    cls=Verb,
    examples=(
        "simharness compare main.json branch.json --markdown change.md",
        "simharness compare --agent mine.old:make --agent mine.new:make --suite",
        "simharness compare --agent tinyagent --agent pydantic-ai scenarios/cancel",
    ),
)
@click.argument("paths", nargs=-1, metavar="OLD.json NEW.json | [PATH]...", type=click.Path())
@click.option("--agent", "agents", multiple=True, metavar="A", help="Twice: before and after.")
@click.option("--suite", is_flag=True, help="Compare agents on the shipped suite.")
@search_options
@click.option(
    "--markdown",
    metavar="F",
    type=OUT_FILE,
    help="Write Markdown to a file; - is standard output.",
)
@json_option
@loudness_options(
    "The summary line only; no progress bar.", "Every row of every table, not only the first 50."
)
def command(
    *,
    paths: tuple[str, ...],
    agents: tuple[str, ...],
    suite: bool,
    plan: Plan,
    markdown: str | None,
    json_file: str | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Compare two JSON reports, or two agents on the same scenarios.

    Shows which cases turned green or red, and which violations were added, removed, or show
    themselves in a reordered or changed timeline. Exits with 1 if a case turned red or a violation
    was added.
    """
    from simharness.cli.output import say
    from simharness.comparing import compare
    from simharness.report import comparison, json as as_json
    from simharness.report.atomic import write_text

    if agents:
        before, after = _of_agents(agents, load_cases(paths, suite=suite), plan, hidden=quiet)
        names = (agents[0], agents[1])
    else:
        before, after = _of_files(paths)
        names = (paths[0], paths[1])
    found = compare(before, after, names=names)
    machine = as_json.dump(as_json.header() | comparison.as_object(found))
    if markdown == "-":
        click.echo(comparison.as_markdown(found), nl=False)
    elif markdown is not None:
        write_text(Path(markdown), comparison.as_markdown(found))
    if markdown != "-":
        say(machine, comparison.as_text(found, quiet=quiet, verbose=verbose), json_file)
    return ExitCode.BROKEN if found.worse else ExitCode.HOLDS


def _of_files(paths: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    from simharness.project.baseline import BaselineError, read_report

    if len(paths) != _TWO:
        raise BadInput("give two JSON reports, or --agent twice and scenarios")
    try:
        return read_report(Path(paths[0])), read_report(Path(paths[1]))
    except BaselineError as error:
        raise BadInput(str(error)) from None


def _of_agents(
    agents: Sequence[str], cases: Sequence[Case], plan: Plan, *, hidden: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    from simharness.campaign.refine import refine
    from simharness.check import check_suite
    from simharness.cli.progress import Progress
    from simharness.report import json as as_json

    if len(agents) != _TWO:
        raise BadInput("give --agent twice: before and after")
    reports = []
    given = frozenset(case.place.file for case in cases)
    for name in agents:
        factory = find_agent(name)
        with Progress(plan.most(cases), plan, hidden=hidden) as progress:
            done = check_suite(cases, factory, plan, agent=name, given=given, on_result=progress)
        done = refine(done, factory, plan, agent=name, given=given)
        reports.append(as_json.suite_object(done, silent=(), timing=None))
    return reports[0], reports[1]

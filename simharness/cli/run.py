"""`simharness run`: check scenarios against an agent."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import attrs
import click

from simharness.cli import project
from simharness.cli.apart import apart_options
from simharness.cli.deterministic import report_determinism
from simharness.cli.explaining import explain_option, explained
from simharness.cli.kept import kept_options
from simharness.cli.options import (
    agent_option,
    baseline_option,
    output_options,
    search_options,
)
from simharness.cli.selecting import load_cases, select
from simharness.cli.verb import Verb
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from simharness.campaign.budget import Plan
    from simharness.campaign.results import SuiteResult
    from simharness.cli.apart import Apart
    from simharness.cli.kept import Kept
    from simharness.cli.options import Output
    from simharness.cli.place import Place
    from simharness.project.excuses import Excuses
    from simharness.scenario.model import Case

__all__ = ["command"]


@click.command(
    name="run",
    cls=Verb,
    examples=(
        "simharness run scenarios/cancel --agent reference",
        "simharness run --suite --agent mypackage.agent:make --budget quick",
        "simharness run bug.sim.yaml::bug[on_cancel=error] --json -",
        "simharness run --suite -k 'cancel and not tool'",
        "simharness run bug.sim.yaml::bug[on_cancel=error] --explain all",
    ),
)
@click.argument("paths", nargs=-1, metavar="[PATH|FILE::CASE]...", type=click.Path())
@click.option("--suite", is_flag=True, help="Run the suite that comes with simharness.")
@agent_option
@search_options
@click.option("-k", "expression", metavar="EXPR", help="Only cases whose id matches.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="Only cases with this tag.")
@click.option("--strict-coverage", is_flag=True, help="Exit with 2 if something never happened.")
@click.option("--redundant", is_flag=True, help="Only list the cases that prove the same.")
@click.option(
    "--check-determinism",
    is_flag=True,
    help="Only play each case twice, and in another process under another hash seed.",
)
@explain_option
@click.option("--fail-fast", is_flag=True, help="Stop at the first case that fails.")
@click.option("--pin", is_flag=True, help="Keep default timelines beside the scenarios.")
@click.option("--update", is_flag=True, help="Keep them anew, also those that changed.")
@kept_options
@baseline_option
@apart_options
@output_options
def command(
    *,
    paths: tuple[str, ...],
    suite: bool,
    agent: str,
    plan: Plan,
    expression: str | None,
    tags: tuple[str, ...],
    strict_coverage: bool,
    redundant: bool,
    check_determinism: bool,
    explain: str | None,
    fail_fast: bool,
    pin: bool,
    update: bool,
    kept: Kept,
    baseline: str | None,
    apart: Apart,
    output: Output,
) -> int:
    """Check scenario files and folders against an agent.

    What failed in an earlier run is replayed first, and what fails now is kept for the next one.
    """
    from simharness.cli.output import echo, write_suite

    excuses = project.excuses(baseline)
    everything = kept.cases(agent) if kept.only else load_cases(paths, suite=suite)
    if not everything:
        return ExitCode.HOLDS
    cases = select(everything, expression, tags)
    if redundant:
        return _list_redundant(cases, agent)
    if check_determinism:
        return report_determinism(cases, agent)
    if explain:
        return explained(cases, explain, agent, plan, apart, excuses)
    given = frozenset(case.place.file for case in cases)
    started = time.perf_counter()
    with apart.place(agent, plan, given) as place:
        result = _searched(place, cases, plan, kept, excuses, output, fail_fast=fail_fast)
        result = place.refined(excuses.remarked(result), plan)
        changed = place.changed(cases, pin=pin, update=update)
    notes = kept.notes(result, agent, plan)
    write_suite(result, output, seconds=time.perf_counter() - started, notes=notes)
    if changed and output.printed is None:
        echo("\n\n".join(changed))
    whole = suite or any("::" not in path for path in paths)
    code = _strictly_covered(result, whole=whole) if strict_coverage else result.exit_code()
    return code if code or not changed else ExitCode.NOT_EXERCISED


def _searched(
    place: Place,
    cases: list[Case],
    plan: Plan,
    kept: Kept,
    excuses: Excuses,
    output: Output,
    *,
    fail_fast: bool,
) -> SuiteResult:
    """Replay what failed before, then search; a replay that fails is enough for `fail_fast`."""
    from simharness.cli.seeds import searched

    fails = kept.replay(place, cases, plan, excuses.apply)
    if fails and fail_fast and kept.again is not None:
        return kept.again
    hidden = output.quiet
    plan = attrs.evolve(plan, samples=output.draws)
    found = searched(place, cases, plan, hidden=hidden, fail_fast=fail_fast, excuse=excuses.apply)
    return kept.joined(found)


def _list_redundant(cases: list[Case], agent: str) -> int:
    """Print each group of cases that are alike on the default schedule."""
    from simharness.agents import find
    from simharness.campaign.redundancy import alike

    groups = alike(cases, find(agent))
    for ids in groups:
        click.echo("\n    ".join(ids))
    extra = sum(len(ids) - 1 for ids in groups)
    click.echo(f"{extra} of {len(cases)} cases prove what an earlier one proves")
    return ExitCode.HOLDS


def _strictly_covered(result: SuiteResult, *, whole: bool) -> ExitCode:
    """The exit code of a run in which everything written has to happen.

    Of whole files, each rule that could judge has to have an occasion, too.
    """
    from simharness.campaign import coverage

    code = result.exit_code(strict_coverage=True)
    silent = coverage.silent(result) if whole and code is ExitCode.HOLDS else []
    if not silent:
        return code
    click.echo(f"strict coverage: without occasion: {', '.join(silent)}", err=True)
    return ExitCode.NOT_EXERCISED

"""`simharness mutants`: do the rules and the suite catch agents with one seeded fault each?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from simharness.cli.completing import mutant_ids
from simharness.cli.kinds import json_option
from simharness.cli.loudness import loudness_options
from simharness.cli.options import budget_option
from simharness.cli.problems import BadInput, did_you_mean, some_of
from simharness.cli.selecting import load_cases
from simharness.cli.verb import Verb
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.mutants import Mutant
    from simharness.campaign.budget import Plan
    from simharness.campaign.measuring import Fate
    from simharness.campaign.proving import Kill
    from simharness.scenario.model import Case

__all__ = ["command"]


@click.command(
    name="mutants",
    cls=Verb,
    examples=(
        "simharness mutants",
        "simharness mutants skips-results --budget deep",
        "simharness mutants --json mutants.json",
        "simharness mutants --generated --jobs 4",
    ),
)
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=mutant_ids)
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(),
    help="Scenarios instead of the shipped suite.",
)
@budget_option
@click.option(
    "--generated",
    is_flag=True,
    help="Instead every deleted statement and forced condition of the loop; ID: how names begin.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Try generated mutants in N worker processes.",
)
@json_option
@loudness_options(
    "Survivors and the summary line only; no progress bar.", "With what each mutant does."
)
def command(
    *,
    ids: tuple[str, ...],
    paths: tuple[str, ...],
    plan: Plan,
    generated: bool,
    jobs: int,
    json_file: str | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Run the suite against each mutant of the reference loop until its rule is broken.

    Exits with 1 if a mutant survives: then a rule or the suite is too weak. Generated mutants
    measure the suite; some of them are no faults, so they never change the exit code.
    """
    from simharness.cli.output import say
    from simharness.report import generated as measured, json as as_json, kills

    mutants = [] if generated else _mutants(ids)
    cases = load_cases(paths, suite=not paths)
    if generated:
        fates = _measured(ids, cases, plan, jobs, hidden=quiet)
        machine = as_json.dump(as_json.header() | measured.as_object(fates))
        say(machine, measured.as_text(fates, quiet=quiet, verbose=verbose), json_file)
        return ExitCode.HOLDS
    done = _proved(mutants, cases, plan, hidden=quiet)
    machine = as_json.dump(as_json.header() | kills.as_object(done))
    say(machine, kills.as_text(done, quiet=quiet, verbose=verbose), json_file)
    return ExitCode.BROKEN if any(kill.survives for kill in done) else ExitCode.HOLDS


def _proved(
    mutants: Sequence[Mutant], cases: Sequence[Case], plan: Plan, *, hidden: bool
) -> list[Kill]:
    from tqdm import tqdm

    from simharness.campaign.proving import prove

    given = frozenset(case.place.file for case in cases)
    shown = tqdm(mutants, unit="mutant", disable=hidden or not sys.stderr.isatty())
    return [prove(mutant, cases, plan, given=given) for mutant in shown]


def _measured(
    names: Sequence[str], cases: Sequence[Case], plan: Plan, jobs: int, *, hidden: bool
) -> list[Fate]:
    """What becomes of the generated mutants whose names begin with one of `names`; none: all."""
    from tqdm import tqdm

    from simharness.agents import find
    from simharness.agents.mutants.generated import changes
    from simharness.campaign.measuring import plans
    from simharness.campaign.reach import reach_of
    from simharness.isolate import Crew

    wanted = changes(*names)
    if not wanted:
        modules = sorted({change.module for change in changes()})
        raise BadInput(
            f"no generated mutant has a name that begins with {' or '.join(names)}; names begin "
            f"with the module: {', '.join(modules)}"
        )
    reach = reach_of(cases)
    tasks = [(change, reach.of(change)) for change in wanted]
    with Crew(find, "reference", jobs) as crew:
        fates = crew.measured(tasks, plans(plan))
        disable = hidden or not sys.stderr.isatty()
        shown = tqdm(fates, total=len(tasks), unit="mutant", disable=disable)
        return list(shown)


def _mutants(ids: Sequence[str]) -> Sequence[Mutant]:
    from simharness.agents.mutants import MUTANTS

    by_id = {mutant.id: mutant for mutant in MUTANTS}
    for wanted in ids:
        if wanted not in by_id:
            near = did_you_mean(wanted, by_id)
            raise BadInput(f'unknown mutant "{wanted}"{near} Mutants: {some_of(list(by_id))}')
    return [by_id[wanted] for wanted in ids] if ids else list(MUTANTS)

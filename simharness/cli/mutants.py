"""`simharness mutants`: do the rules and the suite catch agents with one seeded fault each?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from simharness.cli.options import budget_option
from simharness.cli.problems import BadInput, did_you_mean
from simharness.cli.selecting import load_cases
from simharness.cli.verb import Verb
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.mutants import Mutant
    from simharness.campaign.budget import Plan

__all__ = ["command"]


@click.command(
    name="mutants",
    cls=Verb,
    examples=(
        "simharness mutants",
        "simharness mutants skips-results --budget deep",
        "simharness mutants --json mutants.json",
    ),
)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--path", "paths", multiple=True, help="Scenarios instead of the shipped suite.")
@budget_option
@click.option(
    "--json", "json_file", metavar="F", help="Write JSON to a file; - is standard output."
)
def command(
    *, ids: tuple[str, ...], paths: tuple[str, ...], plan: Plan, json_file: str | None
) -> int:
    """Run the suite against each mutant of the reference loop until its rule is broken.

    Exits with 1 if a mutant survives: then a rule or the suite is too weak.
    """
    from tqdm import tqdm

    from simharness.campaign.proving import prove
    from simharness.cli.output import say
    from simharness.report import json as as_json, kills

    mutants = _mutants(ids)
    cases = load_cases(paths, suite=not paths)
    given = frozenset(case.place.file for case in cases)
    shown = tqdm(mutants, unit="mutant", disable=not sys.stderr.isatty())
    done = [prove(mutant, cases, plan, given=given) for mutant in shown]
    machine = as_json.dump(as_json.header() | kills.as_object(done))
    say(machine, kills.as_text(done), json_file)
    return ExitCode.BROKEN if any(kill.survives for kill in done) else ExitCode.HOLDS


def _mutants(ids: Sequence[str]) -> Sequence[Mutant]:
    from simharness.agents.mutants import MUTANTS

    by_id = {mutant.id: mutant for mutant in MUTANTS}
    for wanted in ids:
        if wanted not in by_id:
            near = did_you_mean(wanted, by_id)
            raise BadInput(f'unknown mutant "{wanted}"{near} Mutants: {", ".join(by_id)}')
    return [by_id[wanted] for wanted in ids] if ids else list(MUTANTS)

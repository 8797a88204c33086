"""`run --explain`: one case as text, stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from simharness.cli.kinds import Words
from simharness.cli.problems import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.campaign.budget import Plan
    from simharness.cli.apart import Apart
    from simharness.project.excuses import Excuses
    from simharness.scenario.model import Case

__all__ = ["explain_option", "explained"]

_STAGES = (
    "scenario",
    "schedule",
    "trace",
    "verdict",
    "all",
)  # `report.explained.Stage`, for --help

explain_option = click.option(
    "--explain",
    type=Words(_STAGES),
    help="Only show one case as text: its smallest failing trial, else its first.",
)


def explained(
    cases: Sequence[Case], stage: str, agent: str, plan: Plan, apart: Apart, excuses: Excuses
) -> int:
    """Search the one case and print what was asked for. Nothing is kept for later runs."""
    from simharness.campaign import coverage
    from simharness.cli.output import echo
    from simharness.cli.seeds import searched
    from simharness.report.explained import Stage, as_text

    if len(cases) != 1:
        ids = ", ".join(case.id for case in cases[:3])
        raise BadInput(
            f"--explain shows one case, and these are {len(cases)}: {ids}. Give FILE::CASE, or -k"
        )
    given = frozenset({cases[0].place.file})
    with apart.place(agent, plan, given) as place:
        result = searched(place, cases, plan, hidden=True, excuse=excuses.apply)
        result = place.refined(result, plan)
    (found,) = result.results
    echo(as_text(found, Stage(stage), coverage.sentences(), mode=plan.mode_of(found.case)))
    return result.exit_code()

"""`simharness explore`: one scenario deeply, and every way in which it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import click

from simharness.cli.apart import apart_options
from simharness.cli.loudness import loudness_options
from simharness.cli.options import agent_option, search_options
from simharness.cli.selecting import load_cases
from simharness.cli.verb import Verb

if TYPE_CHECKING:
    from simharness.campaign.budget import Plan
    from simharness.cli.apart import Apart

__all__ = ["command"]


@click.command(
    name="explore",
    cls=Verb,
    examples=(
        "simharness explore bug.sim.yaml",
        "simharness explore bug.sim.yaml::bug[on_cancel=error] --bound 3 --budget deep",
        "simharness explore scenarios --budget deep --jobs 8 --store night.sqlite",
    ),
)
@click.argument("paths", nargs=-1, required=True, metavar="FILE[::CASE]...", type=click.Path())
@agent_option
@search_options
@apart_options
@loudness_options(
    "Failures and the summary line only; no progress bar.",
    "With what each case covered, its notes, and what is expected or waived.",
)
def command(
    *,
    paths: tuple[str, ...],
    agent: str,
    plan: Plan,
    apart: Apart,
    quiet: bool,
    verbose: bool,
) -> int:
    """Search with every strategy in turn and list the different endings.

    Without --strategy: default, sweep, bounded up to --bound (2), then sampling.
    """
    from simharness.campaign import coverage
    from simharness.cli.kept import keep
    from simharness.cli.output import case_lines, echo
    from simharness.cli.seeds import searched
    from simharness.report import endings, text

    cases = load_cases(paths, suite=False)
    given = frozenset(case.place.file for case in cases)
    plan = attrs.evolve(plan, strategy=plan.strategy or "portfolio")
    with apart.place(agent, plan, given, batches=True) as place:
        result = place.refined(searched(place, cases, plan, hidden=quiet), plan)
    blocks = [] if quiet else [endings.as_text(one) for one in result.results]
    if verbose:
        blocks.append("\n".join(case_lines(result.results)))
    blocks += text.failures(result, coverage.sentences())
    blocks += [f"NOTE {remark}" for remark in (*result.remarks, *keep(result, agent, plan))]
    echo("\n\n".join([*blocks, text.summary(result)]))
    return result.exit_code()

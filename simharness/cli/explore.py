"""`simharness explore`: one scenario deeply, and every way in which it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import click

from simharness.cli.options import agent_option, find_agent, search_options
from simharness.cli.selecting import load_cases
from simharness.cli.verb import Verb

if TYPE_CHECKING:
    from simharness.campaign.budget import Plan

__all__ = ["command"]


@click.command(
    name="explore",
    cls=Verb,
    examples=(
        "simharness explore bug.sim.yaml",
        "simharness explore bug.sim.yaml::bug[on_cancel=error] --bound 3 --budget deep",
    ),
)
@click.argument("paths", nargs=-1, required=True, metavar="FILE[::CASE]...")
@agent_option
@search_options
def command(*, paths: tuple[str, ...], agent: str, plan: Plan) -> int:
    """Search with every strategy in turn and list the different endings.

    Without --strategy: default, sweep, bounded up to --bound (2), then sampling.
    """
    from simharness.campaign import coverage
    from simharness.campaign.refine import refine
    from simharness.check import check_suite
    from simharness.cli.output import echo
    from simharness.report import endings, text

    factory = find_agent(agent)
    cases = load_cases(paths, suite=False)
    given = frozenset(case.place.file for case in cases)
    plan = attrs.evolve(plan, strategy=plan.strategy or "portfolio")
    result = check_suite(cases, factory, plan, agent=agent, given=given)
    result = refine(result, factory, plan, agent=agent, given=given)
    blocks = [endings.as_text(one) for one in result.results]
    blocks += text.failures(result, coverage.sentences())
    echo("\n\n".join([*blocks, text.summary(result)]))
    return result.exit_code()

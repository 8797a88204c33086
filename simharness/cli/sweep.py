"""`simharness sweep`: everything that can be done to an agent without writing a scenario."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from simharness.cli import project
from simharness.cli.apart import apart_options
from simharness.cli.options import (
    agent_option,
    baseline_option,
    output_options,
    sweep_options,
)
from simharness.cli.problems import BadInput
from simharness.cli.verb import Verb

if TYPE_CHECKING:
    from simharness.campaign.budget import Plan
    from simharness.cli.apart import Apart
    from simharness.cli.options import Output

__all__ = ["command"]


@click.command(
    name="sweep",
    cls=Verb,
    examples=(
        "simharness sweep --agent mypackage.agent:make",
        "simharness sweep --agent tinyagent --total 50000 --json sweep.json",
    ),
)
@agent_option
@sweep_options
@baseline_option
@apart_options
@output_options
def command(*, agent: str, plan: Plan, baseline: str | None, apart: Apart, output: Output) -> int:
    """Place a cancel at every point of built-in scripts, and every fault at every chunk.

    Then all of it with one deviation from the default order, up to --budget trials per case, while
    --total (10,000) lasts.
    Violations are grouped by rule and cause; each group shows its smallest example.
    """
    from simharness.agent import NotApplicable
    from simharness.campaign.sweeper import TOTAL
    from simharness.cli.kept import keep
    from simharness.cli.output import write_suite
    from simharness.cli.progress import Progress

    excuses = project.excuses(baseline)
    started = time.perf_counter()
    try:
        with apart.place(agent, plan) as place:
            with Progress(plan.total or TOTAL, hidden=output.quiet) as progress:
                result = place.swept(plan, progress)
            result = place.refined(excuses.applied(result), plan)
    except NotApplicable as error:
        raise BadInput(f"agent {agent} cannot play the plain script: {error}") from None
    notes = keep(result, agent, plan)
    write_suite(result, output, seconds=time.perf_counter() - started, notes=notes)
    return result.exit_code()

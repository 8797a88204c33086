"""`simharness sweep`: everything that can be done to an agent without writing a scenario."""

from __future__ import annotations

import contextlib
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
    from collections.abc import Iterator

    from simharness.campaign.blocks import Measured
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
        "simharness sweep --agent mypackage.agent:make --coverage mypackage",
    ),
)
@agent_option
@sweep_options
@baseline_option
@apart_options
@click.option(
    "--coverage",
    "modules",
    multiple=True,
    metavar="MODULE",
    help="Say which except and finally blocks of a package or module no trial entered.",
)
@output_options
def command(
    *,
    agent: str,
    plan: Plan,
    baseline: str | None,
    apart: Apart,
    modules: tuple[str, ...],
    output: Output,
) -> int:
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

    if modules and (apart.jobs or apart.dask):
        raise BadInput("--coverage measures this process only: leave out --isolate, --jobs, --dask")
    excuses = project.excuses(baseline)
    started = time.perf_counter()
    try:
        with apart.place(agent, plan) as place, _measured(modules) as reached:
            with Progress(plan.total or TOTAL, hidden=output.quiet) as progress:
                result = place.swept(plan, progress)
            result = place.refined(excuses.applied(result), plan)
    except NotApplicable as error:
        raise BadInput(f"agent {agent} cannot play the plain script: {error}") from None
    notes = keep(result, agent, plan)
    write_suite(result, output, seconds=time.perf_counter() - started, notes=notes, reached=reached)
    return result.exit_code()


@contextlib.contextmanager
def _measured(modules: tuple[str, ...]) -> Iterator[Measured | None]:
    """Measure the blocks of `modules`, if there are any. BadInput for what cannot be measured."""
    if not modules:
        yield None
        return
    from simharness.campaign.blocks import measured

    with contextlib.ExitStack() as stack:
        try:
            reached = stack.enter_context(measured(modules))
        except ImportError as error:
            if error.name == "coverage":
                hint = 'install it: pip install "simharness[coverage]"'
                raise BadInput(f"--coverage needs coverage.py; {hint}") from None
            raise BadInput(f"--coverage: there is no module {error.name}") from None
        yield reached

"""`simharness replay`: run failing trials again and say whether they still fail the same way."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simharness.cli.apart import Apart
from simharness.cli.coded import case_of, codes
from simharness.cli.completing import agent_names
from simharness.cli.kinds import OUT_FILE, json_option
from simharness.cli.loudness import loudness_options
from simharness.cli.options import find_agent
from simharness.cli.problems import BadInput
from simharness.cli.verb import Verb
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from simharness.campaign.reproduce import Rerun
    from simharness.replay.code import ReplayCode
    from simharness.scenario.model import Case

__all__ = ["command"]

_ORDER = (ExitCode.BROKEN, ExitCode.NOT_EXERCISED, ExitCode.HOLDS)  # the worst first


@click.command(
    name="replay",
    cls=Verb,
    examples=(
        "simharness replay sh1:...",
        "simharness replay sh1:... tests/agents/cancel.sim.yaml",
        "simharness replay reports/latest/report.json",
        "simharness replay sh1:... --trace trial.jsonl",
    ),
)
@click.argument("code", metavar="CODE|FILE", type=click.Path())
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option(
    "--agent",
    metavar="NAME|module:factory",
    help="Another agent than the recorded one.",
    shell_complete=agent_names,
)
@click.option("--isolate", is_flag=True, help="Run it in a worker process.")
@json_option
@click.option(
    "--trace",
    "trace_file",
    metavar="F",
    type=OUT_FILE,
    help="Write every record as JSON lines, for `check --format simharness`.",
)
@loudness_options(
    "Without the table of the trial.", "With every record of the trial behind its table."
)
def command(
    *,
    code: str,
    paths: tuple[str, ...],
    agent: str | None,
    isolate: bool,
    json_file: str | None,
    trace_file: str | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Run the trial of a replay code again, or of every code in a file.

    The scenario is taken from the code itself, else from PATHs, else from the shipped suite.
    Exits with 1 if it fails exactly as recorded, 2 if it fails another way, 0 if it holds.
    """
    from simharness.agent import NotApplicable
    from simharness.cli.output import say
    from simharness.report import json as as_json, replays

    try:
        done = [
            _rerun(found, case_of(found, paths), agent or found.agent, isolate=isolate)
            for found in codes(code)
        ]
    except NotApplicable as error:
        raise BadInput(f"the agent cannot do what this trial needs: {error}") from None
    if trace_file is not None:
        _write_traces(trace_file, done)
    machine = as_json.dump(as_json.header() | {"replays": [replays.as_object(one) for one in done]})
    said = [replays.as_text(one, quiet=quiet, verbose=verbose) for one in done]
    say(machine, "\n\n".join(said), json_file)
    return next(
        exit_code for exit_code in _ORDER if any(one.exit_code is exit_code for one in done)
    )


def _write_traces(file: str, done: list[Rerun]) -> None:
    """Write the trials one after the other, each behind a line that says whose it is."""
    from simharness.choices import on_time
    from simharness.recorded.own_lines import written
    from simharness.report.atomic import write_text

    lines = [
        line
        for one in done
        if (trace := one.verdict.trace) is not None
        for line in written(
            trace,
            one.agent.contract,
            agent=one.agent.title,
            on_time=on_time(one.verdict.course),
        )
    ]
    write_text(Path(file), "".join(lines))


def _rerun(code: ReplayCode, case: Case, agent: str, *, isolate: bool) -> Rerun:
    """Run one code again. In this process what the agent prints is shown."""
    if isolate:
        with Apart(jobs=1).elsewhere(agent) as (fleet, _):
            return fleet.rerun(code, case)
    from simharness.campaign.reproduce import rerun
    from simharness.world.run import batch

    with batch(output=sys.stderr):
        return rerun(code, case, find_agent(agent))

"""`simharness shrink`: one failure as the smallest scenario and schedule that still show it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import click

from simharness.cli import project
from simharness.cli.coded import case_of, codes, is_code
from simharness.cli.kinds import OUT_FILE, json_option
from simharness.cli.loudness import loudness_options
from simharness.cli.options import find_agent
from simharness.cli.problems import BadInput, did_you_mean
from simharness.cli.selecting import load_cases
from simharness.cli.verb import Verb
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from simharness.campaign.shrinking import Small
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["command"]

_TRIALS: Final = 5000
_SECONDS: Final = 60.0


@click.command(
    name="shrink",
    cls=Verb,
    examples=(
        "simharness shrink sh1:...",
        "simharness shrink bug.sim.yaml::bug[on_cancel=error] --rule tool-pairing",
        "simharness shrink sh1:... -o tests/agents/small.sim.yaml",
    ),
)
@click.argument("failure", metavar="CODE|FILE[::CASE]", type=click.Path())
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option(
    "--agent",
    metavar="NAME|module:factory",
    help="The agent under test.  [default: the recorded one, else that of pyproject.toml]",
)
@click.option("--rule", metavar="ID", help="Which rule must stay broken, if it breaks several.")
@click.option(
    "--budget", type=click.IntRange(1), default=_TRIALS, metavar="N", help="Most trials (5,000)."
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=_SECONDS,
    metavar="S",
    help="Most real seconds (60).",
)
@click.option(
    "-o",
    "output",
    metavar="FILE",
    type=OUT_FILE,
    help="Write the scenario; - is standard output.",
)
@json_option
@loudness_options(
    "Without the table of the trial.", "With every record of the trial behind its table."
)
def command(
    *,
    failure: str,
    paths: tuple[str, ...],
    agent: str | None,
    rule: str | None,
    budget: int,
    seconds: float,
    output: str | None,
    json_file: str | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Make a failure small: first its scenario, then its schedule.

    CODE is a replay code, whose scenario is found as by `replay`; of FILE the first failing case is
    taken. Exits with 1 if the rule is broken, 0 if nothing fails (any more), 2 if it does not fail
    each time.
    """
    from simharness.campaign.shrinking import make_small
    from simharness.cli.progress import spending

    if output == json_file == "-":
        raise BadInput("only one of -o and --json can go to standard output")
    start = _of_code(failure, paths, agent) if is_code(failure) else _of_file(failure, paths, agent)
    if start is None:
        return ExitCode.HOLDS
    wanted = _rule(rule, start)
    factory = find_agent(start.agent)
    with spending(budget, seconds, hidden=quiet) as allowance:
        small = make_small(start.case, start.verdict, wanted, factory, start.mode, allowance)
    _tell(small, start, output, json_file, quiet=quiet, verbose=verbose)
    return _exit_code(small)


@attrs.frozen(eq=False)
class _Start:
    """A failing trial, the name of its agent and the mode it ran in."""

    case: Case
    verdict: Verdict
    agent: str
    mode: str


def _of_code(text: str, paths: tuple[str, ...], agent: str | None) -> _Start | None:
    """The trial of a code, run again; None after saying that it no longer fails."""
    from simharness.agent import NotApplicable
    from simharness.campaign.reproduce import rerun

    (code,) = codes(text)
    name = agent or code.agent
    case = case_of(code, paths)
    try:
        done = rerun(code, case, find_agent(name))
    except NotApplicable as error:
        raise BadInput(f"the agent cannot do what this trial needs: {error}") from None
    if not done.verdict.violations:
        click.echo(f"not reproducible: {case.id} no longer fails; the trial: {done.match}")
        return None
    return _Start(case, done.verdict, name, code.mode)


def _of_file(text: str, paths: tuple[str, ...], agent: str | None) -> _Start | None:
    """The smallest failure of the first case in a file that fails; None after saying so."""
    from simharness.campaign.budget import Plan
    from simharness.check import check_case

    if paths:
        raise BadInput(f"give one CODE or FILE; {paths[0]} stands behind a file")
    name = agent or project.default_agent()
    factory = find_agent(name)
    plan = Plan()
    for case in load_cases([text], suite=False):
        result = check_case(case, factory, plan, agent=name)
        if result.reason and not result.findings:
            raise BadInput(f"{case.id} cannot be run with agent {name}: {result.reason}")
        found = [*result.findings, *result.expected, *result.waived]
        if found:
            return _Start(case, found[0].example.verdict, name, plan.mode_of(case))
    click.echo(f"nothing to shrink: no case of {text} fails with agent {name}")
    return None


def _rule(wanted: str | None, start: _Start) -> str:
    broken = [violation.rule for violation in start.verdict.violations]
    if wanted is None:
        return broken[0]
    if wanted not in broken:
        near = did_you_mean(wanted, broken)
        raise BadInput(
            f'{start.case.id} does not break "{wanted}"{near} It breaks {", ".join(broken)}'
        )
    return wanted


def _tell(
    small: Small,
    start: _Start,
    output: str | None,
    json_file: str | None,
    *,
    quiet: bool,
    verbose: bool,
) -> None:
    from simharness.campaign import coverage
    from simharness.campaign.codes import Codes
    from simharness.cli.output import keep_long_scenarios, say
    from simharness.report import json as as_json, shrunk
    from simharness.report.atomic import write_text

    codes = Codes(start.agent, start.mode, seed=0)
    finding = codes.write(shrunk.finding_of(small), small.agent)
    keep_long_scenarios([finding])
    if output == "-":
        click.echo(shrunk.as_file(small), nl=False)
    elif output is not None:
        write_text(Path(output), shrunk.as_file(small))
    machine = as_json.dump(as_json.header() | {"shrunk": shrunk.as_object(small, finding)})
    human = shrunk.as_text(small, finding, coverage.sentences(), quiet=quiet, verbose=verbose)
    if output != "-":
        say(machine, human, json_file)
    elif json_file is not None:
        write_text(Path(json_file), machine)


def _exit_code(small: Small) -> ExitCode:
    words = {"flaky": ExitCode.NOT_EXERCISED, "not reproducible": ExitCode.HOLDS}
    return words.get(str(small.why), ExitCode.BROKEN)

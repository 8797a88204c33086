"""Options that several verbs share, bundled into the values that the rest of the code takes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs
import click

from simharness.campaign.strategynames import STRATEGIES
from simharness.cli import project
from simharness.cli.completing import agent_names, profile_names
from simharness.cli.kinds import OUT_FILE, Words
from simharness.cli.problems import BadInput, did_you_mean, some_of
from simharness.cli.seeds import seed_options, seeds_of

if TYPE_CHECKING:
    from simharness.agent import AgentFactory

__all__ = [
    "Output",
    "agent_option",
    "baseline_option",
    "budget_option",
    "find_agent",
    "output_options",
    "search_options",
    "sweep_options",
]

Command = Callable[..., int]

_AGENT = click.option(
    "--agent",
    default=project.default_agent,
    metavar="NAME|module:factory",
    help="The agent under test; `simharness agents` lists names.  "
    "[default: that of pyproject.toml, else reference]",
    shell_complete=agent_names,
)

_PROFILE = click.option(
    "--profile",
    metavar="NAME",
    help="Let the reference loop behave as this real system does.",
    shell_complete=profile_names,
)

_BUDGET = click.option(
    "--budget",
    default=project.default_budget,
    metavar="quick|default|deep|N",
    help="Trials per case: 4, 100, 5,000 or a number.",
)

_TOTAL = click.option("--total", type=click.IntRange(1), help="Most trials over all cases.")

_MODE = click.option(
    "--mode",
    type=Words(["strict", "relaxed"]),
    help="Only what a stock event loop can do, or more.",
)

_SEARCH = (
    _BUDGET,
    _TOTAL,
    click.option(
        "--strategy",
        type=Words(STRATEGIES),
        help="How schedules are chosen; default: everything up to the bound, fewest first.",
    ),
    click.option("--bound", type=click.IntRange(0), help="Most deviations from the default order."),
    _MODE,
    seed_options,
)

_OUTPUT = (
    click.option(
        "--json", metavar="F", type=OUT_FILE, help="Write JSON to a file; - is standard output."
    ),
    click.option("--junit", metavar="F", type=OUT_FILE, help="Write JUnit XML to a file."),
    click.option("--markdown", metavar="F", type=OUT_FILE, help="Write Markdown to a file."),
    click.option(
        "--html", metavar="F", type=OUT_FILE, help="Write one HTML file that needs no other."
    ),
    click.option(
        "--github",
        is_flag=True,
        help="Print annotations for GitHub Actions.  [default: where GITHUB_ACTIONS is true]",
    ),
    click.option(
        "--out",
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Write report.html, .json, .txt, .md and junit.xml into a folder.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="Failures and the summary line only."),
    click.option("--verbose", "-v", is_flag=True, help="Every case, with notes and coverage."),
)


@attrs.frozen
class Output:
    """Where a report goes and how much of it."""

    json: str | None = None
    junit: str | None = None
    markdown: str | None = None
    html: str | None = None
    github: bool = False
    out: str | None = None
    quiet: bool = False
    verbose: bool = False

    @property
    def printed(self) -> str | None:
        """Which of the files is standard output, if any: then nothing else may stand there."""
        return next((name for name, file in self.files.items() if file == "-"), None)

    @property
    def draws(self) -> bool:
        """Whether a page is written that shows a trial of each case."""
        return self.html is not None or self.out is not None

    @property
    def files(self) -> dict[str, str | None]:
        """Form -> the file it goes to, if it is wanted."""
        return {form: getattr(self, form) for form in ("json", "junit", "markdown", "html")}


def agent_option(command: Command) -> Command:
    """`--agent` and `--profile`; the command gets them as one `agent`."""

    @functools.wraps(command)
    def bundled(*, agent: str, profile: str | None, **words: Any) -> int:
        return command(agent=agent if profile is None else f"{agent}@{profile}", **words)

    return _with(bundled, (_AGENT, _PROFILE))


def baseline_option(command: Command) -> Command:
    """`--baseline`."""
    return click.option(
        "--baseline",
        metavar="FILE",
        help="A JSON report: what it knows does not fail, what is new does.",
    )(command)


def search_options(command: Command) -> Command:
    """`--budget` and so on; the command gets them as one `plan`."""
    names = ("budget", "total", "strategy", "bound", "mode", "seed", "seeds")
    return _with(_planned(command, names), _SEARCH)


def budget_option(command: Command) -> Command:
    """`--budget` alone, as a `plan`."""
    return _with(_planned(command, ("budget",)), (_BUDGET,))


def sweep_options(command: Command) -> Command:
    """What can be said about a sweep, as a `plan`: its phases have strategies of their own."""
    return _with(_planned(command, ("budget", "total", "mode")), (_BUDGET, _TOTAL, _MODE))


def output_options(command: Command) -> Command:
    """`--json` and so on; the command gets them as one `output`."""
    names = [field.name for field in attrs.fields(Output)]

    @functools.wraps(command)
    def bundled(**words: Any) -> int:
        output = Output(**{name: words.pop(name) for name in names})
        if [*output.files.values()].count("-") > 1:
            raise BadInput("only one report can go to standard output")
        if output.quiet and output.verbose:
            raise BadInput("--quiet and --verbose exclude each other: give one of them")
        return command(output=output, **words)

    return _with(bundled, _OUTPUT)


def _with(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def _planned(command: Command, names: tuple[str, ...]) -> Command:
    """`command` with the options `names` put together as `plan`."""

    @functools.wraps(command)
    def bundled(**words: Any) -> int:
        from simharness.campaign.budget import Plan, budget_of

        given = {name: words.pop(name) for name in names}
        try:
            given["budget"] = budget_of(given["budget"])
        except ValueError as error:
            raise BadInput(f"--budget: {error}") from None
        if "seed" in given:
            given["seed"], *given["seeds"] = seeds_of(given["seed"], given["seeds"])
        return command(plan=Plan(**given), **words)

    return bundled


def find_agent(name: str) -> AgentFactory:
    """The factory of an agent; `mutant:ID` is a mutant of the reference loop."""
    from simharness import agents

    if name.startswith("mutant:"):
        return _mutant(name.removeprefix("mutant:"))
    try:
        return project.agent(name)
    except agents.UnknownAgentError as error:
        raise BadInput(str(error)) from None


def _mutant(name: str) -> AgentFactory:
    from simharness.agents.mutants import MUTANTS

    for mutant in MUTANTS:
        if mutant.id == name:
            factory: AgentFactory = mutant.factory
            return factory
    ids = [mutant.id for mutant in MUTANTS]
    raise BadInput(f'unknown mutant "{name}"{did_you_mean(name, ids)} Mutants: {some_of(ids)}')

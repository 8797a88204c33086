"""The verbs by name, and what becomes of errors: one clear message, the right exit code."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from simharness.cli.problems import BadInput, did_you_mean
from simharness.exitcodes import ExitCode
from simharness.report.atomic import WriteError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["run_app"]

_VERBS: Final = {
    "run": "Check scenario files, folders or the shipped suite.",
    "sweep": "Place a cancel and faults everywhere in built-in scripts; needs no YAML.",
    "explore": "Search scenarios deeply and show in which ways they end.",
    "shrink": "Make one failure small: the scenario, then the schedule.",
    "replay": "Run one failing trial again.",
    "compare": "Compare two reports, or two agents: what turned green or red.",
    "mutants": "Prove the rules: run the suite against agents with one seeded fault each.",
    "field": "Find real bugs in the releases of packages that have them.",
    "rules": "List the rules, or explain one.",
    "check": "Check recorded traces: AG-UI, ACP, provider streams and our own.",
    "schema": "Print the JSON Schema of scenario files, for editors.",
    "new": "Write an agent adapter, a scenario or a CI workflow to start from.",
    "completion": "Print the script by which bash, zsh or fish complete this command.",
    "agents": "List the agents that can be tested.",
}


class _Verbs(click.Group):
    """A group that imports a verb's module only when the verb is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click
        """The verbs, in the order of the manual."""
        return list(_VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module of the verb."""
        if name not in _VERBS:
            return None
        command: click.Command = importlib.import_module(f"simharness.cli.{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or say which there are."""
        name = args[0]
        if name not in _VERBS and not name.startswith("-") and not ctx.resilient_parsing:
            raise BadInput(
                f'unknown verb "{name}"{did_you_mean(name, _VERBS)} Verbs: {", ".join(_VERBS)}'
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(_VERBS.items()))
        formatter.write("\nExample: simharness run --suite --agent mypackage.agent:make\n")


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        import simharness

        click.echo(f"simharness {simharness.__version__}")
        ctx.exit()


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version.",
)
def _app() -> None:
    """Run LLM agent loops in a deterministic simulated world and judge what they do."""


def run_app(argv: Sequence[str]) -> int:
    """Run the verb that `argv` names; every error becomes a message and an exit code."""
    try:
        code = _app.main(args=list(argv), prog_name="simharness", standalone_mode=False)
    except click.UsageError as error:
        _say_misuse(error)
        return ExitCode.BAD_INPUT
    except click.ClickException as error:
        error.show()
        return ExitCode.BAD_INPUT
    except WriteError as error:
        BadInput(f"cannot write {error.filename}: {error.strerror}").show()
        return ExitCode.BAD_INPUT
    except click.Abort:
        click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last stop: ours, so show all of it
        return _our_fault(error)
    return int(code or 0)


def _say_misuse(error: click.UsageError) -> None:
    """One message like all others, and where help is."""
    command = "simharness" if error.ctx is None else error.ctx.command_path
    click.echo(f"simharness: {error.format_message()}\nTry: {command} --help", err=True)


def _our_fault(error: Exception) -> int:
    import traceback

    from simharness.scenario.problems import ScenarioError

    if isinstance(error, ScenarioError):
        click.echo(str(error), err=True)
        return ExitCode.BAD_INPUT
    click.echo("".join(traceback.format_exception(error)), err=True)
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    if Path(last).is_relative_to(Path(__file__).parent.parent):
        click.echo("This is a fault of simharness. Please report it.", err=True)
    else:
        click.echo(f"This error came out of {last}, not out of simharness.", err=True)
    return ExitCode.BAD_INPUT

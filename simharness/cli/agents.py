"""`simharness agents`: which agents can be named, and what is missing for those that cannot."""

from __future__ import annotations

import click
from tabulate import tabulate

from simharness.cli.loudness import loudness_options
from simharness.cli.verb import Verb

__all__ = ["command"]


@click.command(
    name="agents",
    cls=Verb,
    examples=(
        "simharness agents",
        "simharness run --suite --agent tinyagent",
        "simharness run --suite --agent mypackage.agent:make",
    ),
)
@loudness_options("Names of those that are ready only.", "Profiles of the reference loop, too.")
def command(*, quiet: bool, verbose: bool) -> int:
    """List the agents that come with simharness."""
    from simharness.agents import describe, names

    if quiet:
        click.echo("\n".join(name for name in names() if describe(name).installed))
        return 0
    rows = []
    for name in names():
        info = describe(name)
        state = "ready" if info.installed else f'pip install "{info.needs}"'
        rows.append((name, info.about, state))
    if verbose:
        rows += _profiles()
    click.echo(tabulate(rows, ["agent", "what it is", "state"], tablefmt="simple"))
    click.echo("\nYour own: --agent package.module:factory, a callable that takes a World.")
    click.echo("In another process: --agent 'child:COMMAND', a program that speaks to the bridge.")
    return 0


def _profiles() -> list[tuple[str, str, str]]:
    """A row for each profile of the reference loop."""
    from simharness.agents.profiles import PROFILES

    return [
        (f"reference@{profile.name}", f"the reference loop as {profile.name} behaves", "ready")
        for profile in PROFILES
    ]

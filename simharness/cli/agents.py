"""`simharness agents`: which agents can be named, and what is missing for those that cannot."""

from __future__ import annotations

import click
from tabulate import tabulate

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
def command() -> int:
    """List the agents that come with simharness."""
    from simharness.agents import describe, names

    rows = []
    for name in names():
        info = describe(name)
        state = "ready" if info.installed else f'pip install "{info.needs}"'
        rows.append((name, info.about, state))
    click.echo(tabulate(rows, ["agent", "what it is", "state"], tablefmt="simple"))
    click.echo("\nYour own: --agent package.module:factory, a callable that takes a World.")
    return 0

"""`simharness schema`: the JSON Schema of scenario files."""

from __future__ import annotations

from pathlib import Path

import click

from simharness.cli.kinds import OUT_FILE
from simharness.cli.verb import Verb

__all__ = ["command"]


@click.command(
    name="schema",
    cls=Verb,
    examples=(
        "simharness schema > scenario.schema.json",
        "simharness schema -o tests/scenario.schema.json",
    ),
)
@click.option(
    "-o",
    "out",
    metavar="FILE",
    type=OUT_FILE,
    help="Write it to a file, whole or not at all; - is standard output.",
)
def command(*, out: str | None) -> int:
    """Print the JSON Schema (draft-07) of scenario files.

    An editor with a YAML language server completes and checks a file whose first line is
    `# yaml-language-server: $schema=scenario.schema.json`.
    """
    from simharness.report.atomic import write_text
    from simharness.scenario.schema import as_text

    if out in {None, "-"}:
        click.echo(as_text(), nl=False)
    else:
        write_text(Path(out), as_text())
    return 0

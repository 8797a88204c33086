"""`simharness field`: are real bugs of released packages found, and their mended releases clean?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from simharness.cli.completing import pin_ids
from simharness.cli.kinds import json_option
from simharness.cli.loudness import loudness_options
from simharness.cli.problems import BadInput, did_you_mean
from simharness.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.field.pins import Pin

__all__ = ["command"]


@click.command(
    name="field",
    cls=Verb,
    examples=(
        "simharness field",
        "simharness field P1 P5",
        "simharness field --json field.json",
    ),
)
@click.argument("ids", nargs=-1, metavar="[PIN]...", shell_complete=pin_ids)
@click.option(
    "--venvs",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".venvs/field"),
    show_default=True,
    help="Where the virtual environments are kept, one for each release.",
)
@json_option
@loudness_options(
    "Failures and the summary line only, and nothing of what is going on.",
    "With what each bug is, and what was found.",
)
def command(
    *, ids: tuple[str, ...], venvs: Path, json_file: str | None, quiet: bool, verbose: bool
) -> int:
    """Find real bugs in the releases that have them.

    Each pin is a bug of a released package. Its rule must be broken by the release that has the bug
    and hold for the first one that does not; nothing else counts. Needs a package index the first
    time, when the releases are installed.
    """
    from simharness.cli.output import say
    from simharness.field.judging import exit_code, judged
    from simharness.report import json as as_json, pins as table

    wanted = _chosen(ids)
    home = venvs.absolute()
    home.mkdir(parents=True, exist_ok=True)
    done = [judged(pin, home, _silent if quiet else _tell) for pin in wanted]
    machine = as_json.dump(as_json.header() | table.as_object(done))
    say(machine, table.as_text(done, quiet=quiet, verbose=verbose), json_file)
    return exit_code(done)


def _tell(line: str) -> None:
    click.echo(line, err=True)


def _silent(_: str) -> None:
    pass


def _chosen(ids: Sequence[str]) -> list[Pin]:
    from simharness.field.pins import load_pins

    by_id = {pin.id: pin for pin in load_pins()}
    for wanted in ids:
        if wanted not in by_id:
            near = did_you_mean(wanted, by_id)
            raise BadInput(f'unknown pin "{wanted}"{near} Pins: {", ".join(by_id)}')
    return [by_id[wanted] for wanted in ids] if ids else list(by_id.values())

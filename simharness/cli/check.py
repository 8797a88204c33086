"""`simharness check`: the rules over recorded traces, read as they come."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simharness.cli.completing import format_names
from simharness.cli.kinds import Words, json_option
from simharness.cli.loudness import loudness_options
from simharness.cli.problems import BadInput, did_you_mean
from simharness.cli.verb import Verb
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from simharness.recorded.checking import Checked
    from simharness.recorded.format import Format

__all__ = ["command", "format_named"]

_WORST = (ExitCode.BAD_INPUT, ExitCode.BROKEN, ExitCode.HOLDS)


@click.command(
    name="check",
    cls=Verb,
    examples=(
        "simharness check run.jsonl --format agui",
        "simharness check connection.jsonl --format acp --recorded-at client",
        "curl -N ... | simharness check - --format openai-chat",
    ),
)
@click.argument("traces", nargs=-1, required=True, metavar="TRACE...", type=click.Path())
@click.option(
    "--format",
    "format_name",
    required=True,
    metavar="F",
    shell_complete=format_names,
    help="simharness, agui, acp, openai-chat, openai-responses, anthropic or vercel.",
)
@click.option(
    "--recorded-at",
    type=Words(["agent", "client"]),
    default="agent",
    show_default=True,
    help="Where the recorder sat. At the client an end that follows a cancel without any more "
    "work may have crossed it on its way, and is noted instead of judged.",
)
@json_option
@loudness_options(
    "Only what is broken and the summary.", "Every rule with how often it had something to judge."
)
def command(
    *,
    traces: tuple[str, ...],
    format_name: str,
    recorded_at: str,
    json_file: str | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Check recorded TRACEs against the rules of their format, then the universal ones.

    A trace holds JSON lines or server-sent events; - is standard input. It is read as it comes, so
    its size does not matter. Exits with 1 if a rule is broken, with 3 if a trace cannot be read.
    """
    from simharness.cli.output import say
    from simharness.report import json as as_json, recorded

    form = format_named(format_name)
    done = [_checked(trace, form, at_client=recorded_at == "client") for trace in traces]
    machine = as_json.dump(as_json.header() | {"traces": [recorded.as_object(one) for one in done]})
    said = [recorded.as_text(one, quiet=quiet, verbose=verbose) for one in done]
    say(machine, "\n\n".join(said), json_file)
    return next(code for code in _WORST if any(one.exit_code is code for one in done))


def format_named(name: str) -> Format:
    """Return the format called `name`; a mistake says which there are."""
    from simharness.recorded.formats import FORMATS

    if name not in FORMATS:
        near = did_you_mean(name, FORMATS)
        raise BadInput(f'unknown format "{name}"{near} Formats: {", ".join(FORMATS)}')
    return FORMATS[name]


def _checked(trace: str, form: Format, *, at_client: bool) -> Checked:
    from simharness.recorded.checking import check, check_file

    if trace == "-":
        return check(sys.stdin.buffer, "<stdin>", form, at_client=at_client)
    return check_file(Path(trace), form, at_client=at_client)

"""`simharness replay`: run failing trials again and say whether they still fail the same way."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simharness.campaign.shipped import suite_folder
from simharness.cli.apart import Apart
from simharness.cli.options import find_agent
from simharness.cli.problems import BadInput, did_you_mean
from simharness.cli.verb import Verb
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simharness.campaign.reproduce import Rerun
    from simharness.replay.code import ReplayCode
    from simharness.scenario.model import Case

__all__ = ["command"]

_CODE = re.compile(r"sh[0-9]+:[A-Za-z0-9_-]+")
_ORDER = (ExitCode.BROKEN, ExitCode.NOT_EXERCISED, ExitCode.HOLDS)  # the worst first


@click.command(
    name="replay",
    cls=Verb,
    examples=(
        "simharness replay sh1:...",
        "simharness replay sh1:... tests/agents/cancel.sim.yaml",
        "simharness replay reports/latest/report.json",
    ),
)
@click.argument("code", metavar="CODE|FILE")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--agent", metavar="NAME|module:factory", help="Another agent than the recorded one.")
@click.option("--isolate", is_flag=True, help="Run it in a worker process.")
@click.option(
    "--json", "json_file", metavar="F", help="Write JSON to a file; - is standard output."
)
def command(
    *,
    code: str,
    paths: tuple[str, ...],
    agent: str | None,
    isolate: bool,
    json_file: str | None,
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
            _rerun(found, _case(found, paths), agent or found.agent, isolate=isolate)
            for found in _codes(code)
        ]
    except NotApplicable as error:
        raise BadInput(f"the agent cannot do what this trial needs: {error}") from None
    machine = as_json.dump(as_json.header() | {"replays": [replays.as_object(one) for one in done]})
    say(machine, "\n\n".join(replays.as_text(one) for one in done), json_file)
    return next(
        exit_code for exit_code in _ORDER if any(one.exit_code is exit_code for one in done)
    )


def _rerun(code: ReplayCode, case: Case, agent: str, *, isolate: bool) -> Rerun:
    """Run one code again. In this process what the agent prints is shown."""
    if isolate:
        with Apart(jobs=1).place(agent) as place:
            assert place.fleet is not None, "asked for a worker"
            return place.fleet.rerun(code, case)
    from simharness.campaign.reproduce import rerun
    from simharness.world.run import batch

    with batch(output=sys.stderr):
        return rerun(code, case, find_agent(agent))


def _codes(text: str) -> Iterator[ReplayCode]:
    from simharness.replay.code import ReplayCode, ReplayError

    found = [text]
    if re.match(r"sh[0-9]+:", text) is None:
        if not Path(text).is_file():
            raise BadInput(f'"{text}" is no replay code (one starts with sh1:) and no file')
        content = Path(text).read_text(encoding="utf-8", errors="replace")
        found = list(dict.fromkeys(_CODE.findall(content)))
        if not found:
            raise BadInput(f"{text} holds no replay code; one starts with sh1:")
    for code in found:
        try:
            yield ReplayCode.decode(code)
        except ReplayError as error:
            raise BadInput(str(error)) from None


def _case(code: ReplayCode, paths: Sequence[str]) -> Case:
    """The case of a code: from the code, from the file kept beside, from files by its id."""
    from simharness.replay.code import sidecar
    from simharness.scenario.load import load_text

    source = code.source
    if source is None and Path(sidecar(code.source_hash)).is_file():
        source = Path(sidecar(code.source_hash)).read_text(encoding="utf-8")
    if source is not None:
        (case,) = load_text(source, file="<replay code>").cases
        return case
    return _by_id(code.case, paths)


def _by_id(wanted: str, paths: Sequence[str]) -> Case:
    """The case with this id in `paths`, else in the shipped suite.

    Only files that name its scenario are read, so a mistake in another file is no obstacle.
    """
    from simharness.scenario.load import find_files, load_file

    folders = [*paths, str(suite_folder())]
    seen: list[str] = []
    for folder in folders:
        if not Path(folder).exists():
            if folder in paths:
                raise BadInput(f'there is no file or folder "{folder}"')
            continue
        for file in find_files([folder]):
            if wanted.partition("[")[0] not in file.read_text(encoding="utf-8", errors="replace"):
                continue
            for case in load_file(file).cases:
                if case.id == wanted:
                    return case
                seen.append(case.id)
    where = ", ".join([*paths, "the shipped suite"])
    near = did_you_mean(wanted, seen)
    raise BadInput(
        f'this code is of the case "{wanted}", which is not in {where}{near} '
        "Give its file behind the code."
    )

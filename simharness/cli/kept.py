"""What earlier runs found: replayed before a run, kept behind it."""

from __future__ import annotations

import functools
import shlex
from typing import TYPE_CHECKING, Any

import attrs
import click

from simharness.cli.problems import BadInput
from simharness.plural import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.campaign.budget import Plan
    from simharness.campaign.results import CaseResult, SuiteResult
    from simharness.cli.place import Place
    from simharness.scenario.model import Case

__all__ = ["Kept", "keep", "kept_options"]

_OPTIONS = (
    click.option(
        "--regressions",
        is_flag=True,
        help="Only replay the failures that earlier runs kept under .simharness/regressions.",
    ),
    click.option("--no-regressions", is_flag=True, help="Neither replay nor keep failures there."),
)


@attrs.define
class Kept:
    """Kept failures: `only` they are replayed, or they are `off`; `again` is their replay."""

    only: bool = False
    off: bool = False
    again: SuiteResult | None = None

    def cases(self, agent: str) -> list[Case]:
        """The kept failures as cases of their own; says so if there is none."""
        from simharness.campaign.regressions import FOLDER, files
        from simharness.scenario.load import load_file

        found = [case for file in files(agent) for case in load_file(file).cases]
        if not found:
            click.echo(f"no failure of agent {agent} is kept under {FOLDER}")
        return found

    def replay(
        self,
        place: Place,
        cases: Sequence[Case],
        plan: Plan,
        excuse: Callable[[CaseResult], CaseResult],
    ) -> bool:
        """Replay what failed in `cases` before; whether any of it still fails."""
        from simharness.campaign.regressions import known
        from simharness.cli.progress import Progress

        before = [] if self.off or self.only else known(cases, place.agent)
        if not before:
            return False
        short = attrs.evolve(plan, total=None, strategy=None)
        with Progress(short.most(before), short, hidden=True) as progress:
            alone = attrs.evolve(place, means=None, store=None)
            self.again = alone.checked(before, short, progress, excuse=excuse)
        return any(result.findings for result in self.again.results)

    def joined(self, result: SuiteResult) -> SuiteResult:
        """`result` with what the replay showed and the search did not find."""
        from simharness.campaign.regressions import joined

        return result if self.again is None else joined(result, self.again)

    def notes(self, result: SuiteResult, agent: str, plan: Plan) -> list[str]:
        """Keep what was found; lines that say so, and what became of what was kept before."""
        said = []
        if self.again is not None:
            count = len(self.again.results)
            failing = sum(bool(one.findings) for one in self.again.results)
            said.append(f"of {count} kept failures replayed first, {failing} still fail")
        if not self.off and not self.only:
            said += keep(result, agent, plan)
        return said


def keep(result: SuiteResult, agent: str, plan: Plan) -> list[str]:
    """Keep each cause; the line that says so, if there was one to keep."""
    from simharness.campaign import regressions

    kept = regressions.keep(result.causes(), agent, plan.mode or "")
    if not kept:
        return []
    failures = plural(len(kept), "failure")
    again = f"simharness run --regressions --agent {shlex.quote(agent)}"
    return [f"{failures} kept under {kept[0].parent}; again: {again}"]


def kept_options(command: Callable[..., int]) -> Callable[..., int]:
    """`--regressions` and `--no-regressions`; the command gets them as `kept`."""

    @functools.wraps(command)
    def bundled(regressions: bool, no_regressions: bool, **rest: Any) -> int:
        if regressions and no_regressions:
            raise BadInput("--regressions and --no-regressions exclude each other")
        if regressions and (rest["paths"] or rest["suite"]):
            raise BadInput("--regressions replays what is kept: it takes no PATH and no --suite")
        return command(kept=Kept(regressions, no_regressions), **rest)

    for option in reversed(_OPTIONS):
        bundled = option(bundled)
    return bundled

"""Where the trials of a command run: in this process, or in workers that may die."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

import attrs
import click

from simharness.cli.options import find_agent
from simharness.cli.problems import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from simharness.agent import AgentFactory
    from simharness.campaign.budget import Plan
    from simharness.campaign.results import CaseResult, SuiteResult
    from simharness.isolate import Fleet
    from simharness.scenario.model import Case

__all__ = ["Apart", "Place", "apart_options"]

_WALL_S = 20.0  # as in world.watchdog, which --help need not import
_MEMORY_MIB = 2048

_OPTIONS = (
    click.option(
        "--isolate",
        is_flag=True,
        help="Run the agent in a worker process, so that nothing it does ends the campaign.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(1),
        metavar="N",
        help="Run it in N worker processes; the results are the same.",
    ),
    click.option(
        "--wall-limit",
        type=click.FloatRange(0.1),
        default=_WALL_S,
        metavar="SECONDS",
        help="Real time after which a trial that does not end is ended.  [default: 20]",
    ),
    click.option(
        "--memory-limit",
        type=click.IntRange(64),
        default=_MEMORY_MIB,
        metavar="MIB",
        help="What a worker process may allocate (Linux).  [default: 2048]",
    ),
)


@attrs.frozen
class Place:
    """Where the trials of one agent run. `given` as in `check.check_case`; no `fleet`: here."""

    agent: str
    factory: AgentFactory
    given: frozenset[str] = frozenset()
    fleet: Fleet | None = None

    def checked(
        self,
        cases: Sequence[Case],
        plan: Plan,
        *,
        fail_fast: bool,
        excuse: Callable[[CaseResult], CaseResult],
        on_result: Callable[[CaseResult], None],
    ) -> SuiteResult:
        """Check cases: `check.check_suite`."""
        from simharness.check import check_suite

        return check_suite(
            cases,
            self.factory,
            plan,
            agent=self.agent,
            given=self.given,
            fail_fast=fail_fast,
            excuse=excuse,
            on_result=on_result,
            checker=self.fleet,
        )

    def swept(self, plan: Plan, on_result: Callable[[CaseResult], None]) -> SuiteResult:
        """Sweep the built-in scripts: `sweeper.sweep`."""
        from simharness.campaign.sweeper import sweep

        play = None if self.fleet is None else self.fleet.play
        return sweep(
            self.factory,
            plan,
            agent=self.agent,
            on_result=on_result,
            checker=self.fleet,
            play=play,
        )

    def refined(self, suite: SuiteResult, plan: Plan) -> SuiteResult:
        """Make what was found small: `refine.refine`."""
        from simharness.campaign.refine import refine

        refiner = None if self.fleet is None else self.fleet.refiner(plan)
        return refine(
            suite, self.factory, plan, agent=self.agent, given=self.given, refiner=refiner
        )

    def changed(self, cases: Sequence[Case], *, pin: bool, update: bool) -> list[str]:
        """Compare pinned timelines: `pins.compare`."""
        from simharness.campaign import pins

        trial = None if self.fleet is None else self.fleet.trial
        return pins.compare(cases, self.factory, self.agent, pin=pin, update=update, trial=trial)


@attrs.frozen
class Apart:
    """What the options say. `jobs` above 0: that many worker processes."""

    jobs: int
    wall_s: float = _WALL_S
    memory_mib: int = _MEMORY_MIB

    @contextlib.contextmanager
    def place(self, agent: str, given: frozenset[str] = frozenset()) -> Iterator[Place]:
        """Where the trials of `agent` run. Nothing may be printed meanwhile but on a terminal."""
        if not self.jobs:
            from simharness.world.run import batch

            factory = find_agent(agent)
            with batch(wall_s=self.wall_s):
                yield Place(agent, factory, given)
            return
        from simharness.isolate import Fleet, Isolation, Setup, UnusableError

        limits = Isolation(self.jobs, self.wall_s, self.memory_mib)
        try:
            with Fleet(Setup(find_agent, agent, limits, given, (BadInput,))) as fleet:
                yield Place(agent, _elsewhere, given, fleet)
        except UnusableError as error:
            raise BadInput(str(error)) from None


def apart_options(command: Callable[..., int]) -> Callable[..., int]:
    """`--isolate` and so on; the command gets them as `apart`."""

    @functools.wraps(command)
    def bundled(
        isolate: bool, jobs: int | None, wall_limit: float, memory_limit: int, **rest: Any
    ) -> int:
        apart = Apart(jobs or int(isolate), wall_limit, memory_limit)
        return command(apart=apart, **rest)

    for option in reversed(_OPTIONS):
        bundled = option(bundled)
    return bundled


def _elsewhere(_: object) -> Any:
    raise AssertionError("this agent is made in worker processes only")

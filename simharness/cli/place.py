"""Where the trials of one agent run, and everything that commands have done there."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import attrs
import click

from simharness.cli.problems import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from simharness.agent import AgentFactory
    from simharness.batches import Means, Store
    from simharness.campaign.budget import Plan
    from simharness.campaign.results import CaseResult, SuiteResult
    from simharness.check import Checker
    from simharness.cli.progress import Progress
    from simharness.isolate import Fleet
    from simharness.scenario.model import Case

__all__ = ["Place", "kept"]


@attrs.frozen
class Place:
    """One agent and where it runs. `given` as in `check.check_case`.

    Without `fleet` single trials and whole cases run in this process. With `means` cases are
    searched in batches, whose results go to `store` if there is one.
    """

    agent: str
    factory: AgentFactory
    given: frozenset[str] = frozenset()
    fleet: Fleet | None = None
    means: Means | None = None
    store: Store | None = None

    def checked(
        self,
        cases: Sequence[Case],
        plan: Plan,
        progress: Progress,
        *,
        fail_fast: bool = False,
        excuse: Callable[[CaseResult], CaseResult] = lambda result: result,
    ) -> SuiteResult:
        """Check cases: `check.check_suite`."""
        from simharness.check import check_suite

        with self._campaign(progress) as (checker, remarks):
            result = check_suite(
                cases,
                self.factory,
                plan,
                agent=self.agent,
                given=self.given,
                fail_fast=fail_fast,
                excuse=excuse,
                on_result=progress,
                checker=checker,
            )
        return attrs.evolve(result, remarks=(*result.remarks, *remarks))

    def swept(self, plan: Plan, progress: Progress) -> SuiteResult:
        """Sweep the built-in scripts: `sweeper.sweep`."""
        from simharness.campaign.sweeper import sweep

        play = None if self.fleet is None else self.fleet.play
        with self._campaign(progress) as (checker, remarks):
            result = sweep(
                self.factory,
                plan,
                agent=self.agent,
                on_result=progress,
                checker=checker,
                play=play,
            )
        return attrs.evolve(result, remarks=(*result.remarks, *remarks))

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

    @contextlib.contextmanager
    def _campaign(self, progress: Progress) -> Iterator[tuple[Checker | None, list[str]]]:
        """What checks the cases, and what it remarks by the end."""
        remarks: list[str] = []
        if self.means is None:
            yield self.fleet, remarks
            return
        from simharness.batches import Campaign

        with Campaign(
            self.means,
            agent=self.agent,
            given=self.given,
            store=self.store,
            on_gain=progress.gained,
            on_death=None if self.fleet is None else self.fleet.check,
        ) as campaign:
            yield campaign, remarks
            remarks += campaign.remarks


@contextlib.contextmanager
def kept(path: Path | None, agent: str, plan: Plan) -> Iterator[Store | None]:
    """The store of a campaign, if it has one; says what it holds to whoever begins or interrupts.

    To be opened before trials are: what is printed among them is dropped.
    """
    from simharness.batches import Store, StoreError

    if path is None:
        yield None
        return
    try:
        with Store(path, _about(agent, plan)) as store:
            if store.size:
                click.echo(f"{store.size} batches are in {path} already", err=True)
            try:
                yield store
            except KeyboardInterrupt:
                click.echo(
                    f"{store.size} batches are kept in {path}; the same command goes on from there",
                    err=True,
                )
                raise
    except StoreError as error:
        raise BadInput(str(error)) from None


def _about(agent: str, plan: Plan) -> dict[str, str]:
    """What makes a campaign another one. Each batch says by itself what it ran."""
    import platform

    import simharness

    options = {field.name: str(getattr(plan, field.name)) for field in attrs.fields(type(plan))}
    python = ".".join(platform.python_version_tuple()[:2])
    return {"simharness": simharness.__version__, "python": python, "agent": agent, **options}

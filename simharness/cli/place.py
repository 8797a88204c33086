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

__all__ = ["Place"]


@attrs.frozen
class Place:
    """One agent and where it runs. `given` as in `check.check_case`.

    Without `fleet` single trials and whole cases run in this process. With `means` cases are
    searched in batches, whose results go to the file `store` if there is one.
    """

    agent: str
    factory: AgentFactory
    given: frozenset[str] = frozenset()
    fleet: Fleet | None = None
    means: Means | None = None
    store: Path | None = None

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

        with self._campaign(plan, progress) as (checker, remarks):
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
        with self._campaign(plan, progress) as (checker, remarks):
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
    def _campaign(
        self, plan: Plan, progress: Progress
    ) -> Iterator[tuple[Checker | None, list[str]]]:
        """What checks the cases, and what it remarks by the end."""
        remarks: list[str] = []
        if self.means is None:
            yield self.fleet, remarks
            return
        from simharness.batches import Campaign, StoreError

        on_death = None if self.fleet is None else self.fleet.check
        try:
            with (
                self._kept(plan) as store,
                Campaign(
                    self.means,
                    agent=self.agent,
                    given=self.given,
                    store=store,
                    on_gain=progress.gained,
                    on_death=on_death,
                ) as campaign,
            ):
                yield campaign, remarks
                remarks += campaign.remarks
        except StoreError as error:
            raise BadInput(str(error)) from None

    @contextlib.contextmanager
    def _kept(self, plan: Plan) -> Iterator[Store | None]:
        """The store, if there is one; says what it has to whoever begins or interrupts."""
        from simharness.batches import Store

        if self.store is None:
            yield None
            return
        with Store(self.store, _about(self.agent, plan)) as store:
            if store.size:
                click.echo(f"{store.size} batches are in {self.store} already", err=True)
            try:
                yield store
            except KeyboardInterrupt:
                click.echo(
                    f"{store.size} batches are kept in {self.store}; the same command goes on "
                    "from there",
                    err=True,
                )
                raise


def _about(agent: str, plan: Plan) -> dict[str, str]:
    """What makes a campaign another one. Each batch says by itself what it ran."""
    import platform

    import simharness

    options = {field.name: str(getattr(plan, field.name)) for field in attrs.fields(type(plan))}
    python = ".".join(platform.python_version_tuple()[:2])
    return {"simharness": simharness.__version__, "python": python, "agent": agent, **options}

"""The options that say where trials run: in this process, in workers that may die, on a cluster."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from simharness.cli.options import find_agent
from simharness.cli.problems import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simharness.agent import AgentFactory
    from simharness.batches import Means
    from simharness.campaign.budget import Plan
    from simharness.cli.place import Place
    from simharness.isolate import Fleet

__all__ = ["Apart", "apart_options"]

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
    click.option(
        "--dask",
        metavar="ADDRESS",
        help="Run batches of trials on the workers of a Dask scheduler; the results are the same.",
    ),
    click.option(
        "--store",
        metavar="FILE",
        help="Keep results of batches as they come; the same command goes on where it ended.",
    ),
)


@attrs.frozen
class Apart:
    """What the options say. `jobs` above 0: that many worker processes. `dask`: those of a cluster.

    `store` is where the results of batches are kept.
    """

    jobs: int = 0
    wall_s: float = _WALL_S
    memory_mib: int = _MEMORY_MIB
    dask: str | None = None
    store: str | None = None

    @contextlib.contextmanager
    def place(
        self,
        agent: str,
        plan: Plan,
        given: frozenset[str] = frozenset(),
        *,
        batches: bool = False,
    ) -> Iterator[Place]:
        """Where the trials of `agent` run. Nothing may be printed meanwhile but on a terminal.

        `batches`: search in batches even if nothing is kept and no cluster is used.
        """
        from simharness.cli.place import Place, kept
        from simharness.world.run import batch

        batches = batches or self.store is not None
        with kept(None if self.store is None else Path(self.store), agent, plan) as store:
            if self.jobs or self.dask:
                with self.elsewhere(agent, given, batches=batches) as (fleet, means):
                    yield Place(agent, _elsewhere, given, fleet, means, store)
                return
            factory = find_agent(agent)
            means = _inline(factory) if batches else None
            with batch(wall_s=self.wall_s):
                yield Place(agent, factory, given, None, means, store)

    @contextlib.contextmanager
    def elsewhere(
        self, agent: str, given: frozenset[str] = frozenset(), *, batches: bool = False
    ) -> Iterator[tuple[Fleet, Means | None]]:
        """Worker processes of this machine for single trials, and what runs batches."""
        from simharness.isolate import Fleet, Isolation, Setup, UnusableError
        from simharness.isolate.means import cluster, processes

        limits = Isolation(self.jobs or 1, self.wall_s, self.memory_mib)
        setup = Setup(find_agent, agent, limits, given, (BadInput,))
        try:
            with Fleet(setup) as fleet:
                if self.dask is None:
                    yield fleet, processes(setup) if batches else None
                    return
                with cluster(self.dask, setup) as means:
                    yield fleet, means
        except UnusableError as error:
            raise BadInput(str(error)) from None


def apart_options(command: Callable[..., int]) -> Callable[..., int]:
    """`--isolate` and so on; the command gets them as `apart`."""

    @functools.wraps(command)
    def bundled(
        isolate: bool,
        jobs: int | None,
        wall_limit: float,
        memory_limit: int,
        dask: str | None,
        store: str | None,
        **rest: Any,
    ) -> int:
        if dask is not None and jobs is not None:
            raise BadInput("--jobs and --dask exclude each other: give one of them")
        apart = Apart(jobs or int(isolate), wall_limit, memory_limit, dask, store)
        return command(apart=apart, **rest)

    for option in reversed(_OPTIONS):
        bundled = option(bundled)
    return bundled


def _inline(factory: AgentFactory) -> Means:
    """Batches run in this process."""
    from simharness.batches import Inline, Means, done

    return Means(Inline, functools.partial(done, factory))


def _elsewhere(_: object) -> Any:
    raise AssertionError("this agent is made in worker processes only")

"""Each tool behind the same two questions. A tool is imported only in its own environment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol

from tests.benchmarks.peers.bugs import Bug
from tests.benchmarks.workload import workload

CAP = 1000
"""The most trials of one search."""

Main = Callable[[], Awaitable[Any]]


class Found(NamedTuple):
    """One search: trials until the bug was seen (None: not within the cap), deviations left."""

    trials: int | None
    deviations: int | None = None


class Tool(Protocol):
    """What is asked of a tool."""

    def run(self, times: int) -> None:
        """Run the workload `times` times, recording and choosing at random where it can."""
        ...

    def find(self, bug: Bug, seed: int) -> Found:
        """Search for `bug`, make it small."""
        ...


async def yields(_: str, ticks: int) -> None:
    """An arrival for tools that let a ready task go first."""
    for _tick in range(ticks):
        await asyncio.sleep(0)


class Simharness:
    """This project: the kernel, deliveries from outside as pauses."""

    strategy: str | None = "portfolio"

    def run(self, times: int) -> None:
        """Random choice at every point."""
        from simharness.search import Uniform, explore
        from simharness.verdict import Verdict
        from simharness.world.kernel import play
        from simharness.world.run import batch

        def once(chooser: Any) -> Verdict:
            done = play(lambda _: workload(asyncio.sleep), chooser)
            return Verdict((), (), frozenset(), done.course, str(len(done.course)), "")

        with batch():
            for _ in explore(once, Uniform(seed=0), times):
                pass

    def find(self, bug: Bug, seed: int) -> Found:
        """As `simulate` does it."""
        from simharness.campaign.budget import named
        from simharness.programs import Outside
        from simharness.programs.trial import run_once
        from simharness.search import explore, shrink
        from simharness.verdict import Verdict
        from simharness.world.run import batch

        async def program(outside: Outside) -> None:
            await bug(outside.arrival)

        def once(chooser: Any) -> Verdict:
            return run_once(program, chooser, mode="strict").verdict

        with batch():
            search = explore(once, named(self.strategy, seed=seed), CAP)
            for verdict in search:
                if verdict.violations:
                    small = shrink(once, verdict, verdict.violations[0].rule)
                    return Found(search.trials, len(small.schedule))
        return Found(None)


class SimharnessDefault(Simharness):
    """This project without a strategy: nothing is drawn."""

    strategy = None


class Detangle:
    """detangle: permutes ready callbacks."""

    def run(self, times: int) -> None:
        """Its random walk."""
        import detangle

        async def main() -> None:
            await workload(asyncio.sleep)

        detangle.explore(main, runs=times, strategy="random", seed=1, database=False)

    def find(self, bug: Bug, seed: int) -> Found:
        """Its default portfolio."""
        import detangle

        async def main() -> None:
            await bug(yields)

        try:
            detangle.explore(main, runs=CAP, seed=seed, database=False)
        except detangle.BugFound as found:
            return Found(found.report.runs, found.report.deviations)
        return Found(None)


class Simloom:
    """simloom: permutes ready callbacks."""

    def run(self, times: int) -> None:
        """Its random walk."""
        import simloom

        async def main() -> None:
            await workload(asyncio.sleep)

        simloom.explore(main, runs=times)

    def find(self, bug: Bug, seed: int) -> Found:
        """Its random walk."""
        import simloom

        async def main() -> None:
            await bug(yields)

        done = simloom.explore(main, runs=CAP, start_seed=seed * CAP)
        if done.first_failure is None:
            return Found(None)
        return Found(done.runs, simloom.shrink(main, done.first_failure).deviations)


class Seedloop:
    """seedloop: keeps the order of ready callbacks; draws times of its own network only."""

    def run(self, times: int) -> None:
        """A world per seed."""
        import seedloop

        async def scenario(_: Any) -> None:
            await workload(asyncio.sleep)

        seedloop.check(scenario, seeds=times)

    def find(self, bug: Bug, seed: int) -> Found:
        """A sweep of seeds; it does not shrink."""
        import seedloop

        async def scenario(_: Any) -> None:
            await bug(yields)

        seeds = range(seed * CAP, (seed + 1) * CAP)
        done = seedloop.check(scenario, seeds=seeds, on_failure="return")
        return Found(None if done.error is None else done.checked)


class AsyncSolipsism:
    """async-solipsism: virtual time on a stock loop; it explores nothing."""

    def run(self, times: int) -> None:
        """A loop per run."""
        for _ in range(times):
            _on_its_loop(lambda: workload(asyncio.sleep))

    def find(self, bug: Bug, seed: int) -> Found:
        """One run says all that it can say."""
        try:
            _on_its_loop(lambda: bug(yields))
        except AssertionError:
            return Found(1, 0)
        return Found(None)


def _on_its_loop(main: Main) -> None:
    import async_solipsism

    loop = async_solipsism.EventLoop()
    try:
        loop.run_until_complete(main())
    finally:
        loop.close()


TOOLS: dict[str, tuple[str, type[Tool]]] = {
    "simharness, portfolio": ("simharness", Simharness),
    "simharness, no strategy": ("simharness", SimharnessDefault),
    "detangle": ("detangle", Detangle),
    "simloom": ("simloom", Simloom),
    "seedloop": ("seedloop", Seedloop),
    "async-solipsism": ("async-solipsism", AsyncSolipsism),
}
"""Each tool's name, and the distribution that its environment holds."""

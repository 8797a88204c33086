"""Runs the cases of a sweep in phases: the cheap ones first, then deeper while trials last.

Every fault, a cancel from inside, a cancel everywhere from outside, then all of it with bound 1.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import attrs

from simharness.agent import NotApplicable
from simharness.campaign import sweeps
from simharness.campaign.results import SuiteResult, deepened
from simharness.campaign.stopping import costly
from simharness.check import Bench, Checker, check_suite
from simharness.choices import ScheduleChooser
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simharness.agent import AgentFactory
    from simharness.campaign.budget import Plan
    from simharness.campaign.results import CaseResult, Identity
    from simharness.campaign.sweeps import Script
    from simharness.scenario.model import Case
    from simharness.trace import Trace

Played = tuple["Script", "Identity", "Trace"]
"""A plain script as an agent can play it, the agent, and the default trial."""

__all__ = ["TOTAL", "Played", "playable", "sweep"]

TOTAL: Final = 10_000
"""Trials of a sweep unless `--total` says otherwise: the complete phases and some of the last."""

_PLACES: Final = 5_000  # per case: more boundaries than any trial of these scripts has


def sweep(
    factory: AgentFactory,
    plan: Plan,
    *,
    agent: str = "",
    on_result: Callable[[CaseResult], None] = lambda _: None,
    checker: Checker | None = None,
    play: Callable[[Script], Played] | None = None,
) -> SuiteResult:
    """Sweep the built-in scripts with everything this agent can be cancelled by.

    The result has one entry per case; causes are put together with `results.merged`. Raises
    NotApplicable if the agent cannot even play the plain script. `checker` and `play` do elsewhere
    what `check.check_suite` and `playable` do here.
    """
    played = play or (lambda script: playable(script, factory))
    total = TOTAL if plan.total is None else plan.total
    done: dict[str, CaseResult] = {}
    left, skipped = total, 0
    with contextlib.nullcontext() if checker else batch():
        for cases, strategy in _phases(played):
            trials = plan.budget if strategy == "bounded" else _PLACES
            deep = attrs.evolve(plan, budget=trials, bound=1, strategy=strategy, total=left)
            wanted = [case for case in cases if not _stopped(done.get(case.id))]
            result = check_suite(
                wanted, factory, deep, agent=agent, on_result=on_result, checker=checker
            )
            for found in result.results:
                before = done.get(found.case.id)
                done[found.case.id] = found if before is None else deepened(before, found)
            left -= result.total("trials")
            skipped = result.skipped
    return SuiteResult(tuple(done.values()), plan.mode or "strict", skipped)


def _stopped(result: CaseResult | None) -> bool:
    """Whether a case has shown a trial that nobody wants to run many times."""
    found = () if result is None else result.findings
    return any(costly(finding.example.verdict) for finding in found)


def _phases(play: Callable[[Script], Played]) -> Iterator[tuple[list[Case], str]]:
    """The cases of each phase and how they are searched."""
    played = [play(script) for script in sweeps.SCRIPTS]
    scripts = [script for script, _, _ in played]
    ways = sweeps.ways(played[0][1])
    faults = [case for script in scripts for case in sweeps.faults(script)]
    yield faults, "default"
    for script, _, trace in played:
        yield sweeps.from_inside(script, ways, trace), "default"
    outside = [case for script in scripts for case in sweeps.from_outside(script, ways)]
    yield outside, "sweep"
    yield [*faults, *outside], "bounded"


def playable(script: Script, factory: AgentFactory) -> Played:
    """The plain script as this agent can play it, the agent, and the default trial.

    Raises NotApplicable if it cannot play the script at all.
    """
    bench = Bench(sweeps.plain(script), factory)
    try:
        verdict = bench.trial(ScheduleChooser())
    except NotApplicable:
        if not script.settings:
            raise
        # The agent cannot be told how to retry; what it does of its own is swept then.
        return playable(attrs.evolve(script, settings={}), factory)
    assert bench.agent is not None, "a trial makes an agent"
    assert verdict.trace is not None, "a trial keeps its trace"
    return script, bench.agent, verdict.trace

"""Cases as tests: one case or one scenario checked, and its failures as text.

What the pytest plugin is built on, and usable with any other test runner. The text is the one that
the command line prints.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from simharness import agents
from simharness.campaign import coverage
from simharness.campaign.budget import Plan, budget_of
from simharness.campaign.codes import Codes
from simharness.campaign.refine import refine
from simharness.campaign.results import Example, Finding, SuiteResult
from simharness.check import Bench, check_suite
from simharness.choices import ScheduleChooser
from simharness.report import text
from simharness.scenario.load import load_file, load_text
from simharness.verdict import CaseVerdict
from simharness.world.run import batch

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from simharness.agent import AgentFactory
    from simharness.campaign.results import CaseResult
    from simharness.choices import Chooser
    from simharness.scenario.model import Case, Scenario
    from simharness.verdict import Verdict

__all__ = ["Played", "Setup", "explained", "not_exercised", "play", "simulate"]


@attrs.frozen
class Setup:
    """The agent under test and how far to search; `agent` is the name in replay codes.

    `excuse` may waive findings before they count.
    """

    agent: str
    factory: AgentFactory
    plan: Plan
    excuse: Callable[[CaseResult], CaseResult] = lambda result: result

    def check(self, cases: Iterable[Case], *, given: frozenset[str] = frozenset()) -> SuiteResult:
        """Check `cases` and make what was found small. `given` are files that a reader has."""
        done = check_suite(
            cases, self.factory, self.plan, agent=self.agent, given=given, excuse=self.excuse
        )
        return refine(done, self.factory, self.plan, agent=self.agent, given=given)


def explained(suite: SuiteResult) -> str:
    """Everything that broke, as the command line prints it; empty if nothing did."""
    return "\n\n".join(text.failures(suite, coverage.sentences()))


def not_exercised(result: CaseResult) -> str:
    """What the scenario wrote down and no trial played, as one line; empty if there is nothing."""
    missed = ", ".join(result.not_exercised)
    return f"not exercised: {missed}" if missed else ""


def simulate(
    agent: AgentFactory | str,
    scenario: str | os.PathLike[str],
    *,
    budget: str | int = "default",
    strategy: str | None = None,
    bound: int | None = None,
    mode: str | None = None,
    seed: int = 0,
    strict_coverage: bool = True,
) -> SuiteResult:
    """Run every case of `scenario` against `agent`; raise AssertionError with all that broke.

    `agent` is a factory that takes a World, or a name as `--agent` takes it. `scenario` is a path,
    or the YAML text itself if it has more than one line. A case that the agent cannot play, and,
    unless `strict_coverage` is False, something written that never happened, fail as well: what was
    not run proves nothing. Raises ScenarioError for a scenario that cannot be used.
    """
    if _within_a_loop():
        raise RuntimeError(
            "simulate() runs an event loop of its own, which cannot be done within a running one; "
            "call it from a test that is a plain `def`"
        )
    setup = Setup(
        agent if isinstance(agent, str) else _importable(agent),
        agents.find(agent) if isinstance(agent, str) else agent,
        Plan(budget=budget_of(str(budget)), strategy=strategy, bound=bound, mode=mode, seed=seed),
    )
    loaded = _loaded(scenario)
    done = setup.check(loaded.cases, given=frozenset({loaded.file}) - {_TEXT})
    wrong = [explained(done), *_not_run(done), *_missed(done, strict=strict_coverage)]
    if wrong[0] and not setup.agent:
        wrong.append("To replay, name the factory: --agent module:factory; this one is local.")
    if any(wrong):
        raise AssertionError("\n\n".join(block for block in wrong if block))
    return done


@attrs.frozen(eq=False)
class Played:
    """One trial. `broken`: the case and all that it breaks with how to replay it, or nothing."""

    verdict: Verdict
    broken: str


def play(agent: AgentFactory | str, case: Case, chooser: Chooser | None = None) -> Played:
    """Run and judge `case` once, on the default schedule or as `chooser` says.

    For property tests, which draw cases and schedules from `simharness.strategies` and search in
    their own way. Many trials are far faster within one `batch()`.
    """
    factory = agents.find(agent) if isinstance(agent, str) else agent
    bench = Bench(case, factory)
    with batch():
        verdict = bench.trial(chooser or ScheduleChooser())
    codes = Codes(agent if isinstance(agent, str) else _importable(agent), bench.mode, seed=0)
    found = [
        Finding(broken.rule, broken.message, 1, Example(case, verdict, broken))
        for broken in verdict.violations
    ]
    name = bench.agent.name if bench.agent is not None else ""
    sentences = coverage.sentences()
    blocks = [text.failure(codes.write(one, bench.agent), name, sentences) for one in found]
    return Played(verdict, "\n\n".join([case.source, *blocks]) if blocks else "")


_TEXT = "<text>"


def _loaded(scenario: str | os.PathLike[str]) -> Scenario:
    if isinstance(scenario, str) and "\n" in scenario:
        return load_text(scenario, _TEXT)
    return load_file(Path(scenario))


def _importable(factory: AgentFactory) -> str:
    """The name by which another process finds `factory`; empty if it cannot."""
    name = getattr(factory, "__qualname__", "<")
    module = getattr(factory, "__module__", None)
    return "" if module is None or "<" in name else f"{module}:{name}"


def _not_run(suite: SuiteResult) -> list[str]:
    return [
        f"NOT APPLICABLE {result.case.id} ({result.case.place}): {result.reason}"
        for result in suite.results
        if result.verdict is CaseVerdict.NOT_APPLICABLE
    ]


def _missed(suite: SuiteResult, *, strict: bool) -> list[str]:
    return [
        f"NOT EXERCISED {result.case.id} ({result.case.place}): {', '.join(result.not_exercised)}"
        for result in suite.results
        if strict and result.not_exercised
    ]


def _within_a_loop() -> bool:
    """Whether an event loop is running in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

"""The pytest plugin: `*.sim.yaml` files are collected, one test per case; `simulate` is a fixture.

Loading it costs next to nothing: all else of ours is imported when the first scenario is met, so
that no fault of ours, or of an adapter, can break a session without scenarios. Public pytest API
only.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from simharness.campaign.budget import Plan
    from simharness.campaign.results import CaseResult, SuiteResult
    from simharness.programs import Explored
    from simharness.project.settings import Settings
    from simharness.scenario.model import Case
    from simharness.testing import Setup

__all__ = ["ScenarioFile", "ScenarioItem"]

SUFFIX = ".sim.yaml"
_SETUP: pytest.StashKey[Setup] = pytest.StashKey()
_AGENT = "The agent that *.sim.yaml files are run against: a name or module:factory."
_BUDGET = "Trials per case: quick, default, deep or a number."


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and ini keys."""
    group = parser.getgroup("simharness", "simulation of agent loops")
    group.addoption("--sim-agent", metavar="NAME|module:factory", help=_AGENT)
    group.addoption("--sim-budget", metavar="quick|default|deep|N", help=_BUDGET)
    group.addoption("--sim-seed", type=int, default=0, help="Seed of the sampling strategies.")
    group.addoption(
        "--sim-strict-coverage",
        action="store_true",
        help="Fail, instead of skip, cases of which something never happened.",
    )
    parser.addini("sim_agent", _AGENT)
    parser.addini("sim_budget", _BUDGET)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Collect scenario files."""
    if not file_path.name.endswith(SUFFIX):
        return None
    return ScenarioFile.from_parent(parent, path=file_path)


def pytest_report_collectionfinish(
    config: pytest.Config, items: Iterable[pytest.Item]
) -> list[str]:
    """Say which agent the scenarios are about, if there are any."""
    setup = config.stash.get(_SETUP, None)
    count = sum(isinstance(item, ScenarioItem) for item in items)
    if setup is None or not count:
        return []
    from simharness.plural import plural

    cases = plural(count, "case")
    return [f"simharness: {cases}, agent {setup.agent}, {setup.plan.budget} trials per case"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Place a skipped case in its scenario, not in this file."""
    report = yield
    if isinstance(item, ScenarioItem) and isinstance(report.longrepr, tuple):
        path, line, _ = item.reportinfo()
        report.longrepr = (str(path), line + 1, report.longrepr[2])
    return report


def _setup(config: pytest.Config) -> Setup:
    """The agent, the plan and the excuses of this session, found once."""
    if _SETUP not in config.stash:
        from simharness.project import applied as project, settings
        from simharness.testing import Setup

        said = settings.load(config.rootpath)
        agent = _said(config, "sim_agent") or said.agent or "reference"
        factory = project.agent_of(said, agent)
        excuse = project.excuses_of(said).apply
        config.stash[_SETUP] = Setup(agent, factory, _plan(config, said), excuse)
    return config.stash[_SETUP]


def _plan(config: pytest.Config, said: Settings) -> Plan:
    """How far this session searches. Raises ValueError for a budget that is none."""
    from simharness.campaign.budget import Plan, budget_of

    words = _said(config, "sim_budget") or said.budget or "default"
    return Plan(budget=budget_of(words), seed=config.getoption("sim_seed"))


def _said(config: pytest.Config, name: str) -> str | None:
    """The option, else the ini key of that name."""
    said: str | None = config.getoption(name) or config.getini(name)
    return said


def _shown(path: Path, config: pytest.Config) -> str:
    """`path` as the user would type it where pytest was started."""
    return os.path.relpath(path, config.invocation_params.dir)


class CaseFailedError(Exception):
    """A case failed; the text says all there is to say."""


class ScenarioFile(pytest.File):
    """A scenario file; its items are its cases."""

    def collect(self) -> Iterator[ScenarioItem]:
        """Load the file. What is wrong with it, or with the agent, is an error of collection."""
        from simharness.agents import UnknownAgentError
        from simharness.project.baseline import BaselineError
        from simharness.scenario.load import ScenarioError, load_text

        try:
            setup = _setup(self.config)
            text = self.path.read_text(encoding="utf-8-sig")
            scenario = load_text(text, _shown(self.path, self.config))
        except (ScenarioError, UnknownAgentError, BaselineError, ValueError) as error:
            raise self.CollectError(str(error)) from None
        for case in scenario.cases:
            yield ScenarioItem.from_parent(self, name=case.id, case=case, setup=setup)


class ScenarioItem(pytest.Item):
    """One case of a scenario file, searched as far as the budget goes."""

    def __init__(self, *, case: Case, setup: Setup, **words: Any) -> None:
        super().__init__(**words)
        self.case = case
        self.setup_ = setup
        self.extra_keyword_matches.update(case.tags)

    def runtest(self) -> None:
        """Check the case; its verdict becomes a pass, a failure or a skip."""
        from simharness.testing import explained, not_exercised

        done = self.setup_.check([self.case], given=frozenset({self.case.place.file}))
        (result,) = done.results
        self._count(result)
        failed = explained(done)
        missed = not_exercised(result)
        if failed:
            raise CaseFailedError(failed)
        said = [result.coverage, *(f"note: {note}" for note in result.notes)]
        self.add_report_section("call", "simharness", "\n".join(filter(None, said)))
        if missed and self.config.getoption("sim_strict_coverage"):
            raise CaseFailedError(f"{self.case.id} ({self.case.place}): {missed}")
        if result.verdict == "not-applicable":
            pytest.skip(f"not applicable: {result.reason}")
        if missed:
            pytest.skip(missed)

    def _count(self, result: CaseResult) -> None:
        """Put what was done into the properties of the test, which JUnit files carry."""
        self.user_properties.append(("verdict", str(result.verdict)))
        self.user_properties.append(("trials", result.trials))
        self.user_properties.append(("interleavings", result.interleavings))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The text of a failed case; the traceback of anything else."""
        if isinstance(excinfo.value, CaseFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the case stands; lines count from 0 here."""
        return self.path, self.case.place.line - 1, self.name


@pytest.fixture
def simulate(request: pytest.FixtureRequest) -> Callable[..., SuiteResult | Explored]:
    """Run a scenario against an agent: `simulate(factory, scenario, **options)`.

    Or a coroutine function alone, under many schedules: `simulate(program, **options)`.

    `scenario` is YAML text, or a path relative to the folder of the test file. Fails with the text
    of all violations; the options are those of `simharness.testing.simulate`, whose defaults are
    the session's `--sim-budget` and `--sim-seed`.
    """
    from simharness import programs, testing
    from simharness.project import settings

    plan = _plan(request.config, settings.load(request.config.rootpath))

    def run(agent: Any, scenario: Any = None, **options: Any) -> SuiteResult | Explored:
        __tracebackhide__ = True
        if scenario is None:
            return programs.explored(agent, **{"seed": plan.seed, **options})
        if isinstance(scenario, Path) or "\n" not in scenario:
            scenario = _shown(request.path.parent / scenario, request.config)
        return testing.simulate(
            agent, scenario, **{"budget": plan.budget, "seed": plan.seed, **options}
        )

    return run

"""A campaign of three cases, the second of which asks the agent to misbehave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents import find
from simharness.campaign.budget import Plan
from simharness.check import check_suite
from simharness.isolate import Fleet, Isolation, Setup
from simharness.report import json as as_json
from simharness.scenario.load import load_text
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.campaign.results import CaseResult
    from simharness.scenario.model import Case
    from tests.misbehaving.agents import Behaves

PLAN = Plan(budget=20)
WALL_S = 0.5
MEMORY_MIB = 256


def case(name: str, *actions: str) -> Case:
    """A case in which the model says two words."""
    run = ", ".join(actions)
    (only,) = load_text(f'scenario: {name}\nmodel: [["Hi ", "there."]]\nrun: [{run}]\n').cases
    return only


def campaign(agent: type[Behaves]) -> list[Case]:
    """A good case, the bad one, and one that must come out as if there had been no bad one."""
    cancel = ("{cancel: {at: 5s, way: task}}",) if agent.cancelled else ()
    return [
        case("before", "{prompt: go}"),
        case("bad", "{prompt: misbehave}", *cancel),
        case("after", "{prompt: go}", "{cancel: {anywhere: true, way: task}}"),
    ]


def here(agent: type[Behaves]) -> list[CaseResult]:
    """The campaign in this process, hurried only where that is what ends it."""
    with batch(wall_s=WALL_S if agent.stuck else 10 * WALL_S):
        return list(check_suite(campaign(agent), agent, PLAN, agent=path(agent)).results)


def isolated(agent: type[Behaves], jobs: int = 1) -> list[CaseResult]:
    """The campaign in workers."""
    with Fleet(setup(agent, jobs)) as fleet:
        results = check_suite(campaign(agent), agent, PLAN, agent=path(agent), checker=fleet)
    return list(results.results)


def setup(agent: type[Behaves], jobs: int = 1) -> Setup:
    """Hurried workers with little memory."""
    return Setup(find, path(agent), Isolation(jobs, WALL_S, MEMORY_MIB))


def path(agent: type[Behaves]) -> str:
    """The name by which another process finds the agent."""
    return f"{agent.__module__}:{agent.__qualname__}"


def outline(result: CaseResult) -> object:
    """Everything that is reported about a case."""
    return as_json.case_object(result)

"""What the settings of a project mean for a front end: its agent, its contract, its excuses."""

from __future__ import annotations

import datetime as dt
import sys
from typing import TYPE_CHECKING

from simharness import agents
from simharness.contract import UNSPECIFIED
from simharness.project.baseline import read_baseline
from simharness.project.excuses import Excuses

if TYPE_CHECKING:
    from pathlib import Path

    from simharness.agent import Agent, AgentFactory, World
    from simharness.contract import Contract
    from simharness.project.settings import Settings

__all__ = ["agent_of", "declared", "excuses_of"]


def agent_of(settings: Settings, name: str) -> AgentFactory:
    """The factory of the agent called `name`, with the project's word on its contract.

    The folder of pyproject.toml is importable, so that commands work below it too. Raises
    UnknownAgentError.
    """
    folder = None if settings.folder is None else str(settings.folder)
    if folder is not None and folder not in sys.path:
        sys.path.insert(0, folder)
    return declared(agents.find(name), settings.contract)


def declared(factory: AgentFactory, contract: Contract) -> AgentFactory:
    """`factory` whose agents declare what `contract` says, and their own where it says nothing."""
    if contract == UNSPECIFIED:
        return factory

    def make(world: World) -> Agent:
        agent = factory(world)
        agent.contract = agent.contract.overridden(contract)
        return agent

    return make


def excuses_of(settings: Settings, baseline: Path | None = None) -> Excuses:
    """What is excused today; `baseline` outranks the project's. Raises BaselineError."""
    file = baseline or settings.baseline
    return Excuses(
        settings.waivers,
        None if file is None else read_baseline(file),
        dt.datetime.now(dt.UTC).date(),
    )

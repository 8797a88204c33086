"""What pyproject.toml says where the command runs: defaults of options, waivers, the baseline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simharness.cli.problems import BadInput

if TYPE_CHECKING:
    from simharness.agent import AgentFactory
    from simharness.project.excuses import Excuses
    from simharness.project.settings import Settings

__all__ = ["agent", "default_agent", "default_budget", "excuses"]


def default_agent() -> str:
    """The agent of a command that names none."""
    return _settings().agent or "reference"


def default_budget() -> str:
    """The budget of a command that names none."""
    return _settings().budget or "default"


def agent(name: str) -> AgentFactory:
    """The factory of an agent, with the contract as the project declares it."""
    from simharness.project.applied import agent_of

    return agent_of(_settings(), name)


def excuses(baseline: str | None) -> Excuses:
    """What does not fail today. `baseline` outranks the project's."""
    from simharness.project.applied import excuses_of
    from simharness.project.baseline import BaselineError

    try:
        return excuses_of(_settings(), None if baseline is None else Path(baseline))
    except BaselineError as error:
        raise BadInput(f"baseline {error}") from None


def _settings() -> Settings:
    from simharness.project.settings import load

    return load(Path.cwd())

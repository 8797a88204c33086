"""Which agent a case is run with, where the case itself says so: its `profile` and `mutant`.

Only the reference loop follows a case. Any other agent stays what it is, and is judged by rules
alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agents import reference
from simharness.agents.mutants import find_mutant
from simharness.agents.profiles import find_profile
from simharness.agents.reference import ReferenceAgent

if TYPE_CHECKING:
    from simharness.agent import AgentFactory
    from simharness.agents.profiles import Projection

__all__ = ["Dressed", "dressed"]


@attrs.frozen
class Dressed:
    """The agent for a case; `projection` writes its records in the words of the case's profile."""

    factory: AgentFactory
    projection: Projection | None = None


def dressed(factory: AgentFactory, profile_name: str | None, mutant_id: str | None) -> Dressed:
    """The agent for a case with that profile and fault, when `factory` is the agent under test.

    The plain reference loop takes both. A loop that was given a profile keeps it, and follows the
    cases of that profile only.
    """
    given = _profile_of(factory)
    if given is None or given not in {"", profile_name}:
        return Dressed(factory)
    fault = None if mutant_id is None else find_mutant(mutant_id)
    if profile_name is None:
        return Dressed(factory if fault is None else fault.factory)
    profile = find_profile(profile_name)
    loop = ReferenceAgent if fault is None else fault.loop
    return Dressed(profile.on(loop), profile.projection)


def _profile_of(factory: AgentFactory) -> str | None:
    """The profile of the sound reference loop, "" for none; None for any other agent."""
    if factory is reference.make:
        return ""
    if not isinstance(factory, type) or not issubclass(factory, ReferenceAgent):
        return None
    return factory.profile if factory.name == ReferenceAgent.name else None

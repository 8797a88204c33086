"""Which agent a case is run with, where the case itself says so: its `profile` and `mutant`.

Only the reference loop follows a case. Any other agent stays what it is, and is judged by rules
alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

import attrs

from simharness.agents import reference
from simharness.agents.profiles import find_profile
from simharness.agents.reference import ReferenceAgent

if TYPE_CHECKING:
    from simharness.agent import AgentFactory
    from simharness.agents.mutants import Mutant
    from simharness.agents.profiles import Projection

__all__ = ["Dressed", "Wrapper", "dressed"]


@attrs.frozen
class Dressed:
    """The agent for a case; `projection` writes its records in the words of the case's profile."""

    factory: AgentFactory
    projection: Projection | None = None


@runtime_checkable
class Wrapper(Protocol):
    """A factory around another one, which watches the trials of its agents."""

    factory: AgentFactory

    def around(self, factory: AgentFactory) -> AgentFactory:
        """Put itself around another factory."""
        ...


def dressed(factory: AgentFactory, profile_name: str | None, mutant_id: str | None) -> Dressed:
    """The agent for a case with that profile and fault, when `factory` is the agent under test.

    The plain reference loop takes both. A loop that was given a profile keeps it, and follows the
    cases of that profile only. A loop with a fault keeps that, and speaks as its profile does.
    """
    if isinstance(factory, Wrapper):
        inner = dressed(factory.factory, profile_name, mutant_id)
        return attrs.evolve(inner, factory=factory.around(inner.factory))
    loop = _loop_of(factory)
    if loop is None or loop.profile not in {"", profile_name}:
        return Dressed(factory, _words(factory, profile_name))
    fault = None if mutant_id is None else _fault(mutant_id)
    if profile_name is None:
        return Dressed(factory if fault is None else fault.factory)
    profile = find_profile(profile_name)
    return Dressed(profile.on(loop if fault is None else fault.loop), profile.projection)


def _fault(mutant_id: str) -> Mutant:
    """A seeded fault. The faults are many modules, of which most commands need none."""
    from simharness.agents.mutants import find_mutant

    return find_mutant(mutant_id)


def _words(factory: AgentFactory, profile_name: str | None) -> Projection | None:
    """The words of a profile, if that is what `factory` already has."""
    if not profile_name or getattr(factory, "profile", "") != profile_name:
        return None
    return find_profile(profile_name).projection


def _loop_of(factory: AgentFactory) -> type[ReferenceAgent] | None:
    """The sound reference loop that `factory` makes; None for any other agent.

    Known by its name, because a copy of the loop is a class of its own.
    """
    if factory is reference.make:
        return ReferenceAgent
    sound = isinstance(factory, type) and getattr(factory, "name", "") == ReferenceAgent.name
    return cast("type[ReferenceAgent]", factory) if sound else None

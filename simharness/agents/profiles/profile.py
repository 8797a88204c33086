"""What a profile is: the reference loop set up to behave as one real system does."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs

from simharness.agents.reference import ReferenceAgent
from simharness.trace import Projection

if TYPE_CHECKING:
    from simharness.agent import Agent, AgentFactory
    from simharness.contract import Contract

__all__ = ["Profile", "Projection"]


@attrs.frozen
class Profile:
    """A contract, which says how the loop behaves, and the words of the system it stands for.

    `front`: how the loop is handed out, where it is not awaited. It stands before the loop, faulty
    or not; a loop with a fault in that is made of it already.
    """

    name: str
    about: str
    contract: Contract
    projection: Projection
    front: type[ReferenceAgent] = ReferenceAgent

    @property
    def factory(self) -> AgentFactory:
        """The reference loop under this profile."""
        return self.on(ReferenceAgent)

    def on(self, loop: type[ReferenceAgent]) -> AgentFactory:
        """A loop, perhaps with a seeded fault, under this profile."""
        # A changed copy of the loop is no subclass of the loop: that must not come before it.
        plain = self.front is ReferenceAgent or issubclass(loop, self.front)
        bases = (loop,) if plain else (self.front, loop)
        made = type(loop.__name__, bases, {"profile": self.name, "contract": self.contract})
        return cast("type[Agent]", made)

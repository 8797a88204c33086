"""The reference loop: an agent loop of our own that keeps its contract in every interleaving.

It is the loop that every rule is proven on, and an example of how to do it right. Begin with
`loop.py` (runs) and `turns.py`, then `answering.py` and `stream.py` (one model answer), `tools.py`,
`calling.py` (hooks), and `cancelling.py`, on which all of them await.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.reference.contract import CONTRACT
from simharness.agents.reference.loop import BusyError, ReferenceAgent

if TYPE_CHECKING:
    from simharness.agent import World

__all__ = ["CONTRACT", "BusyError", "ReferenceAgent", "make"]


def make(world: World) -> ReferenceAgent:
    """Make a fresh reference agent."""
    return ReferenceAgent(world)

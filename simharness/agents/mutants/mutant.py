"""What a mutant is: the reference loop with one part replaced by a faulty one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs

from simharness.agents.reference.answering import Answering
from simharness.agents.reference.assembler import Assembler
from simharness.agents.reference.calling import HookCalls
from simharness.agents.reference.cancelling import Cancellation
from simharness.agents.reference.ephemeral import Ephemeral
from simharness.agents.reference.gate import Gate
from simharness.agents.reference.guarding import Guard
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.loop import ReferenceAgent
from simharness.agents.reference.queues import Queues
from simharness.agents.reference.quiescing import Quiescing
from simharness.agents.reference.restarting import Restart
from simharness.agents.reference.retry import Retry
from simharness.agents.reference.session import Session
from simharness.agents.reference.silence import Silence
from simharness.agents.reference.stopping import Stops
from simharness.agents.reference.streak import Streak
from simharness.agents.reference.stream import Attempt
from simharness.agents.reference.tools import ToolRunner
from simharness.agents.reference.turns import Turns

if TYPE_CHECKING:
    from simharness.agent import Agent, AgentFactory
    from simharness.agents.profiles import Profile

__all__ = ["Mutant", "mutant"]

_OWNERS: dict[type, tuple[type, str]] = {
    Assembler: (Attempt, "assembler_type"),
    Attempt: (Answering, "attempt_type"),
    Answering: (ReferenceAgent, "answering_type"),
    Cancellation: (ReferenceAgent, "cancellation_type"),
    Ephemeral: (ReferenceAgent, "ephemeral_type"),
    Gate: (Stops, "gate_type"),
    Guard: (ReferenceAgent, "guard_type"),
    HookCalls: (ReferenceAgent, "hook_calls_type"),
    Journal: (ReferenceAgent, "journal_type"),
    Queues: (ReferenceAgent, "queues_type"),
    Quiescing: (ReferenceAgent, "quiescing_type"),
    Restart: (Attempt, "restart_type"),
    Retry: (ReferenceAgent, "retry_type"),
    Session: (Journal, "session_type"),
    Silence: (Answering, "silence_type"),
    Stops: (ReferenceAgent, "stops_type"),
    Streak: (Journal, "streak_type"),
    ToolRunner: (ReferenceAgent, "tools_type"),
    Turns: (ReferenceAgent, "turns_type"),
}
"""Each part of the loop, the part that makes it, and by which attribute."""


@attrs.frozen
class Mutant:
    """An agent with one seeded fault. `rule` is the id of the rule that it must break.

    Or `expect.<key>`, where no rule is about the fault: a scenario that names the mutant shows it.

    `profile`: the fault is one of a real system, so the loop has that system's profile.
    """

    id: str
    about: str
    rule: str
    loop: type[ReferenceAgent]
    profile: Profile | None = None

    @property
    def factory(self) -> AgentFactory:
        """Makes the faulty agent."""
        if self.profile is not None:
            return self.profile.on(self.loop)
        return cast("type[Agent]", self.loop)


def mutant(mutant_id: str, rule: str, fault: type, profile: Profile | None = None) -> Mutant:
    """Make a mutant of `fault`, a subclass of a part of the loop whose docstring says it all."""
    loop = type("MutantAgent", (_loop_with(fault),), {"name": f"mutant:{mutant_id}"})
    about = (fault.__doc__ or "").strip()
    return Mutant(mutant_id, about, rule, loop, profile)


def _loop_with(part: type) -> type[ReferenceAgent]:
    """The loop whose parts are all as they should be, except for `part`."""
    while not issubclass(part, ReferenceAgent):
        owner, slot = next(_OWNERS[base] for base in _OWNERS if issubclass(part, base))
        part = type(owner.__name__, (owner,), {slot: part})
    return part

"""Faults that no rule is about: what a limit, a refusal or a hook leaves is up to the agent.

Each is pinned by a scenario of its own, whose expectation it breaks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agents.mutants.mutant import mutant
from simharness.agents.reference.calling import HookCalls
from simharness.agents.reference.hooks import Allow
from simharness.agents.reference.loop import ReferenceAgent, Run
from simharness.agents.reference.tools import ToolRunner
from simharness.agents.reference.turns import End, Turns
from simharness.trace import Outcome, user

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.reference.answering import Answer
    from simharness.agents.reference.hooks import Decision
    from simharness.agents.reference.repetition import Repeated
    from simharness.trace import Call, Message

__all__ = ["MUTANTS"]


class LimitsLeaveNoMarker(Turns):
    """A run that a limit stops leaves no word of it, so that the model goes on as if answered."""

    def mark(self, why: str) -> Message:
        return user(f"[Agent stopped: {why}]")


class LengthIsSuccess(Turns):
    """An answer that was cut at the output limit is taken for a whole one."""

    def verdict(self, answer: Answer, repeated: Repeated | None) -> End | None:
        end = super().verdict(answer, repeated)
        return End(Outcome.COMPLETED) if end is not None and end.cause == "length" else end


class RejectedPromptsAreKept(ReferenceAgent):
    """A prompt that a filter turned away stands in the history all the same."""

    def reject(self, reason: str) -> End:
        self.journal.append(user(f"[Rejected: {reason}]"))
        return super().reject(reason)


class FailuresAreSwallowed(ReferenceAgent):
    """A failed run is reported as failed, and the call of its prompt just returns."""

    def close_run(self, run: Run, end: End) -> End:
        return attrs.evolve(super().close_run(run, end), error=None)


class FailingHooksAllow(HookCalls):
    """Middleware that raises lets the call pass."""

    def decision_of_failure(self, position: str, error: Exception) -> Decision:
        self.failed(position, error)
        return Allow()


class WidthIsIgnored(ToolRunner):
    """All calls of an answer run side by side, whatever the settings say."""

    def groups(self, calls: Sequence[Call]) -> list[Sequence[Call]]:
        return [calls]


class FailuresOutrankCancels(ReferenceAgent):
    """A cancel that comes once an answer has failed does not count any more."""

    def last_word(self, run: Run, end: End) -> End:
        return end if end.outcome is Outcome.FAILED else super().last_word(run, end)


MUTANTS = (
    mutant("limits-leave-no-marker", "expect.history", LimitsLeaveNoMarker),
    mutant("length-is-success", "expect.outcome", LengthIsSuccess),
    mutant("rejected-prompts-are-kept", "expect.history", RejectedPromptsAreKept),
    mutant("failures-are-swallowed", "expect.settled", FailuresAreSwallowed),
    mutant("failing-hooks-allow", "expect.bodies", FailingHooksAllow),
    mutant("width-is-ignored", "expect.timeline", WidthIsIgnored),
    mutant("failures-outrank-cancels", "expect.outcome", FailuresOutrankCancels),
)

"""The protocols of the search: a strategy proposes trials, and is told what it asked about them.

A strategy sees options and verdicts, never a scenario or an agent, so each one is tested with tiny
programs. Nothing here runs a trial: `explore` does, or whoever hands proposals to other processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from simharness.choices import Chooser
    from simharness.verdict import Verdict

__all__ = ["Answer", "Proposal", "Strategy"]

Answer = Any
"""What a strategy wants to know about a trial: small and picklable; None if nothing."""


class Proposal(Protocol):
    """One trial that a strategy wants, as a value that can be pickled.

    Its text says the same about it in every process, and differs from that of another trial.
    """

    def chooser(self) -> Chooser:
        """Return a new chooser for the trial."""
        ...

    def read(self, verdict: Verdict) -> Answer:
        """Take from the verdict what the strategy has to know."""
        ...


class Strategy(Protocol):
    """Proposes schedules, one per trial.

    It may be asked for the next trial before the answers to earlier ones are in. What it proposes
    must not depend on how many are out: where it needs the answers first, it proposes nothing.
    """

    @property
    def name(self) -> str:
        """The word a user writes for it."""
        ...

    def propose(self) -> Proposal | None:
        """Return the next trial; None if there is none before those that are out are answered.

        If none is out, None means that nothing is left to propose.
        """
        ...

    def take(self, answer: Answer) -> None:
        """Take in the answer to the earliest proposal that has none yet."""
        ...

    def exhausted(self) -> bool:
        """Tell whether every schedule there is has been run, not only those planned."""
        ...

    def exhausted_to(self) -> int | None:
        """Return the bound up to which every schedule has been run; None if there is none."""
        ...

    def describe(self) -> str:
        """Say in words what was covered, and what was not."""
        ...

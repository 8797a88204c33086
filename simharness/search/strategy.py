"""The protocol of all search strategies.

A strategy proposes one chooser per trial and is told how the trial went. It sees options and
verdicts, never a scenario or an agent, so each one is tested with tiny programs. Nothing here runs
a trial: `explore` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from simharness.choices import Chooser
    from simharness.verdict import Verdict

__all__ = ["Strategy"]


class Strategy(Protocol):
    """Proposes schedules, one per trial. `begin` and `end` are called in turn."""

    @property
    def name(self) -> str:
        """The word a user writes for it."""
        ...

    def begin(self) -> Chooser | None:
        """Return the chooser of the next trial, or None if nothing is left to propose."""
        ...

    def end(self, verdict: Verdict) -> None:
        """Take in how the trial went that the last chooser was used for."""
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

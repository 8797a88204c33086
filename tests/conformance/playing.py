"""Playing cases on the reference loop on the default schedule."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import attrs

from simharness.agent import NotApplicable
from simharness.agents import find
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["Played", "play"]


@attrs.frozen
class Played:
    """One case and its verdict on the default schedule."""

    case: Case
    verdict: Verdict

    @property
    def unplayed(self) -> frozenset[str]:
        """What the scenario promises and this trial did not play."""
        return self.case.promised() - self.verdict.played


def play(cases: Iterable[Case], agent: str = "reference") -> tuple[Played, ...]:
    """Run and judge each case once on the default schedule; those it cannot play are left out."""
    reference = find(agent)
    done = []
    with batch():
        for case in cases:
            with contextlib.suppress(NotApplicable):
                done.append(Played(case, Bench(case, reference).trial(ScheduleChooser())))
    return tuple(done)

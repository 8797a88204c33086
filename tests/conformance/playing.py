"""Playing cases on the default schedule, on the reference loop unless another is given."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import attrs

from simharness.agent import NotApplicable
from simharness.agents.reference import make
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simharness.agent import AgentFactory
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


def play(cases: Iterable[Case], agent: AgentFactory = make) -> tuple[Played, ...]:
    """Run and judge each case once on the default schedule; those it cannot play are left out."""
    done = []
    with batch():
        for case in cases:
            with contextlib.suppress(NotApplicable):
                done.append(Played(case, Bench(case, agent).trial(ScheduleChooser())))
    return tuple(done)

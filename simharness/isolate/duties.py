"""What a worker can be asked to do: one function each, with what the worker has as first argument.

They do nothing of their own; results are those of the modules that do the same in one process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from simharness.batches.batch import Batch, Done, done
from simharness.campaign import measuring
from simharness.campaign.refine import Refiner
from simharness.campaign.reproduce import rerun
from simharness.campaign.sweeper import Played, playable
from simharness.check import Bench, check_case
from simharness.choices import ScheduleChooser
from simharness.isolate.board import Board, Noting
from simharness.isolate.parcel import moved
from simharness.isolate.telling import Telling

if TYPE_CHECKING:
    from simharness.agent import Agent, AgentFactory, World
    from simharness.agents.mutants.generated import Change
    from simharness.campaign.budget import Plan
    from simharness.campaign.measuring import Fate
    from simharness.campaign.reproduce import Rerun
    from simharness.campaign.results import CaseResult, Finding
    from simharness.campaign.sweeps import Script
    from simharness.choices import Schedule
    from simharness.isolate.settings import Setup
    from simharness.replay.code import ReplayCode
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = [
    "Desk",
    "Noted",
    "batch",
    "check",
    "measure",
    "play",
    "refine",
    "repeat",
    "trial",
    "witness",
]


@attrs.frozen
class Noted:
    """A factory that notes each trial on the board, before it makes the agent."""

    factory: AgentFactory
    board: Board

    def __call__(self, world: World) -> Agent:
        """Make the agent."""
        trial: Any = world
        self.board.begin(again=trial.plain)
        boundaries = trial.loop.boundaries
        boundaries.chooser = Noting(boundaries.chooser, self.board)
        return self.factory(world)

    def around(self, factory: AgentFactory) -> AgentFactory:
        """Note the trials of another factory."""
        return Noted(factory, self.board)


@attrs.frozen
class Desk:
    """What a worker has at hand. `tell` sends the parent a message while a duty is being done."""

    setup: Setup
    factory: AgentFactory
    board: Board
    tell: Callable[[Any], None]


def check(desk: Desk, case: Case, plan: Plan) -> CaseResult:
    """Check one case; the result comes without the case, which whoever asks has."""
    setup = desk.setup
    found = check_case(case, desk.factory, plan, agent=setup.agent, given=setup.given)
    return moved(found, None)


def batch(desk: Desk, wanted: Batch) -> Done:
    """Run a batch of a campaign."""
    return done(desk.factory, wanted)


def measure(desk: Desk, change: Change, cases: Sequence[Case], plans: Sequence[Plan]) -> Fate:
    """See whether any case notices a generated mutant."""

    def noted(factory: AgentFactory) -> AgentFactory:
        return Noted(factory, desk.board)

    return measuring.measure(change, cases, plans, around=noted)


def refine(desk: Desk, finding: Finding, result: CaseResult, plan: Plan) -> tuple[Finding, int]:
    """Make one finding small, and say how many trials that took."""
    refiner = Refiner(desk.factory, plan, desk.setup.agent, desk.setup.given)
    return refiner.refined(finding, result), refiner.trials


def play(desk: Desk, script: Script) -> Played:
    """Play a plain script of the sweep."""
    return playable(script, desk.factory)


def trial(desk: Desk, case: Case) -> Verdict:
    """Run one trial on the default schedule."""
    return Bench(case, desk.factory, case.mode or "strict").trial(ScheduleChooser())


def repeat(desk: Desk, code: ReplayCode, case: Case) -> Rerun:
    """Run the trial of a replay code again."""
    return rerun(code, case, desk.factory)


def witness(desk: Desk, case: Case, schedule: Schedule, mode: str) -> None:
    """Run one trial and tell the parent of each record and choice at once: it may be the last."""
    telling = Telling(desk.factory, desk.tell)
    telling.bench = Bench(case, telling, mode)
    telling.bench.trial(ScheduleChooser(schedule))

"""Running one case once: from a case, an agent and a chooser to a trace.

The trial goes on until every action is over and every run has settled, then for 30 virtual seconds
on the default schedule to see what is left behind. Teardown changes nothing that was recorded.
"""

from __future__ import annotations

import attrs

from simharness.agent import AgentFactory
from simharness.choices import Chooser, Course
from simharness.scenario.model import Case
from simharness.trace import LimitHit, Trace
from simharness.world import ctrl_c
from simharness.world.determinism import batch, new_trial
from simharness.world.kernel import deadlock_text, tear_down
from simharness.world.leaks import WINDOW_S, left_behind
from simharness.world.limits import AdapterFailed, TrialEnded
from simharness.world.trial import Trial

__all__ = ["Run", "batch", "run"]


@attrs.frozen(eq=False)
class Run:
    """What one trial left: trace, course of choices, and the scenario keys it played."""

    trace: Trace
    course: Course
    played: frozenset[str]


def run(
    case: Case,
    factory: AgentFactory,
    chooser: Chooser,
    *,
    mode: str = "strict",
    plain: bool = False,
) -> Run:
    """Run `case` once. Call it within `batch()` for virtual clocks and seeded randomness.

    `plain` asks the agent not to stream; only agents that declare `streaming: both` can be asked.

    Raises `NotApplicable` if the agent cannot do what the case asks, and KeyboardInterrupt if
    somebody pressed Ctrl-C meanwhile, whatever the agent made of it. What the agent's `history` or
    `outcome_of` raises comes out as it is.
    """
    trial = Trial(case, chooser, mode=mode, plain=plain)
    failed: Exception | None = None
    new_trial(trial.loop)
    with trial.loop:
        try:
            trial.enter(factory)
            _play(trial)
            _wait_for_leaks(trial)
        except AdapterFailed as ended:
            failed = ended.error
        except TrialEnded as ended:
            trial.recorder.add(LimitHit(ended.limit, ended.detail), 0)
        except MemoryError:  # in code of ours, but the agent has the memory
            trial.recorder.add(LimitHit("memory-limit", "MemoryError"), 0)
        trial.recorder.open = False
        trial.processes.end()
        tear_down(trial.loop)
        trial.close_unbegun()
    ctrl_c.pass_on()
    if failed is not None:
        raise failed
    return Run(
        trial.recorder.trace,
        tuple(trial.loop.boundaries.points),
        frozenset(trial.recorder.played),
    )


def _play(trial: Trial) -> None:
    step = trial.loop.boundaries.step
    user = trial.user
    while not user.finished:
        if not step():
            raise TrialEnded("deadlock", deadlock_text(trial.loop))


def _wait_for_leaks(trial: Trial) -> None:
    """Let 30 virtual seconds pass on the default schedule, then record what is still there."""
    boundaries = trial.loop.boundaries
    boundaries.free = False
    end = trial.loop.clock.now + WINDOW_S
    loop = trial.loop
    while loop.ready or loop.workers.stirring() or boundaries.next_s() <= end:
        if not boundaries.step():
            break
    for left in left_behind(trial, final=True):
        trial.recorder.add(left, 0)

"""Run a small program under every schedule there is, and collect what became of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from simharness.choices import EMPTY, Schedule, ScheduleChooser
from simharness.world.eventloop import SimLoop
from simharness.world.kernel import Played, play

Program = Callable[[SimLoop], Awaitable[object]]


def every(program: Program, mode: str = "strict", most: int = 4_000) -> Iterator[Played]:
    """All schedules of `program`, each once: a child adds one deviation behind the last."""
    left: list[Schedule] = [EMPTY]
    for _ in range(most):
        if not left:
            return
        schedule = left.pop()
        played = play(program, ScheduleChooser(schedule), mode=mode)
        yield played
        first = schedule[-1][0] + 1 if schedule else 0
        for point in range(first, len(played.course)):
            options = len(played.course[point].options)
            left += [(*schedule, (point, option)) for option in range(1, options)]
    raise AssertionError(f"more than {most} schedules")


def results(program: Program, mode: str = "strict") -> set[object]:
    """The different results under all schedules."""
    return {played.result for played in every(program, mode)}

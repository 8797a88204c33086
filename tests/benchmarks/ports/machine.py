"""Runs abstract thread programs: each access to something shared is a step, and may be a choice.

A program is a generator `main` that spawns others. A task yields the access it is about to make and
makes it when it goes on, so every pending access is known, as the samplers of the literature need.
Option 0 is the task that waits longest, as on an asyncio loop that nobody disturbs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import cache
from typing import TYPE_CHECKING

import attrs

from simharness.choices import Chooser, Kind, Option, Point
from simharness.verdict import Verdict, Violation

if TYPE_CHECKING:
    from simharness.search import RunOnce

__all__ = ["RULE", "SPAWN", "Access", "Machine", "Program", "Task", "read", "running", "write"]

RULE = "planted"
"""The rule that every bug breaks, deadlocks included."""


@attrs.frozen(eq=False)
class Access:
    """What a task does next: a label like `write a`, whether it can, and what it does by itself.

    `topic` is what is accessed.
    """

    label: str
    topic: str = ""
    ready: Callable[[], bool] | None = None
    effect: Callable[[], None] | None = None


Task = Generator[Access, None, None]
Program = Callable[["Machine"], Task]


@cache
def read(name: str) -> Access:
    """About to read the variable `name`."""
    return Access(f"read {name}", name)


@cache
def write(name: str) -> Access:
    """About to write the variable `name`, or to read and write it in one step."""
    return Access(f"write {name}", name)


SPAWN = Access("spawn")
"""About to spawn the next child."""


@cache
def _option(owner: str, label: str, topic: str) -> Option:
    return Option(label, Kind.SOURCE, owner, topic)


class _Failed(Exception):
    """The program's assertion failed: it ends here."""


class Machine:
    """Steps the tasks of one program until it fails, all have ended, or none can go on."""

    def __init__(self, chooser: Chooser) -> None:
        self._choose = chooser.choose
        self._tasks: dict[str, Task] = {}
        self._pending: dict[Option, Access] = {}  # who waits longest comes first
        self.points: list[Point] = []
        self.steps: list[Option] = []
        self.failure: str | None = None

    def spawn(self, name: str, task: Task) -> None:
        """Add a task and run it up to its first access, which nobody else can see."""
        self._tasks[name] = task
        self._resume(name)

    def spawning(self, **tasks: Task) -> Task:
        """Spawn `tasks` one step at a time."""
        for name, task in tasks.items():
            yield SPAWN
            self.spawn(name, task)

    def joined(self, *names: str) -> Access:
        """About to find that the tasks `names` have ended."""
        return Access("join", "", lambda: not any(name in self._tasks for name in names))

    def check(self, holds: bool, otherwise: str) -> None:
        """End the program with a failure unless the assertion `holds`."""
        if not holds:
            self.failure = otherwise
            raise _Failed

    def run(self, program: Program) -> None:
        """Run `program` as the task `main`."""
        pending = self._pending
        try:
            self.spawn("main", program(self))
            while pending:
                ready = [o for o, access in pending.items() if not access.ready or access.ready()]
                if not ready:
                    waiting = ", ".join(f"{o.owner} ({o.label})" for o in pending)
                    self.check(False, f"deadlock: {waiting}")
                self._step(self._next(tuple(ready)) if len(ready) > 1 else ready[0])
        except _Failed:
            pass
        for task in self._tasks.values():
            task.close()

    def _next(self, ready: tuple[Option, ...]) -> Option:
        """Ask which of the `ready` tasks goes on."""
        chosen = self._choose(ready)
        self.points.append(Point(ready, chosen))
        return ready[chosen]

    def _step(self, option: Option) -> None:
        access = self._pending.pop(option)
        self.steps.append(option)
        if access.effect:
            access.effect()
        self._resume(option.owner)

    def _resume(self, name: str) -> None:
        try:
            access = next(self._tasks[name])
        except StopIteration:
            del self._tasks[name]
        else:
            self._pending[_option(name, access.label, access.topic)] = access


def running(program: Program) -> RunOnce:
    """Make a run_once of `program`; its trace lists who did what, in order."""

    def run_once(chooser: Chooser) -> Verdict:
        machine = Machine(chooser)
        machine.run(program)
        failure = machine.failure
        trace = "\n".join([f"{step.owner}: {step.label}" for step in machine.steps])
        return Verdict(
            violations=() if failure is None else (Violation(RULE, failure),),
            notes=(),
            occasions=frozenset(),
            course=tuple(machine.points),
            trace_hash=trace,
            ending=failure or "ended",
        )

    return run_once

"""Tiny programs for search tests: tasks that are generators, every step a choice, no asyncio.

A task yields None (runnable again) or a predicate (runnable once it is true). With more than one
task runnable, the chooser says which one steps next; option 0 goes on with the task that stepped
last, if it can. Spawning a child costs nothing by itself: yield behind it to make it a step.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING

from simharness.choices import Chooser, Course, Kind, Option, Point
from simharness.verdict import Verdict, Violation

if TYPE_CHECKING:
    from simharness.search import RunOnce

Task = Generator[Callable[[], bool] | None, None, None]
Program = Callable[["Kernel"], Task]


class Kernel:
    """Steps the tasks of one program until all have ended or none can go on."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser
        self._tasks: dict[str, Task] = {}
        self._waits: dict[str, Callable[[], bool] | None] = {}
        self._last = ""
        self.points: list[Point] = []
        self.log: list[str] = []
        self.violations: list[Violation] = []

    def spawn(self, name: str, task: Task) -> None:
        """Add a task; it takes its first step when it is chosen."""
        self._tasks[name] = task
        self._waits[name] = None

    def fail(self, message: str, rule: str = "planted") -> None:
        """Break a rule."""
        self.violations.append(Violation(rule, message))

    def run(self, program: Program) -> None:
        """Run `program` as the task `main`, to the end."""
        self.spawn("main", program(self))
        while self._tasks:
            ready = [n for n in self._tasks if (wait := self._waits[n]) is None or wait()]
            if not ready:
                self.fail("nothing can go on", "settles")
                return
            ready.sort(key=lambda name: name != self._last)
            self._step(ready[self._choose(ready)] if len(ready) > 1 else ready[0])

    def _choose(self, ready: Sequence[str]) -> int:
        options = tuple(Option(name, Kind.SOURCE, name) for name in ready)
        chosen = self._chooser.choose(options)
        self.points.append(Point(options, chosen))
        return chosen

    def _step(self, name: str) -> None:
        self._last = name
        self.log.append(name)
        try:
            self._waits[name] = next(self._tasks[name])
        except StopIteration:
            del self._tasks[name]


def running(program: Program) -> RunOnce:
    """Make a run_once of `program`; its trace is the order of steps."""

    def run_once(chooser: Chooser) -> Verdict:
        kernel = Kernel(chooser)
        kernel.run(program)
        return verdict(tuple(kernel.points), " ".join(kernel.log), kernel.violations)

    return run_once


def verdict(
    course: Course, trace: str, violations: Sequence[Violation] = (), *, ending: str | None = None
) -> Verdict:
    """A verdict of a trial; the text `trace` stands for its hash, and for its ending."""
    return Verdict(
        violations=tuple(violations),
        notes=(),
        occasions=frozenset(),
        course=course,
        trace_hash=trace,
        ending=trace if ending is None else ending,
    )


def yields(count: int) -> Task:
    """A task that does nothing, `count` yields long."""
    for _ in range(count):
        yield None


def family(main: int, *children: int) -> Program:
    """A main task that spawns each child for one step, then yields `main` times."""

    def program(kernel: Kernel) -> Task:
        for number, count in enumerate(children):
            kernel.spawn(f"child{number}", yields(count))
            yield None
        yield from yields(main)

    return program


def two_windows(noise: int = 0) -> Program:
    """Two tasks that must meet twice: three deviations, and no fewer, break the rule `planted`.

    `b` has to pass its mark 2 while `a` stands between its steps 3 and 4, and its mark 5 while `a`
    stands between 6 and 7. `noise` idle tasks add options and move the points.
    """

    def program(kernel: Kernel) -> Task:
        at = {"a": 0, "b": 0}
        met: set[int] = set()

        def a() -> Task:
            for _ in range(10):
                at["a"] += 1
                yield None

        def b() -> Task:
            for _ in range(8):
                at["b"] += 1
                if (at["a"], at["b"]) in {(3, 2), (6, 5)}:
                    met.add(at["b"])
                if len(met) == 2 and at["b"] == 5:
                    kernel.fail("b passed both marks")
                yield None

        kernel.spawn("a", a())
        kernel.spawn("b", b())
        for number in range(noise):
            kernel.spawn(f"noise{number}", yields(4))
        yield from ()

    return program


Tree = tuple["Tree", ...]
"""A choice tree: a leaf is the empty tuple, an inner node has one subtree per option."""


def climbing(tree: Tree) -> RunOnce:
    """Make a run_once whose choices lead from the root of `tree` to a leaf."""

    def run_once(chooser: Chooser) -> Verdict:
        node, path, points = tree, [], []
        while node:
            chosen = 0
            if len(node) > 1:
                options = tuple(
                    Option(f"branch {n}", Kind.SOURCE, str(n)) for n in range(len(node))
                )
                chosen = chooser.choose(options)
                points.append(Point(options, chosen))
            path.append(str(chosen))
            node = node[chosen]
        return verdict(tuple(points), ".".join(path))

    return run_once


def leaves(tree: Tree, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every path of `tree`, by brute force."""
    if not tree:
        yield ".".join(path)
    for number, branch in enumerate(tree):
        yield from leaves(branch, (*path, str(number)))

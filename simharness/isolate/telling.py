"""A trial that tells everything at once, because its process may not live to see its end.

`Telling` stands in the worker and sends; `Testimony` stands in the parent and puts together what
was sent: the trace and the course up to the last moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from simharness.choices import Option, Point
from simharness.trace import LimitHit, Record, Trace
from simharness.world.run import Run

if TYPE_CHECKING:
    from simharness.agent import Agent, AgentFactory, World
    from simharness.campaign.results import Identity
    from simharness.check import Bench
    from simharness.choices import Chooser

__all__ = ["Telling", "Testimony"]

_RECORDS_MOST = 20_000  # what is told of a trial that records without end
Tell = Callable[[Any], None]


@attrs.define(eq=False)
class Telling:
    """A factory whose trials are told. `bench` is where they run, and knows the agent."""

    factory: AgentFactory
    tell: Tell
    bench: Bench | None = None

    def __call__(self, world: World) -> Agent:
        """Put what tells in the place of what only keeps, and make the agent."""
        self._tell_all(world)
        return self.factory(world)

    def around(self, factory: AgentFactory) -> AgentFactory:
        """Tell the trials of another factory."""

        def told(world: World) -> Agent:
            self._tell_all(world)
            return factory(world)

        return told

    def _tell_all(self, world: World) -> None:
        trial: Any = world
        self.tell(("begin",))
        trial.recorder.trace = _ToldTrace(self.tell)
        trial.recorder.played = _ToldSet(self.tell)
        boundaries = trial.loop.boundaries
        boundaries.chooser = _ToldChooser(boundaries.chooser, self.tell)
        trial.recorder.trace.first = self._introduce

    def _introduce(self) -> None:
        assert self.bench is not None, "set before the trial runs"
        self.tell(("agent", self.bench.agent))


class _ToldTrace(Trace):
    """Tells each record."""

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        self._tell = tell
        self.first: Callable[[], None] | None = None  # called before the first record

    def add(self, record: Record, *, time: float, run: int) -> None:
        """Keep it and tell it."""
        if self.first is not None:
            self.first()
            self.first = None
        super().add(record, time=time, run=run)
        if len(self.records) <= _RECORDS_MOST:
            self._tell(("record", record))


class _ToldSet(set[str]):
    """Tells what the scenario wrote and this trial played."""

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        self._tell = tell

    def add(self, key: str) -> None:
        """Keep it and tell it."""
        if key not in self:
            self._tell(("played", key))
        super().add(key)


class _ToldChooser:
    """Tells each choice."""

    def __init__(self, chooser: Chooser, tell: Tell) -> None:
        self._chooser = chooser
        self._tell = tell

    def choose(self, options: Sequence[Option]) -> int:
        """Let the other choose, and tell it."""
        chosen = self._chooser.choose(options)
        self._tell(("point", tuple(options), chosen))
        return chosen


class Testimony:
    """What was told of one trial."""

    def __init__(self) -> None:
        self.agent: Identity | None = None
        self._begin()

    def hear(self, message: tuple[Any, ...]) -> None:
        """Take one message in."""
        kind, *what = message
        if kind == "begin":
            self._begin()
        elif kind == "agent":
            (self.agent,) = what
        elif kind == "record":
            self._add(*what)
        elif kind == "point":
            options, chosen = what
            self._points.append(Point(options, chosen, len(self._trace)))
        elif kind == "played":
            self._played.update(what)

    def ended(self, limit: str, detail: str) -> Run:
        """The trial, ended by `limit` where the telling stopped."""
        last = self._trace.records[-1:]
        time = last[0].time if last else 0.0
        self._trace.add(LimitHit(limit, detail), time=time, run=0)
        return Run(self._trace, tuple(self._points), frozenset(self._played))

    def _begin(self) -> None:
        """What was told before belongs to a trial that has ended as it should."""
        self._trace = Trace()
        self._points: list[Point] = []
        self._played: set[str] = set()

    def _add(self, record: Record) -> None:
        # A copy is without the stamps that the trace makes anew.
        self._trace.add(attrs.evolve(record), time=record.time, run=record.run)

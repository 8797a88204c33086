"""Sources: everything outside the agent that delivers in order.

A source says when its next delivery is due; the boundary loop decides when it comes. An action that
must come first *holds* a source: a held source is not offered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simharness.choices import Kind, Option
from simharness.world.clock import INFINITY

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop


class Source:
    """One source. `due` is the virtual time of its next delivery, infinity if it has none.

    A subclass sets `due` and `option` and implements `deliver`, which appends exactly one handle to
    the loop.
    """

    __slots__ = ("due", "holds", "loop", "option")

    def __init__(self, loop: SimLoop, label: str, kind: Kind = Kind.SOURCE) -> None:
        self.loop = loop
        self.due = INFINITY
        self.holds = 0
        self.option = Option(label, kind, label)

    def relabel(self, label: str) -> None:
        """Name the next delivery; the owner stays."""
        self.option = Option(label, self.option.kind, self.option.owner)

    def deliver(self) -> None:
        """Hand over the next delivery by appending one handle."""
        raise NotImplementedError


class Wait(Source):
    """A single delivery that wakes whoever awaits `done`: a tool's end, a backoff, a slow close."""

    __slots__ = ("_on_end", "done")

    def __init__(
        self, loop: SimLoop, label: str, delay_s: float, on_end: Callable[[], None] | None = None
    ) -> None:
        super().__init__(loop, label)
        self.due = loop.clock.now + delay_s
        self.done = loop.create_future()
        self._on_end = on_end
        loop.boundaries.sources.append(self)

    def deliver(self) -> None:
        """End the wait."""
        self.due = INFINITY
        self.loop.boundaries.remove(self)
        self.loop.from_outside(self._end)

    def _end(self) -> None:
        if not self.done.done():
            if self._on_end is not None:
                self._on_end()
            self.done.set_result(None)

    def drop(self) -> None:
        """Forget the delivery: nobody waits for it any more."""
        if self.due != INFINITY:
            self.due = INFINITY
            self.loop.boundaries.remove(self)


class Call(Source):
    """A single delivery that calls a function: how plain programs place cancels and arrivals."""

    __slots__ = ("_call",)

    def __init__(
        self,
        loop: SimLoop,
        label: str,
        call: Callable[[], object],
        *,
        due: float = 0.0,
        kind: Kind = Kind.SOURCE,
    ) -> None:
        super().__init__(loop, label, kind)
        self.due = due
        self._call = call
        offered = loop.boundaries.sources if kind is Kind.SOURCE else loop.boundaries.others
        offered.append(self)

    def deliver(self) -> None:
        """Call the function from the loop, as a user's handle would."""
        self.due = INFINITY
        self.loop.boundaries.remove(self)
        self.loop.from_outside(self._call)

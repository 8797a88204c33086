"""Quiescing: an operator asks all turns to end; nothing new begins until they resume.

Runs have a window in which they may come to their own end. Then they are abandoned, if the operator
wants that, or go on. A second quiesce, and a resume, take the place of the one before; a shutdown
and a dispose do not, and whichever window is over first ends the runs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simharness.agents.reference.contract import CANCEL_BOUND_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from simharness.agents.reference.stopping import Stops

__all__ = ["Quiescing", "window_s"]

_DEFAULT_S = 30.0
_SHORTEST_S = 1.0
_LONGEST_S = 600.0
_ABANDONED_S = 2 * CANCEL_BOUND_S
"""How long a run may take to end that was abandoned: the bound of its stream, then its close."""


def window_s(drain_s: float | None) -> float:
    """How long runs may go on: `drain_s` within 1 s and 10 min; without a number the default.

    Not a number is what an operator's arithmetic comes to when it fails, and no comparison with it
    is ever true: it must not become a window without end.
    """
    if drain_s is None or math.isnan(drain_s):
        return _DEFAULT_S
    return min(max(drain_s, _SHORTEST_S), _LONGEST_S)


class Quiescing:
    """The quiescing of one agent. `tell` is called with kind and text of a notice."""

    def __init__(self, stops: Stops, tell: Callable[[str, str], None]) -> None:
        self._stops = stops
        self._tell = tell
        self._asked = 0

    def begin(self, drain_s: float | None, *, abandon: bool) -> tuple[int, float]:
        """Close the gate; the number of this quiesce, and how long its window is.

        One that escalates another, to abandon what has had its window, has none of its own.
        """
        escalates = self._stops.gate.closed and abandon and drain_s is None
        self._stops.gate.close()
        return self.supersede(), 0.0 if escalates else self.window_s(drain_s)

    def window_s(self, drain_s: float | None) -> float:
        """How long runs may go on to their own end."""
        return window_s(drain_s)

    async def drain(self, asked: int, seconds: float, *, abandon: bool) -> None:
        """Wait for the runs in progress, then abandon them if that is wanted, and tell."""
        await self._stops.idle(seconds)
        if self.superseded(asked):
            return
        if not self._stops.running:
            self._tell("quiesced", "every run has ended")
        elif abandon:
            await self.abandon(asked)
        else:
            self._tell("not-quiesced", f"{len(self._stops.running)} runs go on")

    async def abandon(self, asked: int) -> None:
        """Stop the runs in progress; name those that do not end even then."""
        abandoned = len(self._stops.running)
        self._stops.stop("quiesce")
        await self._stops.idle(_ABANDONED_S)
        if self.superseded(asked):
            return
        if left := len(self._stops.running):
            self._tell("unabandonable", f"{left} of {abandoned} abandoned runs do not end")
        else:
            self._tell("quiesced", f"{abandoned} runs were abandoned")

    def superseded(self, asked: int) -> bool:
        """Whether something came since that takes the place of quiesce number `asked`."""
        return asked != self._asked

    def supersede(self) -> int:
        """Take the place of what was asked before."""
        self._asked += 1
        self._stops.wake()
        return self._asked

    def resume(self) -> None:
        """Open the gate; whoever still drains abandons nothing."""
        self.supersede()
        self._stops.gate.open()

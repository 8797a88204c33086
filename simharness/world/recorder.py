"""The recorder: the only writer of a trial's trace.

It stamps each record with virtual time and with the run in whose context it happened, counts
progress for the busy boundaries, and tells listeners (anchors) about reported records.
"""

from __future__ import annotations

from collections.abc import Callable

from simharness.trace import Record, Reported, Trace
from simharness.world.eventloop import SimLoop
from simharness.world.runs import RUN


class Recorder:
    """Adds records to `trace` until it is closed; teardown is not part of a trial."""

    def __init__(self, loop: SimLoop) -> None:
        self.trace = Trace()
        self.open = True
        self.on_report: Callable[[Reported, int], None] | None = None
        self.played: set[str] = set()
        self._loop = loop
        self._latest_request: dict[int, int] = {}

    def add(self, record: Record, run: int | None = None) -> None:
        """Append a witnessed record; `run` only where it is not the current context's."""
        if self.open:
            self.trace.add(record, time=self._loop.clock.now, run=RUN.get() if run is None else run)
            self._loop.boundaries.progress += 1

    def report(self, record: Reported) -> None:
        """Append what the agent says about itself, then let actions placed inside happen."""
        if not self.open:
            return
        run = RUN.get()
        self.add(record, run)
        if self.on_report is not None:
            self.on_report(record, run)

    def play(self, key: str) -> None:
        """Note that something the scenario wrote has happened."""
        if key and self.open:
            self.played.add(key)

    def took_from(self, run: int, request: int) -> None:
        """Remember the stream the agent last took from: what it shows belongs to it."""
        self._latest_request[run] = request

    def latest_request(self, run: int) -> int:
        """The request the agent last took from in `run`; 0 if there was none."""
        return self._latest_request.get(run, 0)

"""When to stop searching a case: one more trial like the last would cost too much.

A trial that spins takes many seconds until it is ended, and one that leaves a thread behind leaves
it in this process. One example tells what is wrong; the budget was not meant for a hundred.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simharness.trace import LeftBehind, LimitHit

if TYPE_CHECKING:
    from simharness.verdict import Verdict

__all__ = ["KILLED", "Stopping", "costly", "fatal"]

KILLED: Final = "its process had to be killed"
"""The detail of a `wall-limit` that could not be kept to within the process."""

_COSTLY: Final = {"wall-limit", "memory-limit", "process-death", "child-silence"}
_FATAL: Final = {"memory-limit", "process-death"}
_THREADS_MOST: Final = 20  # real threads that one case may leave in this process


def costly(verdict: Verdict) -> str:
    """The limit of a trial that nobody wants to run many times; empty for all others."""
    hits = [] if verdict.trace is None else verdict.trace.of(LimitHit)
    return next((hit.limit for hit in hits if hit.limit in _COSTLY), "")


def fatal(verdict: Verdict) -> bool:
    """Whether this trial should be run again in a process of its own only."""
    hits = [] if verdict.trace is None else verdict.trace.of(LimitHit)
    return any(hit.limit in _FATAL or hit.detail == KILLED for hit in hits)


class Stopping:
    """Sees every verdict of one case and says when to stop."""

    def __init__(self) -> None:
        self.limit = ""  # that was hit and is not to be hit again
        self.threads = 0  # left behind so far

    @property
    def reason(self) -> str:
        """Why it stopped; empty if it did not."""
        if self.limit:
            return f"stopped at the first {self.limit}"
        if self.threads >= _THREADS_MOST:
            return f"stopped with {self.threads} threads left behind"
        return ""

    def after(self, verdict: Verdict) -> bool:
        """Whether this trial should be the last of its case."""
        self.limit = costly(verdict)
        self.threads += _threads(verdict)
        return bool(self.reason)

    def join(self, later: Stopping) -> bool:
        """The same after trials that ran elsewhere."""
        self.limit = self.limit or later.limit
        self.threads += later.threads
        return bool(self.reason)


def _threads(verdict: Verdict) -> int:
    left = [] if verdict.trace is None else verdict.trace.of(LeftBehind)
    return sum(one.kind == "leaked-thread" for one in left)

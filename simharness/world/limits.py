"""Limits: every trial ends, and each way of being ended has a name.

A limit ends the trial with a `LimitHit` record; the rules say what it means.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Limits:
    """Bounds of one trial. The defaults are far above what any measured framework needs."""

    boundaries: int = 200_000  # loop boundaries; pydantic-ai needs some 300 for a run
    virtual_s: float = 21_600.0  # six hours of virtual time
    still: int = 10_000  # boundaries without a record while nothing is pending: a livelock
    busy_after: int = 8  # repetitions that make a boundary busy (anyio's cancel delivery spins)
    forced_after: int = 64  # busy boundaries in a row after which a delivery is forced
    quiet_after: int = 50  # boundaries after which a cancel is effective even without quiet


class TrialEnded(BaseException):
    """Ends a trial from within the boundary loop, with the name of the limit that was hit."""

    def __init__(self, limit: str, detail: str) -> None:
        super().__init__(f"{limit}: {detail}")
        self.limit = limit
        self.detail = detail


class AdapterFailed(TrialEnded):
    """Ends a trial because the agent cannot answer the harness: it proves nothing then."""

    def __init__(self, error: Exception) -> None:
        super().__init__("adapter", repr(error))
        self.error = error

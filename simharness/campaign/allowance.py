"""What making one failure small may cost, in trials and in real seconds.

The search counts trials and knows no clock; a person who waits for a report counts seconds.
"""

from __future__ import annotations

import time

import attrs

__all__ = ["Allowance"]


@attrs.define
class Allowance:
    """`trials` and `seconds` from now on, whichever end first; `used` are the trials so far."""

    trials: int
    seconds: float
    used: int = 0
    _began_s: float = attrs.field(factory=time.perf_counter, init=False)

    def spent(self, share: float = 1.0) -> bool:
        """Whether this share of it is used up."""
        passed_s = time.perf_counter() - self._began_s
        return self.used >= self.trials * share or passed_s >= self.seconds * share

    @property
    def left(self) -> int:
        """How many trials are left."""
        return max(0, self.trials - self.used)

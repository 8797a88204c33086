"""Retry: whether a failed attempt is repeated, and after how long.

Exponential backoff with jitter, in virtual time. The jitter has a fixed seed, so equal runs wait
equally long.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simharness.agent import ProviderError
    from simharness.agents.reference.settings import RetrySettings
    from simharness.contract import Contract

__all__ = ["Retry"]

_JITTER = 0.1
"""Share of the delay that chance adds or takes away, to part clients that failed together."""


class Retry:
    """The retries of one run."""

    def __init__(self, settings: RetrySettings, contract: Contract) -> None:
        self.settings = settings
        self._contract = contract
        self._random: random.Random | None = None

    @property
    def max_attempts(self) -> int:
        """Attempts per turn, the first one included."""
        return self.settings.max + 1

    def wanted(self, error: ProviderError, *, attempt: int, shown: str) -> bool:
        """Whether attempt number `attempt` of a turn, which showed `shown`, is repeated."""
        hidden = not shown or self.may_begin_twice()
        return error.retryable and hidden and attempt < self.max_attempts

    def may_begin_twice(self) -> bool:
        """Whether the user may see an answer begin twice."""
        return self._contract.retry_after_visible_output != "never"

    def delay_s(self, error: ProviderError, *, attempt: int) -> float:
        """How long to wait after attempt `attempt`; the provider's own advice comes first."""
        if error.retry_after_s is not None:
            return min(error.retry_after_s, self.settings.cap)
        backoff = min(self.settings.delay * 2.0 ** (attempt - 1), self.settings.cap)
        return backoff * (1 + _JITTER * self._chance())

    def _chance(self) -> float:
        """A number between -1 and 1."""
        if self._random is None:  # made when first needed: seeding costs more than a small run
            self._random = random.Random(0)  # noqa: S311 - jitter, not a secret
        return self._random.uniform(-1, 1)

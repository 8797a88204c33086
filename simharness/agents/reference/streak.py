"""The failure streak: how many model streams failed one after the other, and when to say so."""

from __future__ import annotations

__all__ = ["Streak"]

_ALERT_AT = 3
"""The consecutive failure that alerts an operator: one is noise, two may be one incident."""


class Streak:
    """The failures of an agent and its ephemeral runs since the last success. A stop is none."""

    def __init__(self) -> None:
        self.length = 0

    def failed(self) -> bool:
        """Count a failure; whether it is the one that alerts, which is said once in a streak."""
        self.length += 1
        return self.length == _ALERT_AT

    def succeeded(self) -> None:
        """Begin anew."""
        self.length = 0

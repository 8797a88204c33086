"""Queues: what a user says while the agent is at work, until the loop comes to it.

Each message ends in exactly one place: in the history, in the queue, or dropped with a notice.
"""

from __future__ import annotations

from collections import deque

__all__ = ["Queues"]


class Queues:
    """Steering messages, for the next tool boundary, and follow-ups, for the end of the run."""

    def __init__(self) -> None:
        self._steering: deque[str] = deque()
        self._follow_ups: deque[str] = deque()

    def steer(self, text: str) -> None:
        """Add a steering message."""
        self._steering.append(text)

    def follow_up(self, text: str) -> None:
        """Add a follow-up."""
        self._follow_ups.append(text)

    @property
    def steering(self) -> bool:
        """Whether a steering message waits to be seen."""
        return bool(self._steering)

    @property
    def waiting(self) -> bool:
        """Whether anything waits."""
        return bool(self._steering or self._follow_ups)

    def take_steering(self) -> list[str]:
        """All steering messages; they are the caller's now."""
        taken = list(self._steering)
        self._steering.clear()
        return taken

    def take_follow_up(self) -> list[str]:
        """The follow-up that waited longest, if there is one; it is the caller's now."""
        return [self._follow_ups.popleft()] if self._follow_ups else []

    def drop(self) -> list[str]:
        """Forget everything; what was forgotten."""
        dropped = [*self._steering, *self._follow_ups]
        self._steering.clear()
        self._follow_ups.clear()
        return dropped

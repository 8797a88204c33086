"""Repetition: noticing that the model asks for the same again and again.

What is done about it is decided by the turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.trace import Call

__all__ = ["Repeated", "Repetition"]


@attrs.frozen
class Repeated:
    """The same calls came `times` times in a row, `tool` first. `again`: after a nudge."""

    tool: str
    times: int
    again: bool


class Repetition:
    """Counts equal responses of one run. `limit` is how many are too many; None: any number."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._latest: tuple[tuple[str, str], ...] = ()
        self._times = 0

    def seen(self, calls: Sequence[Call]) -> Repeated | None:
        """Take the calls of a response in; what there is to say if they are too many."""
        asked = tuple((call.name, call.args) for call in calls)
        self._times = self._times + 1 if asked == self._latest else 1
        self._latest = asked
        if self._limit is None or self._times < self._limit:
            return None
        return Repeated(calls[0].name, self._times, again=self._times > self._limit)

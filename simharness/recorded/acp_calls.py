"""ACP tool calls: announced before they are updated, and with a status that only goes forward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from simharness.recorded.memory import Seen
from simharness.recorded.reading import quoted

if TYPE_CHECKING:
    from simharness.recorded.reading import Spot
    from simharness.recorded.rule import Tally

__all__ = ["ENDED", "Calls"]

_ORDER: Final = {"pending": 0, "in_progress": 1, "completed": 2, "failed": 2, "cancelled": 2}

ENDED: Final = frozenset(word for word, place in _ORDER.items() if place == 2)
"""The statuses of a call that is over."""


class Calls:
    """The tool calls of all sessions, with their status."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._status: Seen[str] = Seen()

    def update(self, session: str, update: dict[str, Any], spot: Spot, version: int) -> None:
        """Take a session update, if it is about a call."""
        kind, call = update.get("sessionUpdate"), update.get("toolCallId")
        if kind not in ("tool_call", "tool_call_update"):
            return
        text = f"A {kind} has the id {quoted(call)}."
        if not self._tally.demand("acp-message-shape", isinstance(call, str), text, spot):
            return
        key = (session, call)
        if kind == "tool_call_update" and version == 1:
            text = f"The call {quoted(call)} is updated, but was never announced."
            known = not self._status.unknown(key)
            self._tally.demand("acp-tool-call-known", known, text, spot)
        elif self._status.get(key) in ENDED:
            text = f"The call {quoted(call)} is announced again after it has ended: a new call."
            self._tally.note(text, spot)
            self._status.forget(key)
        self._step(key, update.get("status"), spot, version)

    def _step(self, key: tuple[str, Any], status: object, spot: Spot, version: int) -> None:
        before = self._status.get(key)
        if status is None:
            if before is None:
                self._status.add(key, "pending")
            return
        known = isinstance(status, str) and status in _ORDER
        text = f"The call {quoted(key[1])} has the unknown status {quoted(status)}."
        if known and status == "cancelled" and version == 1:
            known, text = False, f"{text[:-1]} of version 2."
        if known and before is not None:
            back = _ORDER[str(status)] < _ORDER[before]
            over = before in ENDED and status != before
            known = not back and not over
            text = f"The call {quoted(key[1])} goes from {before} to {status}."
        self._tally.demand("acp-tool-call-status", known, text, spot)
        if isinstance(status, str) and status in _ORDER:
            self._status.add(key, status)

"""What all checkers have in common: they take payloads one by one and tell a tally."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simharness.recorded.reading import Payload, Spot
    from simharness.recorded.rule import Tally
    from simharness.recorded.universal import Window

__all__ = ["Checker"]


class Checker:
    """Judges one trace as it comes. A subclass is the state machine of one format.

    `window` is where the universal rules look. `at_client`: the recorder sat with the client, where
    an answer that was already on its way when the user cancelled looks like a wrong one.
    """

    def __init__(self, tally: Tally, window: Window, *, at_client: bool = False) -> None:
        self.tally = tally
        self.window = window
        self.at_client = at_client
        self.left = False  # the reader stopped reading: what is open is not the agent's fault

    def payload(self, payload: Payload) -> None:
        """Take the next payload."""
        if payload.value is not None:
            self.event(payload.value, payload.spot, payload.name)
        elif payload.word == "left":
            self.left = True
        elif payload.word == "cancel":
            self.cancelled(payload.spot)
        else:
            self.done(payload.spot)

    def event(self, value: dict[str, Any], spot: Spot, name: str) -> None:
        """Take an event; `name` is the field `event:` of a server-sent one."""
        raise NotImplementedError

    def cancelled(self, spot: Spot) -> None:
        """The recorder notes that the user cancelled here. Most streams cannot be told of it."""

    def done(self, spot: Spot) -> None:
        """Take the word that ends a stream of some formats."""
        self.tally.note("[DONE] means nothing in this format.", spot)

    def end(self, spot: Spot) -> None:
        """The trace is over; `spot` is that of its last payload."""

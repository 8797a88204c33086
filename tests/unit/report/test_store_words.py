"""What a lane table says about stores, kills and reloads."""

from __future__ import annotations

import pytest

from simharness.report.words import Lane, words
from simharness.storing import (
    Forked,
    Killed,
    SessionLoaded,
    SessionRead,
    StoreFlushed,
    StoreWrite,
)
from simharness.trace import Record, user


@pytest.mark.parametrize(
    ("record", "lane", "said"),
    [
        (StoreWrite(2, "a line", "saved"), "agent", 'store write 2 saved: "a line"'),
        (StoreFlushed(7), "agent", "store flushed: 7 characters"),
        (Killed((1,)), "user", "the process is gone"),
        (Forked(2), "user", "goes on in a copy of the session, behind turn 2"),
        (Forked(), "user", "goes on in a copy of the session, as it is"),
        (SessionLoaded((user("hi"),)), "agent", "loaded: user"),
        (SessionLoaded(), "agent", "loaded: nothing"),
        (SessionLoaded((), "ValueError: no"), "agent", "loading raised ValueError: no"),
        (SessionRead((user("hi"),)), "agent", "store: user"),
        (SessionRead(), "agent", "store: empty"),
    ],
)
def test_each_record_of_a_store_says_what_happened(record: Record, lane: Lane, said: str) -> None:
    """Kills and forks are the user's, the rest is the agent's."""
    assert (lane, said) == words(record)

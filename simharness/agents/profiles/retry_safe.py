"""What a consumer sees behind yoagent's retry-safe filter: no text of an attempt that is repeated.

The filter holds the events of an attempt back until it knows what becomes of it. It only reads
events, so it is written as one more projection; hooks, requests and bodies have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.profiles.profile import Profile
from simharness.agents.profiles.yoagent import YOAGENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simharness.trace import Record

__all__ = ["YOAGENT_RETRY_SAFE", "retry_safe"]

_EVENTS = (
    "Agent",
    "Turn",
    "MS ",
    "MU",
    "ME ",
    "TES ",
    "TEE ",
    "ProviderRetry",
    "LoopDetected",
    "InputRejected",
)
_FAILED = ("ME A(Error)", "ME A(Aborted)")
_CLOSED = ""
"""Stands for the end of the events."""


def retry_safe(events: Iterable[str]) -> list[str]:
    """The events that pass, given all of them in order.

    A repeated attempt vanishes, a final failure keeps its message but not its text, and of an
    attempt that never ends nothing passes.
    """
    passed: list[str] = []
    held: list[str] = []
    for event in (*events, _CLOSED):
        if held and held[-1] in _FAILED:
            if event != "ProviderRetry":
                passed += [one for one in held if one != "MU"]
            held = []
        if held or event.startswith("MS A("):
            held.append(event)
        elif event != _CLOSED:
            passed.append(event)
        if held and event.startswith("ME A(") and event not in _FAILED:
            passed += held
            held = []
    return passed


def projection(records: Sequence[Record]) -> list[str]:
    """Write what reaches the consumer, in the words of yoagent."""
    words = YOAGENT.projection(records)
    return retry_safe(word for word in words if word.startswith(_EVENTS))


YOAGENT_RETRY_SAFE = Profile(
    name="yoagent-retry-safe",
    about="the loop of yoagent, as a consumer behind its retry-safe filter sees it",
    contract=YOAGENT.contract,
    projection=projection,
)

"""The profile `deepseek-harness-v2`: DeepSeek Harness from 0.1.3 on, whose log has another format.

What it promises is the same. The log has no entries for chunks: a stream lies as a whole in its
message, or in the attempt that stands beside the history where there is no message. Of the live
stream only the end is written, and of the hooks the one that is told of an error: both have their
place in that order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.profiles.deepseek_harness import DEEPSEEK_HARNESS, SessionLog
from simharness.agents.profiles.profile import Profile
from simharness.trace import AttemptKept, HookCalled, StreamEnd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.trace import Record

__all__ = ["DEEPSEEK_HARNESS_V2", "projection"]


def projection(records: Sequence[Record]) -> list[str]:
    """The session log after `records`, and the ends of live streams."""
    log = _LogOfStreams()
    for record in records:
        log.read(record)
    return log.entries


class _LogOfStreams(SessionLog):
    """A log whose messages and attempts hold their streams."""

    def read(self, record: Record) -> None:
        """Write what a record stands for."""
        match record:
            case AttemptKept():
                self._write("assistant/attempt")
            case StreamEnd():
                self._write("agent/assistant-stream end")
            case HookCalled("on_error"):
                self._write("agent/request-error")
            case _:
                super().read(record)

    def _chunk(self, what: str) -> None:
        """Write nothing: it lies in its stream."""


DEEPSEEK_HARNESS_V2 = Profile(
    name="deepseek-harness-v2",
    about="DeepSeek Harness from 0.1.3 on: what leaves no message leaves an attempt",
    contract=DEEPSEEK_HARNESS.contract,
    projection=projection,
)

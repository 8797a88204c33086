"""Faults that a scenario gives to what stands around an agent: its model client and its log.

Both are found out by use: a request made by a client that is of no more use fails, and so does the
write of a row. What the agent makes of it is its own business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agent import LogWriteError
from simharness.scenario.model import (
    CLIENT_KEY,
    LOG_KEY,
    EndKind,
    EndStep,
    ErrorSpec,
    LogFault,
    Stream,
)
from simharness.trace import ClientRenewed, ClientUnusable, LogLost

if TYPE_CHECKING:
    from simharness.provider.playback import ScriptedStream
    from simharness.trace import LogRow
    from simharness.world.recorder import Recorder

__all__ = ["Log", "ModelClient"]

_UNUSABLE = Stream(
    (EndStep(EndKind.RAISE, error=ErrorSpec("the client is closed", kind="client")),), starts=False
)


class ModelClient:
    """The client by which requests are made. `renewed`: a cut stream leaves it of no more use."""

    def __init__(self, recorder: Recorder, streams: list[ScriptedStream], *, renewed: bool) -> None:
        self._recorder = recorder
        self._streams = streams
        self._renewed = renewed
        self._since = 0  # the first of the streams that this client has read

    @property
    def usable(self) -> bool:
        """Whether a request can be made by it."""
        return not self._renewed or not any(stream.cut for stream in self._streams[self._since :])

    def renew(self) -> None:
        """Be a new client, if the old one is of no more use."""
        if not self.usable:
            self._recorder.add(ClientRenewed())
            self._recorder.play(CLIENT_KEY)
        self._since = len(self._streams)

    def answer(self, request: int, script: Stream) -> Stream:
        """`script`, or what a client plays that is of no more use."""
        if self.usable:
            return script
        self._recorder.add(ClientUnusable(request))
        self._recorder.play(CLIENT_KEY)
        return _UNUSABLE


class Log:
    """The inference log: it takes every row, or refuses the first one or all of them."""

    def __init__(self, recorder: Recorder, fails: LogFault) -> None:
        self._recorder = recorder
        self._fails = fails

    def write(self, row: LogRow) -> None:
        """Let `row` pass, or raise `LogWriteError`."""
        if self._fails is LogFault.NEVER:
            return
        if self._fails is LogFault.ONCE:
            self._fails = LogFault.NEVER
        self._recorder.add(LogLost(row.attempt, row.usage))
        self._recorder.play(LOG_KEY)
        raise LogWriteError("the log could not be written")

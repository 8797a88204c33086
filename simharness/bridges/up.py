"""What a child says over the bridge. `docs/bridges.md` explains the turns.

Streams and calls of tools are numbered by the child, from 1 within a trial; runs by the harness.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from simharness.trace import Message, Outcome, Reported

__all__ = ["Up"]


@attrs.frozen
class Introduction:
    """The child's first line.

    `contract` are the fields that its agent declares, `can` the optional methods that it has:
    configure, history, left, steer, follow_up and so on. `ends_turns` and the others as in `Agent`.
    """

    protocol: int
    name: str
    version: str
    contract: Mapping[str, Any] = attrs.Factory(dict)
    cancel_ways: tuple[str, ...] = ()
    can: tuple[str, ...] = ()
    ends_turns: bool = False
    renews_client: bool = False
    begins_anew: bool = False


@attrs.frozen
class Refused:
    """The settings that the agent could not apply."""

    names: tuple[str, ...] = ()


@attrs.frozen
class Unable:
    """The agent cannot do what the case asks: the case is not applicable."""

    reason: str


@attrs.frozen
class Request:
    """The agent asks the model; `stream` is a new number, by which the answer is read."""

    run: int
    stream: int
    messages: tuple[Message, ...]
    tools: tuple[str, ...] = ()
    streaming: bool = True


@attrs.frozen
class Read:
    """The agent reads the next chunk of a stream."""

    stream: int


@attrs.frozen
class Abandon:
    """The agent's read was cancelled. It is answered by `Unread`, or all the same by a chunk."""

    stream: int


@attrs.frozen
class Tell:
    """The stream is told that its reader wants no more: by a `call`, or a `signal`."""

    stream: int
    how: Literal["call", "signal"] = "signal"


@attrs.frozen
class Shut:
    """The agent closes the stream."""

    stream: int


@attrs.frozen
class Call:
    """The agent runs a tool; `call` is a new number, by which the result comes."""

    run: int
    call: int
    name: str
    args: str
    call_id: str


@attrs.frozen
class Flag:
    """The body of a tool can see that it is to stop."""

    call: int


@attrs.frozen
class Drop:
    """The agent's wait for a tool was cancelled. Answered by `Dropped`, or by the result."""

    call: int


@attrs.frozen
class Report:
    """What the agent says about itself."""

    run: int
    record: Reported


@attrs.frozen
class Shown:
    """What the agent's user saw."""

    run: int
    text: str
    reasoning: bool = False


@attrs.frozen
class Renew:
    """The agent uses a new model client from now on."""

    run: int


@attrs.frozen
class Settled:
    """A run is over; `how` its prompt ended, and the outcome that the agent names, if any."""

    run: int
    how: Literal["returned", "raised", "cancelled"]
    error: str = ""
    outcome: Outcome | None = None


@attrs.frozen
class History:
    """What the agent displays; None: it cannot say now."""

    messages: tuple[Message, ...] | None = None


@attrs.frozen
class Leftover:
    """One thing that outlived its run, as in `LeftBehind`."""

    kind: str
    what: str


@attrs.frozen
class Left:
    """What is left running."""

    items: tuple[Leftover, ...] = ()


@attrs.frozen
class Blocked:
    """The child's loop was blocked for `seconds` of virtual time."""

    seconds: float


@attrs.frozen
class Lost:
    """An error that nobody caught reached the child's loop."""

    message: str
    error: str = ""


@attrs.frozen
class Limit:
    """The child has hit a limit of its own: its trial is over."""

    limit: str
    detail: str


@attrs.frozen
class Idle:
    """Nothing is left to do until something comes in, or virtual time `wake` is reached."""

    wake: float | None = None


Up = (
    Introduction
    | Refused
    | Unable
    | Request
    | Read
    | Abandon
    | Tell
    | Shut
    | Call
    | Flag
    | Drop
    | Report
    | Shown
    | Renew
    | Settled
    | History
    | Left
    | Blocked
    | Lost
    | Limit
    | Idle
)

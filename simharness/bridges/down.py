"""What the harness says over the bridge. `docs/bridges.md` explains the turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from simharness.agent import Chunk, ProviderError

__all__ = ["PROTOCOL", "Down"]

PROTOCOL = 1
"""The version that both ends have to name."""


@attrs.frozen
class Hello:
    """The first line of either side. The child's says what it is (`Introduction`)."""

    protocol: int


@attrs.frozen
class ToolOffered:
    """A tool of the scenario; `schema` is the JSON Schema of its arguments."""

    name: str
    schema: Mapping[str, Any]
    ends_turn: bool = False


@attrs.frozen
class Open:
    """A trial begins: make a fresh agent with these tools."""

    tools: tuple[ToolOffered, ...] = ()


@attrs.frozen
class Configure:
    """The scenario's settings; the child answers with `Refused`."""

    settings: Mapping[str, Any]


@attrs.frozen
class Prompt:
    """The user prompts; opens run `run`, which the child closes with `Settled`."""

    run: int
    text: str
    stream: bool = True


@attrs.frozen
class Cancel:
    """The user cancels run `run` (0: the agent is idle) by `way`: api, token, task ..."""

    run: int
    way: str
    reason: str = ""


@attrs.frozen
class Do:
    """Another action of the user, by its method: steer, follow_up, shutdown ..."""

    verb: str
    args: Mapping[str, Any]


@attrs.frozen
class Deliver:
    """The chunk that the child asked for with `Read`."""

    stream: int
    chunk: Chunk


@attrs.frozen
class End:
    """The stream has ended: what answers a `Read` past its end."""

    stream: int


@attrs.frozen
class Break:
    """The stream raises instead of giving a chunk."""

    stream: int
    error: ProviderError


@attrs.frozen
class Unread:
    """The read was given up, as `Abandon` asked; nothing was taken."""

    stream: int


@attrs.frozen
class Closed:
    """The stream is closed, as `Shut` asked; closing may have failed."""

    stream: int
    error: ProviderError | None = None


@attrs.frozen
class Result:
    """The body of a tool has returned."""

    call: int
    text: str


@attrs.frozen
class Failure:
    """The body of a tool has raised."""

    call: int
    text: str


@attrs.frozen
class Dropped:
    """The body was stopped, as `Drop` asked."""

    call: int


@attrs.frozen
class AskHistory:
    """Say what you display as history; the child answers with `History`."""


@attrs.frozen
class AskLeft:
    """Say what you have left running; the child answers with `Left`."""

    final: bool


@attrs.frozen
class Wake:
    """The time has come that the last `Idle` named."""


@attrs.frozen
class Close:
    """The trial is over: drop the agent and all that belongs to it."""


Down = (
    Hello
    | Open
    | Configure
    | Prompt
    | Cancel
    | Do
    | Deliver
    | End
    | Break
    | Unread
    | Closed
    | Result
    | Failure
    | Dropped
    | AskHistory
    | AskLeft
    | Wake
    | Close
)

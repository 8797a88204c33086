"""The turns of the child: read a line, do what it says until nothing is left, say so."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from simharness.agent import CancelWay
from simharness.bridges import down, up
from simharness.bridges.child import WAYS
from simharness.bridges.contracts import words_of
from simharness.bridges.lines import read_down, up_line
from simharness.bridges.python.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.agent import Agent, AgentFactory

__all__ = ["serve"]

_METHODS = (
    "configure",
    "history",
    "steer",
    "follow_up",
    "shutdown",
    "dispose",
    "context_restart",
)


def serve(factory: AgentFactory, *, source: int, target: int) -> None:
    """Serve trials until `source` ends; both are file descriptors."""

    def write(line: bytes) -> None:
        left = line + b"\n"
        while left:
            left = left[os.write(target, left) :]

    session: Session | None = None
    for line in _lines(source):
        message, at = read_down(line)
        if isinstance(message, down.Hello):
            probe = Session(factory, down.Open(), lambda _: None)
            write(up_line(_introduction(probe.agent)))
            probe.close()
            continue
        if isinstance(message, down.Open):
            session = Session(factory, message, write)
        if session is None or isinstance(message, down.Close):
            if session is not None:
                session.close()
            session = None
            write(up_line(up.Idle()))
            continue
        write(up_line(session.take(message, at)))


def _lines(source: int) -> Iterator[bytes]:
    """Lines as they come, without reading ahead of what has come."""
    held = b""
    while piece := os.read(source, 65_536):
        held += piece
        while b"\n" in held:
            line, _, held = held.partition(b"\n")
            yield line


def _introduction(agent: Agent) -> up.Introduction:
    can = [name for name in _METHODS if hasattr(agent, name)]
    ways = (set(agent.cancel_ways) | {CancelWay.TASK}) & WAYS
    return up.Introduction(
        down.PROTOCOL,
        agent.name,
        agent.version,
        words_of(agent.contract),
        tuple(sorted(ways)),
        (*can, "left"),
        bool(getattr(agent, "ends_turns", False)),
        bool(getattr(agent, "renews_client", False)),
        bool(getattr(agent, "begins_anew", False)),
    )

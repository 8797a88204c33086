"""The socket guard: during a batch no code reaches a real network.

A client object of the wrong HTTP library must fail loudly, never send.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Any, NoReturn

from simharness.world.refusals import refuse

_ADVICE = (
    "an agent under test must use the scripted model: world.stream(), or a client built on "
    "world.transport()"
)


def _refuse(*_: Any, **__: Any) -> NoReturn:
    refuse("a real network connection", _ADVICE)


@contextlib.contextmanager
def guard_sockets() -> Iterator[None]:
    """Refuse `connect`, `connect_ex` and name look-ups until left."""
    real = socket.getaddrinfo
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    socket.socket.connect_ex = _refuse  # type: ignore[method-assign]
    socket.getaddrinfo = _refuse
    try:
        yield
    finally:
        del socket.socket.connect, socket.socket.connect_ex  # the C methods show through again
        socket.getaddrinfo = real

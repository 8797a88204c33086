"""Ctrl-C by whoever runs the harness: it ends the campaign, also if it falls into the agent's code.

There it is an exception like any other, which the agent or its task may keep to itself. So it is
noted when it comes and raised again behind the trial. The scripted `interrupt` is something else.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn


class _Pressed:
    """Whether Ctrl-C was pressed and not passed on yet."""

    now = False


@contextlib.contextmanager
def noted() -> Iterator[None]:
    """Note Ctrl-C while the block runs, unless somebody else handles it already."""
    _Pressed.now = False
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pass_on() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed since this was last asked."""
    if _Pressed.now:
        _Pressed.now = False
        raise KeyboardInterrupt


def _note(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - a signal handler
    _Pressed.now = True
    raise KeyboardInterrupt

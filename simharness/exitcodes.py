"""What a command exits with. Nothing is imported here, so that `--help` stays fast."""

from __future__ import annotations

import enum

__all__ = ["ExitCode"]


class ExitCode(enum.IntEnum):
    """In a batch the first of INTERRUPTED, BAD_INPUT, BROKEN, NOT_EXERCISED, HOLDS counts."""

    HOLDS = 0
    BROKEN = 1
    NOT_EXERCISED = 2
    BAD_INPUT = 3
    INTERRUPTED = 130

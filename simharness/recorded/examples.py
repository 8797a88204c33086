"""Writes the small traces that rules show as their good and bad examples."""

from __future__ import annotations

import json

__all__ = ["said", "trace"]


def said(kind: str, **fields: object) -> str:
    """One event of a format whose events have a `type`, as a line of JSON."""
    return json.dumps({"type": kind, **fields})


def trace(*lines: str | dict[str, object]) -> str:
    """A trace of these lines; an object becomes a line of JSON."""
    return "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)

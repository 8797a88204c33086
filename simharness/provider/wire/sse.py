"""Server-sent events: the frames that all three dialects are made of."""

from __future__ import annotations

import json

__all__ = ["COMMENT", "DONE", "frame"]

COMMENT = b": keep-alive\n\n"
"""What a server sends to keep a connection open; readers skip it."""

DONE = b"data: [DONE]\n\n"
"""The last frame of OpenAI's streams."""


def frame(data: object, event: str = "") -> bytes:
    """One event with JSON data; `event` is its name, which OpenAI's chat streams do not have."""
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()

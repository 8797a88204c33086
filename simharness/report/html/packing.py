"""Texts that a page carries along compressed and shows only when they are asked for.

The details of a thousand cases are much alike: packed they take a twentieth of the room, and a
browser need not lay them out before somebody opens one.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["packed", "unpacked"]


def packed(texts: Sequence[str | None]) -> str:
    """`texts` as base64 of a zlib stream of JSON, which `DecompressionStream` reads."""
    data = json.dumps(texts, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(data, 9)).decode()


def unpacked(pack: str) -> list[str | None]:
    """What was packed, as the page's own script reads it."""
    texts: list[str | None] = json.loads(zlib.decompress(base64.b64decode(pack)))
    return texts
